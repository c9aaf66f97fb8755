package workspace

import (
	"slices"
	"strings"

	"wf/api"
)

// withDefaults fills in from req.Defaults what neither the request nor the workfile sets.
func (pl *planner) withDefaults(req api.RunRequest) api.RunRequest {
	d := req.Defaults
	if d == nil {
		return req
	}
	if req.Jobs == nil && !pl.says("jobs") {
		req.Jobs = d.Jobs
	}
	// An empty wrapper is a setting, too: it means no wrapper.
	if req.Wrapper == nil && !slices.ContainsFunc([]string{"wrapper", "prefix", "suffix"}, pl.has) {
		req.Wrapper = d.Wrapper
	}
	return req
}

// has reports whether the graph has an attribute, says whether the attribute has a text.
func (pl *planner) has(attr string) bool {
	_, ok := pl.file.Graph().Attr(attr)
	return ok
}

func (pl *planner) says(attr string) bool {
	text, _ := pl.file.Graph().Attr(attr)
	return strings.TrimSpace(text) != ""
}

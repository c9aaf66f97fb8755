package workspace

import (
	"slices"
	"strings"

	"wf/api"
)

// withDefaults fills in from req.Defaults what neither the request nor the workfile sets.
func (w *Workspace) withDefaults(req api.RunRequest) api.RunRequest {
	d := req.Defaults
	if d == nil {
		return req
	}
	if req.Jobs == nil && !w.says("jobs") {
		req.Jobs = d.Jobs
	}
	// An empty wrapper is a setting, too: it means no wrapper.
	if req.Wrapper == nil && !slices.ContainsFunc([]string{"wrapper", "prefix", "suffix"}, w.has) {
		req.Wrapper = d.Wrapper
	}
	return req
}

// has reports whether the graph has an attribute, says whether the attribute has a text.
func (w *Workspace) has(attr string) bool {
	_, ok := w.file.Graph().Attr(attr)
	return ok
}

func (w *Workspace) says(attr string) bool {
	text, _ := w.file.Graph().Attr(attr)
	return strings.TrimSpace(text) != ""
}

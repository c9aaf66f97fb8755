package planning

import (
	"maps"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// profiled returns a planner for the workfile with the profile of a request, or of the run that it resumes. It is pl itself if there
// is none. It is called on the loop.
func profiled(pl *Planner, req api.RunRequest) (*Planner, error) {
	p := profileOf(pl, req)
	if p == nil {
		return pl, nil
	}
	file, notes, err := workfile.WithProfile(pl.File, p)
	if err != nil {
		return nil, err
	}
	of := *pl
	of.File, of.profile, of.profileNotes = file, p, notes
	return &of, nil
}

// profileOf returns the profile of a request, or of the run that it resumes; nil = none.
func profileOf(pl *Planner, req api.RunRequest) *history.Profile {
	if asked := req.Profile; asked != nil {
		p := &history.Profile{Name: asked.Name}
		for _, a := range asked.Attributes {
			p.Attributes = append(p.Attributes, history.ProfileAttributes(a))
		}
		return p
	}
	if !pl.Nodes.Profiles() {
		return nil
	}
	scope, err := pl.scope(req)
	if err != nil || scope.Mode != scheduler.Resume {
		return nil // the error is reported later
	}
	latest := 0
	for _, n := range scope.Failed {
		latest = max(latest, pl.Nodes.LastRun(n))
	}
	before, _ := pl.Nodes.Earlier(latest)
	return before.Profile
}

// withProfileParams adds the parameters of the profile that the request does not set.
func withProfileParams(req api.RunRequest) api.RunRequest {
	if req.Profile == nil || len(req.Profile.Params) == 0 {
		return req
	}
	all := maps.Clone(req.Profile.Params)
	maps.Copy(all, req.Params)
	req.Params = all
	return req
}

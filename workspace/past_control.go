package workspace

import (
	"cmp"
	"encoding/json"
	"slices"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/workspace/history"
)

// addControl adds what a run had beyond plain commands to its description: its parameters and mocks, the failures that were
// handled, and the nodes that no path led to. If the run cannot be replayed, it adds only what the request says.
func (q *reader) addControl(d *api.RunDetail, req history.Request) {
	if req.Seed == "" {
		return
	}
	d.Until, d.From, d.Mocks = req.Until, req.From, mocksOf(req)
	var params expression.Values
	if len(req.Params) > 0 && json.Unmarshal(req.Params, &params) == nil {
		d.Params = params
	}
	r, err := replayRun(q.store, req.Run)
	if err != nil {
		return
	}
	last := map[int]int{}
	for k, x := range d.Execs {
		if i, ok := r.Sched.Index(x.Node); ok {
			last[i] = k
		}
	}
	for i, k := range last {
		d.Execs[k].Handled = r.Sched.Handled(i)
	}
	d.Notes = append(d.Notes, r.UnmatchedNotes()...)
	d.Left = slices.DeleteFunc(d.Left, func(n api.NodeStatus) bool {
		i, ok := r.Sched.Index(n.ID)
		return !ok || r.Sched.Status(i) != graph.Idle
	})
}

// mocksOf returns the mocks of a run, by the handles that the nodes had.
func mocksOf(req history.Request) []api.Mock {
	var stored map[string]scheduler.Mock
	if len(req.Mocks) == 0 || json.Unmarshal(req.Mocks, &stored) != nil {
		return nil
	}
	var mocks []api.Mock
	for id, m := range stored {
		name := id
		if i := slices.Index(req.Scope, id); i >= 0 {
			name = req.Names[i]
		}
		mocks = append(mocks, api.Mock{Nodes: name, Skip: m.Skip, Exit: m.Exit, Outputs: m.Outputs})
	}
	slices.SortFunc(mocks, func(a, b api.Mock) int { return cmp.Compare(a.Nodes, b.Nodes) })
	return mocks
}

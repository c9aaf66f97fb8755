package planning

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// outsideMocks adds mocks of nodes outside the run to the prior state that the run uses.
func (pl *Planner) outsideMocks(f *flow.Flow, mocks map[string]scheduler.Mock, scope []*graph.Node, past scheduler.Prior) (scheduler.Prior, error) {
	within := make(map[string]bool, len(scope))
	for _, n := range scope {
		within[n.ID] = true
	}
	asked := f.References(scope)
	copied := false
	for _, id := range slices.Sorted(maps.Keys(mocks)) {
		name, template := id, pl.File.Graph().Node(id)
		if template == nil {
			if template = pl.Nodes.TemplateOf(id); within[template.ID] {
				continue
			}
		} else if name = pl.File.Handle(template); within[id] {
			continue
		}
		e := &api.Error{Code: api.CodeInvalid, Message: name + " is not part of this run: there is nothing to pass over or to replace",
			Why: "--nodes, --from, --until or --exclude leave it out"}
		if !slices.Contains(asked, template) {
			e.Why += ", and no text of the run asks for its values"
			return nil, e
		}
		if mock := mocks[id]; mock.Skip || strings.Contains(id, "]/") {
			e.Fix = fmt.Sprintf("--mock '%s={…}' gives the values that the run sees of it", pl.File.Handle(template))
			return nil, e
		}
		if !copied {
			past, copied = maps.Clone(past), true
			if past == nil {
				past = scheduler.Prior{}
			}
		}
		past[id] = pastOfMock(mocks[id])
		delete(mocks, id)
	}
	return past, nil
}

// outsideRecords adds the nodes that expressions refer to, and that only the history contains, to the prior state.
func (pl *Planner) outsideRecords(f *flow.Flow, scope []*graph.Node, past scheduler.Prior) scheduler.Prior {
	copied := false
	for _, n := range f.References(scope) {
		rec := pl.Nodes.Record(n)
		if _, known := past[n.ID]; known || rec == nil || rec.Live || n.Status != graph.Ran && n.Status != graph.Failed {
			continue
		}
		if !copied {
			past, copied = maps.Clone(past), true
			if past == nil {
				past = scheduler.Prior{}
			}
		}
		past[n.ID] = runstate.PriorOf(rec)
	}
	return past
}

func pastOfMock(m scheduler.Mock) scheduler.PriorNode {
	p := scheduler.PriorNode{Status: graph.Ran, Exit: m.Exit, HasExit: true, Outputs: m.Outputs, Mocked: true}
	if m.Exit != 0 {
		p.Status, p.Reason = graph.Failed, scheduler.ReasonExit
	}
	return p
}

// outsideNotes returns notes about the values that a run uses of nodes outside it.
func (pl *Planner) outsideNotes(r *Draft, f *flow.Flow, scope []*graph.Node) []string {
	if r.Flow == nil {
		return nil
	}
	in := make(map[*graph.Node]bool, len(scope))
	for _, n := range scope {
		in[n] = true
	}
	var runs []string // in order, each once
	names := map[string][]string{}
	for _, n := range f.References(scope) {
		if in[n] {
			continue
		}
		from := history.RunID(pl.Nodes.Latest[n.ID].Run)
		if rec := pl.Nodes.Latest[n.ID].Execution; rec != nil && rec.Run != 0 {
			from = history.RunID(rec.Run)
		}
		switch p, known := r.Prior[n.ID]; {
		case known && p.Mocked && !pl.Nodes.Prior[n.ID].Mocked:
			from = "mock"
		case known:
		case n.Home() != nil:
			outermost := n.Home()
			for outermost.Home() != nil {
				outermost = outermost.Home()
			}
			if from = ""; r.Prior[outermost.ID].Instances > 0 {
				from = history.RunID(pl.Nodes.LastRun(outermost))
			}
		default:
			from = ""
		}
		if names[from] == nil {
			runs = append(runs, from)
		}
		names[from] = append(names[from], pl.File.Handle(n))
	}
	var notes []string
	for _, from := range runs {
		list := api.Several(names[from], 5)
		switch from {
		case "":
			notes = append(notes, "not part of this run, and no values of them are known: "+list)
		case "mock":
			notes = append(notes, "not part of this run, with the values of --mock: "+list)
		default:
			notes = append(notes, "not part of this run, with the values of run "+from+": "+list)
		}
	}
	return notes
}

// keptMocks returns a note about mocks without effect, because a resume keeps their nodes.
func (pl *Planner) keptMocks(mocks map[string]scheduler.Mock, mode scheduler.Mode) []string {
	var kept []string
	for _, id := range slices.Sorted(maps.Keys(mocks)) {
		if n := pl.File.Graph().Node(id); mode == scheduler.Resume && n != nil && n.Status == graph.Ran && n.Home() == nil {
			kept = append(kept, pl.File.Handle(n))
		}
	}
	if kept == nil {
		return nil
	}
	return []string{"a resume keeps what has succeeded, so that the mocks of these change nothing: " + api.Several(kept, 5)}
}

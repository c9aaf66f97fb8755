package inquiry

import (
	"context"
	"slices"
	"time"

	"wf/api"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
)

// outlookRuns is the number of earlier runs for the median. A few runs are enough to smooth one exceptional run, and reading
// them is cheap compared with starting the nodes.
const outlookRuns = 5

// Outlook describes the nodes of an active run, with their durations in earlier runs.
func (q *Reader) Outlook(ctx context.Context, name string) (api.RunOutlook, error) {
	type found struct {
		out      api.RunOutlook
		blocking []nodestate.Arrow
	}
	f, err := loop.Ask(ctx, q.loop, func() (found, error) {
		r, err := q.activeRun(name)
		if err != nil {
			return found{}, err
		}
		return found{q.outlook(r), r.Blocking()}, nil
	})
	if err != nil {
		return api.RunOutlook{}, err
	}
	medians, earlier, err := q.store.Durations(outlookRuns)
	if err != nil {
		return api.RunOutlook{}, api.Internal("the history cannot be read", err)
	}
	f.out.Earlier = earlier
	expect(f.out.Nodes, f.blocking, medians)
	f.out.Nodes = slices.DeleteFunc(f.out.Nodes, func(n api.NodeOutlook) bool { return n.State == "" })
	return f.out, nil
}

// activeRun returns the active run with this id, or an error.
func (q *Reader) activeRun(name string) (*nodestate.Run, error) {
	for _, r := range q.nodes.Runs {
		if r.ID == name {
			return r, nil
		}
	}
	return nil, NotActive(name)
}

// outlook describes the present state of the nodes. It includes everything that was published so far.
func (q *Reader) outlook(r *nodestate.Run) api.RunOutlook {
	out := api.RunOutlook{Schema: api.SchemaOutlook, Run: r.ID, Seq: q.out.Seq(), Nodes: make([]api.NodeOutlook, len(r.Nodes)),
		Total: r.Sched.Total(), Kept: r.CountAll().Kept}
	blocked, present := r.Sched.Blocked(), []bool(nil)
	if r.Flow != nil {
		present = r.Sched.Current()
	}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		o := api.NodeOutlook{Node: n.ID, Name: n.Name, State: runstate.StateOf(r.Sched.Status(i), n.Execution, blocked[i])}
		if first, _ := r.Sched.Instances(i); len(first) > 0 || present != nil && !present[i] {
			o.State = "" // its instances are counted instead
		}
		if live := r.LiveNode(i); live != nil {
			o.Group = live.Group
		}
		if n.Execution != nil {
			o.Executions = n.Execution.Number
			if n.Execution.Live && !n.Execution.StartedAt.IsZero() {
				o.Started = new(n.Execution.StartedAt)
			}
		}
		out.Nodes[i] = o
	}
	return out
}

// expect sets the median duration of each node, and the duration of the longest path from the node to the end. If edits have
// closed a cycle of edges, the nodes on it keep their own duration.
func expect(nodes []api.NodeOutlook, blocking []nodestate.Arrow, medians map[string]time.Duration) {
	sources := make([][]int, len(nodes)) // by node: the sources of its incoming edges
	after := make([]int, len(nodes))     // by node: outgoing edges whose target has no path duration yet
	for _, a := range blocking {
		sources[a.Target] = append(sources[a.Target], a.Source)
		after[a.Source]++
	}
	var ready []int
	for i := range nodes {
		if d, known := medians[nodes[i].Node]; known {
			nodes[i].ExpectedMS = new(d.Milliseconds())
			nodes[i].PathMS = d.Milliseconds()
		}
		if after[i] == 0 {
			ready = append(ready, i)
		}
	}
	longest := make([]int64, len(nodes)) // by node: the longest path after it, in milliseconds
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		nodes[i].PathMS += longest[i]
		for _, s := range sources[i] {
			longest[s] = max(longest[s], nodes[i].PathMS)
			if after[s]--; after[s] == 0 {
				ready = append(ready, s)
			}
		}
	}
}

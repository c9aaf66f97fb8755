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

// outlookRuns is how many earlier runs the median is taken of. Few runs are enough to forget one unlucky run, and reading them
// costs little beside starting the nodes.
const outlookRuns = 5

// Outlook describes the nodes of an active run, with how long they took in earlier runs.
func (q *Reader) Outlook(ctx context.Context, name string) (api.RunOutlook, error) {
	type found struct {
		out      api.RunOutlook
		blocking []nodestate.Arrow
	}
	f, err := loop.Ask(ctx, q.loop, func() (found, error) {
		r, err := q.going(name)
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

// going returns the active run with this id.
func (q *Reader) going(name string) (*nodestate.Run, error) {
	for _, r := range q.nodes.Runs {
		if r.ID == name {
			return r, nil
		}
	}
	return nil, NotActive(name)
}

// outlook describes the nodes as they are now. It includes everything published so far.
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

// expect fills in the median time of each node, and the time of the longest path from it to the end. If edges were edited into a
// cycle meanwhile, the nodes on it keep their own time.
func expect(nodes []api.NodeOutlook, blocking []nodestate.Arrow, medians map[string]time.Duration) {
	sources := make([][]int, len(nodes)) // of the incoming edges of each node
	after := make([]int, len(nodes))     // outgoing edges whose target has no path time yet
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
	longest := make([]int64, len(nodes)) // of the paths that start after a node
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

package workspace

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/history"
)

// Bounds of an analysis.
const (
	slowestShown = 10
	stagesShown  = 40
)

// Analysis is Run with where the time of the run went and what has changed since. A record that is
// damaged or of another version is described without.
func (w *Workspace) Analysis(ctx context.Context, name string) (api.RunDetail, error) {
	past, err := w.load(ctx, name)
	if err != nil {
		return api.RunDetail{}, err
	}
	d, err := w.detail(ctx, past)
	if err != nil {
		return d, err
	}
	p, err := openReplay(w.store, past.Request.Run)
	if err != nil {
		d.Problem = joinProblem(d.Problem, "it cannot be analysed: "+err.Error())
		return d, nil
	}
	a := newAnalyst(p.runState, past)
	for _, rec := range p.records {
		a.take(rec)
	}
	d.Analysis = a.describe(&d)
	a.stages(&d, p.graph)
	d.Analysis.Changes, err = ask(ctx, w, func(w *Workspace) (*api.Changes, error) { return w.changesSince(p.graph), nil })
	return d, err
}

func joinProblem(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// An analyst folds a run once more and notes what led to each of its executions.
type analyst struct {
	r     *runState
	execs []history.Execution
	at    map[executor.ID]int // index in execs
	ready []time.Time         // by index: when it was activated
	by    []int               // by index: the execution whose end activated it; -1 = none
	last  []int               // by node: the execution that ended last; -1 = none
	now   time.Time
}

func newAnalyst(r *runState, past *history.Past) *analyst {
	a := &analyst{r: r, execs: past.Executions, at: make(map[executor.ID]int, len(past.Executions)),
		ready: make([]time.Time, len(past.Executions)), by: make([]int, len(past.Executions)),
		last: make([]int, len(r.nodes)), now: now()}
	for i, x := range past.Executions {
		a.at[executor.ID{Node: x.Node, Execution: x.Number}] = i
		a.by[i] = -1
	}
	for i := range a.last {
		a.last[i] = -1
	}
	return a
}

// take folds one record. What it activates was waiting for nothing else.
func (a *analyst) take(rec history.Record) {
	ended := -1
	if rec.Type == history.RecordEnd {
		if i, ok := a.at[executor.ID{Node: rec.Node, Execution: rec.Execution}]; ok {
			ended = i
			a.noteEnd(rec.Node, i)
		}
	}
	var activated []executor.ID
	if ev, decides := a.r.note(rec); decides {
		a.r.step(ev, func(c change) {
			if c.Kind == scheduler.Execute {
				activated = append(activated, executor.ID{Node: c.Node, Execution: c.Execution})
			}
		})
	}
	for len(a.last) < len(a.r.nodes) {
		a.last = append(a.last, -1)
	}
	for _, id := range activated {
		i, ok := a.at[id]
		if !ok {
			continue // it never began
		}
		if a.ready[i], a.by[i] = rec.Time, ended; ended < 0 { // a moment has come, or a person has decided
			a.by[i] = a.enabler(id.Node)
		}
	}
}

// noteEnd notes the end of an execution, also for the sub-flows that its node lies in: they have none of their own.
func (a *analyst) noteEnd(node, i int) {
	for inside := true; inside; node, _, inside = a.r.sched.Instance(node) {
		a.last[node] = i
	}
}

// enabler is the execution that a node waited for last: its attempt before, or of those that led to its
// activation. The first nodes of an instance waited for what its sub-flow did.
func (a *analyst) enabler(node int) int {
	if a.r.sched.Attempt(node) > 0 && a.last[node] >= 0 {
		return a.last[node]
	}
	best := -1
	if subflow, _, inside := a.r.sched.Instance(node); inside && a.r.sched.Explain(node).Cause.Kind == scheduler.CauseStart {
		return a.enabler(subflow)
	}
	for _, j := range a.r.sched.Explain(node).Cause.Edges {
		source, _ := a.r.sched.EdgeEnds(j)
		if i := a.last[source]; i >= 0 && (best < 0 || a.execs[i].Ended.After(a.execs[best].Ended)) {
			best = i
		}
	}
	return best
}

// begin is when an execution took up its slot.
func (a *analyst) begin(i int) time.Time {
	if x := &a.execs[i]; !x.Started.IsZero() {
		return x.Started
	}
	return a.execs[i].Ended // a blank command, or one that could not be started
}

func (a *analyst) end(i int) time.Time {
	if x := &a.execs[i]; x.Over {
		return x.Ended
	}
	return a.now
}

// wait is how long an activated execution was not begun.
func (a *analyst) wait(i int) time.Duration {
	ready := a.ready[i]
	if ready.IsZero() || a.by[i] < 0 {
		ready = a.r.req.Time
	}
	return max(0, a.begin(i).Sub(ready))
}

func (a *analyst) step(i int) api.PathStep {
	x := &a.execs[i]
	return api.PathStep{Node: x.ID, Name: a.r.nodes[x.Node].name, Execution: x.Number, Started: ptr(a.begin(i)),
		WaitMS: a.wait(i).Milliseconds(), DurationMS: took(a.begin(i), a.end(i))}
}

// describe adds up times and finds the critical path.
func (a *analyst) describe(d *api.RunDetail) *api.Analysis {
	out := &api.Analysis{Slowest: []api.PathStep{}, Critical: []api.PathStep{}, Stages: []api.Stage{}}
	end := a.now
	if d.Ended != nil {
		end = *d.Ended
	}
	out.WallMS = took(a.r.req.Time, end)
	order := make([]int, len(a.execs))
	var work, cpu int64
	for i := range a.execs {
		order[i] = i
		work += max(0, a.end(i).Sub(a.begin(i))).Microseconds()
		cpu += a.execs[i].UserMS + a.execs[i].SysMS
		d.Execs[i].WaitMS = ptr(a.wait(i).Milliseconds())
	}
	out.WorkMS, out.CPUMS, out.Most = work/1000, cpu, a.most()
	if out.WallMS > 0 {
		out.Parallel = math.Round(float64(out.WorkMS)/float64(out.WallMS)*1000) / 1000
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(a.end(j).Sub(a.begin(j)), a.end(i).Sub(a.begin(i)))
	})
	for _, i := range order[:min(len(order), slowestShown)] {
		out.Slowest = append(out.Slowest, a.step(i))
	}
	for i := a.final(); i >= 0; i = a.by[i] {
		out.Critical = append(out.Critical, a.step(i))
	}
	slices.Reverse(out.Critical)
	return out
}

// final is the execution that ended last; -1 if there is none.
func (a *analyst) final() int {
	best := -1
	for i := range a.execs {
		if best < 0 || a.end(i).After(a.end(best)) {
			best = i
		}
	}
	return best
}

// most counts how many executions there were at the same time.
func (a *analyst) most() int {
	type turn struct {
		at    time.Time
		delta int
	}
	turns := make([]turn, 0, 2*len(a.execs))
	for i := range a.execs {
		turns = append(turns, turn{a.begin(i), 1}, turn{a.end(i), -1})
	}
	slices.SortFunc(turns, func(x, y turn) int { return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.delta, y.delta)) })
	most, now := 0, 0
	for _, t := range turns {
		now += t.delta
		most = max(most, now)
	}
	return most
}

// stages folds the nodes of the run as wf status folds those of a workfile, and says which nodes of
// the scope were not executed.
func (a *analyst) stages(d *api.RunDetail, g *graph.Graph) {
	blocked := a.r.sched.Blocked()
	d.Left = nil
	list := graph.Stages(g, graph.Handles(g))
	list = withinScope(list, func(n *graph.Node) bool { _, in := a.r.sched.Index(n.ID); return in })
	all := len(list) <= stagesShown
	for _, stage := range list {
		out := api.Stage{Name: stage.Name, Nodes: len(stage.Nodes), After: stage.After}
		for _, n := range stage.Nodes {
			i, _ := a.r.sched.Index(n.ID)
			s := a.r.pastStatus(i, blocked[i])
			out.Counts.Add(s.Counted())
			if a.r.nodes[i].rec == nil && s.State != api.StateKept && s.State != api.StateSkipped {
				d.Left = append(d.Left, s)
			}
			if len(stage.Nodes) == 1 || s.State == api.StateFailed && len(out.Notable) < notable {
				out.Notable = append(out.Notable, s)
			}
		}
		if !all {
			out.After = nil
		}
		if !all && (out.Counts.Failed+out.Counts.Cancelled+out.Counts.Waiting+out.Counts.Retrying == 0 || len(d.Analysis.Stages) == stagesShown) {
			d.Analysis.MoreStages++
			continue
		}
		d.Analysis.Stages = append(d.Analysis.Stages, out)
	}
}

// withinScope leaves out nodes that were not part of a run, and stages without any.
func withinScope(list []graph.Stage, in func(*graph.Node) bool) []graph.Stage {
	place := make([]int, len(list)) // where a stage has gone; -1 = left out
	var kept []graph.Stage
	for i, s := range list {
		s.Nodes = slices.DeleteFunc(s.Nodes, func(n *graph.Node) bool { return !in(n) })
		if place[i] = -1; len(s.Nodes) == 0 {
			continue
		}
		place[i] = len(kept)
		var after []int
		for _, j := range s.After {
			if place[j] >= 0 {
				after = append(after, place[j])
			}
		}
		s.After = after
		kept = append(kept, s)
	}
	return kept
}

// pastStatus is a node as the run has left it.
func (r *runState) pastStatus(i int, blocked bool) api.NodeStatus {
	n := &r.nodes[i]
	s := api.NodeStatus{ID: n.id, Name: n.name, Status: r.sched.Status(i).String(), Run: r.id, State: r.stateIn(i, blocked)}
	if n.rec != nil {
		n.rec.describe(&s)
		s.Executions = n.rec.executions
	}
	return s
}

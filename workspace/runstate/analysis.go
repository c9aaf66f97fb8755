package runstate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
)

// Bounds of an analysis.
const (
	slowestShown = 10
	stagesShown  = 40
)

// An Analyst replays a run and determines what activated each execution.
type Analyst struct {
	r     *State
	execs []history.Execution
	at    map[executor.ID]int // execution → index in execs
	ready []time.Time         // by index: when it was activated
	by    []int               // by index: the execution whose end activated it; -1 for none
	last  []int               // by node: the execution that ended last; -1 for none
	now   time.Time
}

func NewAnalyst(r *State, past *history.Details) *Analyst {
	a := &Analyst{r: r, execs: past.Executions, at: make(map[executor.ID]int, len(past.Executions)),
		ready: make([]time.Time, len(past.Executions)), by: make([]int, len(past.Executions)),
		last: make([]int, len(r.Nodes)), now: clock.Now()}
	for i, x := range past.Executions {
		a.at[executor.ID{Node: x.Node, Execution: x.Number}] = i
		a.by[i] = -1
	}
	for i := range a.last {
		a.last[i] = -1
	}
	return a
}

// Take applies one record. The executions that the record activates were waiting for nothing else.
func (a *Analyst) Take(rec history.Record) {
	ended := -1
	if rec.Type == history.RecordEnd {
		if i, ok := a.at[executor.ID{Node: rec.Node, Execution: rec.Execution}]; ok {
			ended = i
			a.noteEnd(rec.Node, i)
		}
	}
	var activated []executor.ID
	if ev, decides := a.r.Note(rec); decides {
		a.r.Step(ev, func(c Change) {
			if c.Kind == scheduler.Execute {
				activated = append(activated, executor.ID{Node: c.Node, Execution: c.Execution})
			}
		})
	}
	for len(a.last) < len(a.r.Nodes) {
		a.last = append(a.last, -1)
	}
	for _, id := range activated {
		i, ok := a.at[id]
		if !ok {
			continue // it never started
		}
		if a.ready[i], a.by[i] = rec.Time, ended; ended < 0 { // a time or a decision activated it
			a.by[i] = a.enabler(id.Node)
		}
	}
}

// noteEnd notes the end of an execution, also for the sub-flows that contain its node.
func (a *Analyst) noteEnd(node, i int) {
	for inside := true; inside; node, _, inside = a.r.Sched.Instance(node) {
		a.last[node] = i
	}
}

// enabler returns the execution that a node waited for last: its own previous attempt, or the last of those that activated
// it. The first nodes of an instance waited for the same execution as their sub-flow.
func (a *Analyst) enabler(node int) int {
	if a.r.Sched.Attempt(node) > 0 && a.last[node] >= 0 {
		return a.last[node]
	}
	best := -1
	if subflow, _, inside := a.r.Sched.Instance(node); inside && a.r.Sched.Explain(node).Cause.Kind == scheduler.CauseStart {
		return a.enabler(subflow)
	}
	for _, j := range a.r.Sched.Explain(node).Cause.Edges {
		source, _ := a.r.Sched.EdgeEnds(j)
		if i := a.last[source]; i >= 0 && (best < 0 || a.execs[i].Ended.After(a.execs[best].Ended)) {
			best = i
		}
	}
	return best
}

// begin returns when an execution started to use its slot.
func (a *Analyst) begin(i int) time.Time {
	if x := &a.execs[i]; !x.Started.IsZero() {
		return x.Started
	}
	return a.execs[i].Ended // a blank command, or one that could not be started
}

func (a *Analyst) end(i int) time.Time {
	if x := &a.execs[i]; x.Over {
		return x.Ended
	}
	return a.now
}

// wait returns the time between the activation of an execution and its start.
func (a *Analyst) wait(i int) time.Duration {
	ready := a.ready[i]
	if ready.IsZero() || a.by[i] < 0 {
		ready = a.r.Request.Time
	}
	return max(0, a.begin(i).Sub(ready))
}

func (a *Analyst) step(i int) api.PathStep {
	x := &a.execs[i]
	return api.PathStep{Node: x.ID, Name: a.r.Nodes[x.Node].Name, Execution: x.Number, Started: new(a.begin(i)),
		WaitMS: a.wait(i).Milliseconds(), DurationMS: clock.Milliseconds(a.begin(i), a.end(i))}
}

// Describe sums up times and finds the critical path.
func (a *Analyst) Describe(d *api.RunDetail) *api.Analysis {
	out := &api.Analysis{Slowest: []api.PathStep{}, Critical: []api.PathStep{}, Stages: []api.Stage{}}
	end := a.now
	if d.Ended != nil {
		end = *d.Ended
	}
	out.WallMS = clock.Milliseconds(a.r.Request.Time, end)
	order := make([]int, len(a.execs))
	var work, cpu int64
	for i := range a.execs {
		order[i] = i
		work += max(0, a.end(i).Sub(a.begin(i))).Microseconds()
		cpu += a.execs[i].UserMS + a.execs[i].SysMS
		d.Execs[i].WaitMS = new(a.wait(i).Milliseconds())
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

// final returns the execution that ended last, or -1 if there is none.
func (a *Analyst) final() int {
	best := -1
	for i := range a.execs {
		if best < 0 || a.end(i).After(a.end(best)) {
			best = i
		}
	}
	return best
}

// most returns the largest number of executions that ran at the same time.
func (a *Analyst) most() int {
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

// Stages groups the nodes of the run into stages like wf status, and lists the nodes in scope that were not executed.
func (a *Analyst) Stages(d *api.RunDetail, g *graph.Graph) {
	blocked := a.r.Sched.Blocked()
	d.Left = nil
	list := graph.Stages(g, graph.Handles(g))
	list = WithinScope(list, func(n *graph.Node) bool { _, in := a.r.Sched.Index(n.ID); return in })
	all := len(list) <= stagesShown
	for _, stage := range list {
		out := api.Stage{Name: stage.Name, Nodes: len(stage.Nodes), After: stage.After}
		for _, n := range stage.Nodes {
			i, _ := a.r.Sched.Index(n.ID)
			s := a.r.FinalStatus(i, blocked[i])
			out.Counts.Add(s.Counted())
			if a.r.Nodes[i].Execution == nil && s.State != api.StateKept && s.State != api.StateSkipped {
				d.Left = append(d.Left, s)
			}
			if len(stage.Nodes) == 1 || s.State == api.StateFailed && len(out.Notable) < MostNotable {
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

// WithinScope removes nodes that were not part of a run, and stages that then are empty.
func WithinScope(list []graph.Stage, in func(*graph.Node) bool) []graph.Stage {
	place := make([]int, len(list)) // the new index of each stage; -1 if it is removed
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

// FinalStatus describes the state in which the run left a node.
func (r *State) FinalStatus(i int, blocked bool) api.NodeStatus {
	n := &r.Nodes[i]
	s := api.NodeStatus{ID: n.ID, Name: n.Name, Status: r.Sched.Status(i).String(), Run: r.ID, State: r.StateIn(i, blocked),
		Surroundings: SurroundingsOf(r, i).Words()}
	if n.Execution != nil {
		n.Execution.Describe(&s)
		s.Executions = n.Execution.Number
	}
	return s
}

// MostNotable bounds how many failed and how many running nodes of a stage are listed.
const MostNotable = 3

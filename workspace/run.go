package workspace

import (
	"cmp"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
)

// run is an active run: its state, the executor's session, the journal, and what has to be done with them. It belongs to the loop.
type run struct {
	*nodestate.Run
	journal
	sess executor.Session

	// Reports about executions that the scheduler has not asked for: after a power cut the runner's log may contain more than the
	// journal, and the executor starts prefetched jobs by itself.
	early map[executor.ID][]executor.Report

	queue []executor.ID // activated and not handed over; from head on
	head  int
	pace  pace
	ahead
	halt *halt // nil unless a stop is on its way to the scheduler
	share

	broken      string // why the executor was lost; "" = it was not
	unrecorded  string // what of the run is not in its history
	killed      int
	survivors   []int
	timer       *time.Timer    // of the run's timeout
	tick        *time.Timer    // of the next moment that the scheduler waits for
	cancelGrace *time.Duration // of the node that is being stopped

	// Steps of the end, in this order, but for closed and saved, which do not wait for each other.
	sweeping, closed, saved, completing bool
	endedAt                             time.Time

	left   map[string]bool // names of the output files, while a list of reports is handled; nil = not listed
	growth growth
	pools  pooling
	holds  holds
	nesting
	unfound  bool           // recovered, and its executor could not be reached yet
	unsaid   []func()       // for the executor, when it has been reached
	tried    bool           // its recovery is part of a recovery attempt, which ends when
	heard    bool           // its executor has sent its first reports, or has none
	unhanded []executor.Job // dispatched, but the journal could not be written: handed over when it is
	recalled []executor.ID  // of those, which were stopped meanwhile

	accepted  func(error)        // answers the request that started it
	stopEarly *api.StopRequest   // came before the run could start
	begunFrom string             // the file of its place in the queue; "" = it was not queued
	remained  []history.Leftover // processes that executions have left behind: some of as many as leftovers
	leftovers int
	onStop    []func(api.StopResult, error)
	stopAsked time.Time                                     // of the latest of them
	waited    bool                                          // a timer is set, see answerInTime
	onEnd     map[executor.ID][]func(api.StopResult, error) // for wf stop --node
}

// newRun makes an active run of a state.
func newRun(state *nodestate.Run) *run {
	r := &run{Run: state, onEnd: map[executor.ID][]func(api.StopResult, error){}}
	r.Active = r
	return r
}

// begin takes the first step: statuses are reset and the first nodes activated.
func (r *run) begin(w *Workspace) {
	for i := range r.Nodes {
		w.nodes.Latest[r.Nodes[i].ID] = nodestate.Latest{Run: r.Number, Execution: w.nodes.Latest[r.Nodes[i].ID].Execution}
	}
	told := w.out.Pending()
	w.out.Publish(api.Event{Type: api.RunStarted, Run: r.ID, Client: r.Request.Client, Workfile: w.path, Mode: r.Request.Mode,
		Resumes: history.RunID(r.Request.Resumes), Nodes: r.Sched.Total(), Jobs: r.Request.Jobs, NoLimit: r.Request.NoLimit})
	r.growth.beginning = true
	r.commit(w, history.Record{Type: history.RecordBegin, Node: history.NoNode, Client: r.Request.Client, Clocks: clocksNow(0)})
	r.growth = growth{total: r.Sched.Total()}
	if r.Flow != nil && r.Sched.Mode() == scheduler.Resume {
		r.growth.kept = r.CountAll().Kept
	}
	w.out.RunBegan(told, r.ID, r.growth.total, r.growth.kept)
	r.limitTime(w)
}

// limitTime stops the run when its time is up, counted from its start, which may have been in another daemon.
func (r *run) limitTime(w *Workspace) {
	if r.Request.TimeoutMS == 0 {
		return
	}
	left := time.Duration(r.Request.TimeoutMS)*time.Millisecond - (clock.Now().Sub(r.Request.Time) - r.SetSince())
	r.timer = time.AfterFunc(max(left, 0), func() {
		w.send(call(func(w *Workspace) { w.stop(r, api.StopRequest{Cause: "timeout"}, "", nil) }))
	})
}

// commit appends a record to the journal, puts it into the state, announces it, and does what it leads to.
func (r *run) commit(w *Workspace, rec history.Record) {
	if rec.Time.IsZero() {
		rec.Time = clock.Now()
	}
	if err := r.hist.Append(rec); err != nil { // it is written when the loop settles
		panic("internal error: a record for the journal: " + err.Error())
	}
	ev, decides := r.Note(rec)
	r.announce(w, rec)
	if !decides {
		return
	}
	var todo followUp
	r.Step(ev, func(c runstate.Change) { r.enact(w, c, &todo) })
	if cancel := r.recallUnhanded(todo.cancel); len(cancel) > 0 {
		grace := r.Grace()
		if r.cancelGrace != nil {
			grace = *r.cancelGrace
		}
		r.stopThere(cancel, grace)
	}
	if ev.Kind == scheduler.Finished || ev.Kind == scheduler.Withdrawn {
		r.takeBackBehind(ev)
	}
	r.grown(w)
	for _, id := range todo.known {
		r.overtaken(w, id)
	}
}

// announce publishes what a record itself reports, and remembers it for later runs.
func (r *run) announce(w *Workspace, rec history.Record) {
	ev := api.Event{Time: r.Now, Run: r.ID, Client: r.Request.Client}
	if rec.Node != history.NoNode {
		ev.Node, ev.Name = r.Nodes[rec.Node].ID, r.Nodes[rec.Node].Name
	}
	switch rec.Type {
	case history.RecordDispatch, history.RecordWithdraw:
		n := &r.Nodes[rec.Node]
		w.nodes.Latest[n.ID] = nodestate.Latest{Run: r.Number, Execution: cmp.Or(n.Execution, n.Earlier)}
	case history.RecordStart:
		if r.Sched.ItemsCommand(rec.Node) == "" { // a sub-flow starts when its items are listed
			ev.Type, ev.Execution, ev.PID = api.NodeStarted, rec.Execution, rec.PID
			w.out.Publish(ev)
		}
	case history.RecordEnd:
		r.announceEnd(w, rec, ev)
	case history.RecordDecide, history.RecordAnswer:
		made := runstate.DecisionOf(rec)
		if ev.Type, ev.Decision = api.NodeDecided, &made; rec.Type == history.RecordDecide {
			ev.Client = rec.Client
		}
		w.out.Publish(ev)
	}
}

// announceEnd publishes the end of an execution. From now on the workfile may show its output.
func (r *run) announceEnd(w *Workspace, rec history.Record, ev api.Event) {
	live := r.LiveNode(rec.Node)
	if live != nil {
		w.file.Statuses().TouchOutput(live)
	}
	end := r.Nodes[rec.Node].Execution
	if end.Reason == "" && r.Sched.ItemsCommand(rec.Node) != "" {
		return // its sub-flow goes on
	}
	ev.Type, ev.SubFlow = api.NodeFinished, live != nil && live.SubFlow()
	ev.Execution, ev.Reason, ev.Message, ev.ExitCode = rec.Execution, end.Reason, end.Message, end.Exit()
	ev.Signal, ev.DurationMS = runstate.SignalName(end.Signal), new(clock.Milliseconds(end.StartedAt, end.EndedAt))
	if end.Reason != "" {
		ev.Type = api.NodeFailed
	}
	if end.Reason == api.ReasonCancelled || end.Reason == api.ReasonTimeout {
		r.killed++
	}
	w.out.Publish(ev)
}

// followUp is what the effects of a record lead to, once all of them are in the state.
type followUp struct {
	cancel []executor.ID // executions to be stopped
	known  []executor.ID // executions asked for that the executor has already
}

// enact does what an effect asks for.
func (r *run) enact(w *Workspace, c runstate.Change, todo *followUp) {
	switch c.Kind {
	case scheduler.NodeChanged:
		r.nodeChanged(w, c)
		r.withdrawPools(w, c.Effect)
	case scheduler.EdgeChanged:
		if e := r.LiveEdges[c.Edge]; e != nil {
			before := e.Mark
			w.file.Graph().SetMark(e, c.Mark)
			w.file.Statuses().TouchEdge(e)
			w.marks.Changed(e, before)
		}
	case scheduler.NodesAdded:
		for i := c.Node; i < c.Node+c.Count; i++ {
			w.nodes.Remember(r.Run, i)
		}
	case scheduler.Waiting:
		r.announceWait(w, c.Effect)
	case scheduler.Answered:
		r.answered(w, c.Effect)
	case scheduler.Timer:
		r.setTimer(w, c.At)
	case scheduler.Execute:
		if id := (executor.ID{Node: c.Node, Execution: c.Execution}); r.has(id) {
			todo.known = append(todo.known, id)
		} else {
			r.enqueue(w, id)
		}
	case scheduler.Cancel:
		todo.cancel = append(todo.cancel, executor.ID{Node: c.Node, Execution: c.Execution})
	}
}

// nodeChanged publishes a new status. The end of an execution was published before, with its exit code; ends without an execution are
// published here.
func (r *run) nodeChanged(w *Workspace, c runstate.Change) {
	n := &r.Nodes[c.Node]
	if c.Replaced {
		w.nodes.Latest[n.ID] = nodestate.Latest{Run: r.Number, Execution: n.Execution}
	}
	w.nodes.ShowStatus(r.Run, c.Node, c.Status)
	if c.Template != nil {
		w.nodes.ShowTemplate(r.Run, r.Sched.Template(c.Node), c.Template.Status)
	}
	if c.Prior {
		r.growth.recalled = true
		return
	}
	ef := c.Effect
	news := api.Event{Run: r.ID, Node: n.ID, Name: n.Name, Client: r.Request.Client, SubFlow: r.Sched.Members(ef.Node) > 0}
	switch ef.Status {
	case graph.Queued:
		news.Type, news.Time = api.NodeReady, r.Now // the executor may have started it since, by itself
	case graph.Idle:
		news.Type = api.NodeReset
	case graph.Failed:
		if !c.Unreported {
			return
		}
		news.Type, news.Reason, news.Message = api.NodeFailed, n.Execution.Reason, n.Execution.Message
		if ef.Mocked {
			news.ExitCode = n.Execution.Exit()
		}
		news.Execution, news.Mocked, news.Handled = n.Execution.Number, ef.Mocked, r.Sched.Handled(ef.Node)
	case graph.Skipped:
		news.Type = api.NodeSkipped
	case graph.Running:
		if r.Sched.Members(ef.Node) == 0 {
			return // published when the executor reported it
		}
		news.Type = api.NodeStarted
	case graph.Ran:
		if !c.Unreported {
			return
		}
		news.Type, news.Mocked, news.Note = api.NodeFinished, ef.Mocked, r.Unmatched(ef.Node)
	default:
		return
	}
	w.out.Publish(news)
}

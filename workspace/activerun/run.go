// Package activerun executes one active run. It appends records to the run's journal, applies them to the run's state
// (runstate.State), and carries out what the scheduler then decides: it hands jobs to the executor, processes the executor's
// reports, publishes events, and handles waits, stops and the end of the run.
//
// Package workspace creates a Run from a draft of package planning, or recovers one from a journal, and connects it with the
// workspace through a Host. A Run owns its executor session, its journal, its slots and its units of pools. It does not
// choose its scope and has no access to other runs of the workspace.
package activerun

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"os"
	"os/user"
	"slices"
	"strconv"
	"sync"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
	"wf/workspace/secrets"
	"wf/workspace/tracing"
	"wf/workspace/uptodate"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
)

// Run is an active run: its state, its session with the executor, and its journal. It belongs to the loop.
type Run struct {
	*nodestate.Run
	host *Host
	sess executor.Session

	journal
	dispatcher
	lookahead
	slotShare
	pooling
	nesting
	stopping
	ending
	recovery
	announcer
	notices
	hooking
	tables
	preparing
	variables
	reuse

	accepted func(error) // called once, when the run has started or has failed to start
	broken   string      // why the executor was lost; "" if it was not
	timers
	spans *tracing.IDs // of the trace; see traceParent
	// outputNames contains the names of the output files while a list of reports is processed; nil means not listed.
	outputNames map[string]bool
	masks       *secrets.Masks // nil if nothing of the run is secret
}

type timers struct {
	timer *loop.Timer // stops the run when its timeout is over
	tick  *loop.Timer // fires at the next moment that the scheduler waits for
}

// New returns a run with the given state. accepted is called once: with nil when the run has started, otherwise with the
// reason why it cannot start.
func New(h *Host, state *nodestate.Run, accepted func(error)) *Run {
	r := &Run{Run: state, host: h, accepted: accepted}
	r.onEnd = map[executor.ID][]func(api.StopResult, error){}
	r.slotShare.run, r.pooling.run, r.nesting.run, r.lookahead.run, r.journal.run = r, r, r, r, r
	r.stopping.run, r.ending.run, r.dispatcher.run, r.recovery.run, r.announcer.run = r, r, r, r, r
	r.notices.run, r.hooking.run, r.tables.run, r.preparing.run, r.variables.run = r, r, r, r, r
	r.reuse.run = r
	r.hooking.stopped, r.hooking.nodes = make(chan struct{}), nodeHooksOf(state.Request.Hooks)
	r.Active = r
	r.timer = h.Loop.NewTimer(func() { r.stopping.Stop(api.StopRequest{Cause: "timeout"}, "", nil) })
	r.tick = h.Loop.NewTimer(r.Tick)
	r.stopping.patience = h.Loop.NewTimer(r.stopping.answerUnrecorded)
	r.slotShare.short.timer = h.Loop.NewTimer(func() {}) // the loop settles after it
	return r
}

// AlsoAccept registers a second request that gets the same answer as the one that created the run.
func (r *Run) AlsoAccept(answer func(error)) {
	first := r.accepted
	r.accepted = func(err error) {
		first(err)
		answer(err)
	}
}

// firstStep takes the first step of the run: it resets statuses and activates the first nodes.
func (r *Run) firstStep() {
	for i := range r.Nodes {
		r.host.Nodes.Latest[r.Nodes[i].ID] = nodestate.Latest{Run: r.Number, Execution: r.host.Nodes.Latest[r.Nodes[i].ID].Execution}
	}
	pending := r.host.Out.Pending()
	r.host.Out.Publish(api.Event{Type: api.RunStarted, Run: r.ID, Client: r.Request.Client, Workfile: r.host.Path, Mode: r.Request.Mode,
		Resumes: history.RunID(r.Request.Resumes), Nodes: r.Sched.Total(), Jobs: r.Request.Jobs, NoLimit: r.Request.NoLimit})
	r.announcer.growth.starting = true
	r.commit(history.Record{Type: history.RecordBegin, Node: history.NoNode, Client: r.Request.Client, Clocks: clocksNow(0)})
	r.announcer.growth = growth{total: r.Sched.Total()}
	if r.Flow != nil && r.Sched.Mode() == scheduler.Resume {
		r.announcer.growth.kept = r.CountAll().Kept
	}
	r.host.Out.RunBegan(pending, r.ID, r.announcer.growth.total, r.announcer.growth.kept)
	r.limitTime()
}

// limitTime sets the timer of the run's timeout. The timeout counts from the start of the run, possibly under an earlier
// daemon.
func (r *Run) limitTime() {
	if r.Request.TimeoutMS == 0 {
		return
	}
	left := time.Duration(r.Request.TimeoutMS)*time.Millisecond - (clock.Now().Sub(r.Request.Time) - r.SetSince())
	r.timer.Reset(max(left, 0))
}

// commit appends a record to the journal, applies it to the state, publishes it, and carries out the effects that follow. All of
// them get the record without secret values: nothing decides by them, and a later daemon decides the same.
func (r *Run) commit(rec history.Record) {
	if r.masks != nil {
		rec = hiddenRecord(rec, r.masks)
	}
	if rec.Time.IsZero() {
		rec.Time = clock.Now()
	}
	r.Stored.Read(&rec, r.Flow, r.host.Values, r.host.ID)
	if err := r.journal.hist.Append(rec); err != nil { // the loop writes it when it settles
		panic("internal error: a record for the journal: " + err.Error())
	}
	switch rec.Type {
	case history.RecordStop, history.RecordCancel, history.RecordTick, history.RecordItems, history.RecordUpToDate:
		r.journal.unique = true
	}
	if rec.Stored != nil {
		r.journal.keepReading()
	}
	ev, decides := r.Note(rec)
	r.announcer.announce(rec)
	if !decides {
		return
	}
	var todo followUp
	r.Step(ev, func(c runstate.Change) { r.enact(c, &todo) })
	if cancel := r.dispatcher.recallUnhanded(todo.cancel); len(cancel) > 0 {
		grace := r.Grace()
		if r.stopping.cancelGrace != nil {
			grace = *r.stopping.cancelGrace
		}
		r.stopping.stopExecutions(cancel, grace)
	}
	if ev.Kind == scheduler.Finished || ev.Kind == scheduler.Withdrawn {
		r.lookahead.recallDependents(ev)
	}
	r.announcer.publishGrowth()
	for _, id := range todo.known {
		r.lookahead.dispatchPrefetched(id)
	}
}

// announcer publishes the events of a run.
type announcer struct {
	run    *Run
	growth growth
}

// announce publishes the event of a record and updates the table of latest executions.
func (an *announcer) announce(rec history.Record) {
	ev := api.Event{Time: an.run.Now, Run: an.run.ID, Client: an.run.Request.Client}
	if rec.Node != history.NoNode {
		ev.Node, ev.Name = an.run.Nodes[rec.Node].ID, an.run.Nodes[rec.Node].Name
	}
	switch rec.Type {
	case history.RecordDispatch, history.RecordWithdraw:
		n := &an.run.Nodes[rec.Node]
		an.run.host.Nodes.Latest[n.ID] = nodestate.Latest{Run: an.run.Number, Execution: cmp.Or(n.Execution, n.Earlier)}
	case history.RecordStart:
		if an.run.Sched.ItemsCommand(rec.Node) == "" { // a sub-flow starts when its items are listed
			ev.Type, ev.Execution, ev.PID = api.NodeStarted, rec.Execution, rec.PID
			ev.Engine = an.run.Nodes[rec.Node].Execution.Engine()
			an.run.host.Out.Publish(ev)
		}
	case history.RecordEnd:
		an.announceEnd(rec, ev)
	case history.RecordDecide, history.RecordAnswer:
		made := runstate.DecisionOf(rec)
		if ev.Type, ev.Decision = api.NodeDecided, &made; rec.Type == history.RecordDecide {
			ev.Client = rec.Client
		}
		an.run.host.Out.Publish(ev)
	}
}

// announceEnd publishes the end of an execution and lets the workfile show its output.
func (an *announcer) announceEnd(rec history.Record, ev api.Event) {
	live := an.run.LiveNode(rec.Node)
	if live != nil {
		an.run.host.File.Statuses().TouchOutput(live)
	}
	end := an.run.Nodes[rec.Node].Execution
	if end.Reason == "" && an.run.Sched.ItemsCommand(rec.Node) != "" {
		return // its sub-flow goes on
	}
	ev.Type, ev.SubFlow = api.NodeFinished, live != nil && live.SubFlow()
	ev.Execution, ev.Reason, ev.Message, ev.ExitCode = rec.Execution, end.Reason, end.Message, end.Exit()
	ev.Signal, ev.DurationMS = runstate.SignalName(end.Signal), new(clock.Milliseconds(end.StartedAt, end.EndedAt))
	ev.Engine, ev.PeakBytes = end.Engine(), rec.PeakBytes
	if end.Reason != "" {
		ev.Type = api.NodeFailed
	}
	if end.Reason == api.ReasonCancelled || end.Reason == api.ReasonTimeout {
		an.run.stopping.killed++
	}
	an.run.host.Out.Publish(ev)
}

// followUp collects work that has to wait until all effects of a record are in the state.
type followUp struct {
	cancel []executor.ID // executions to stop
	known  []executor.ID // executions that the scheduler requests and the executor already has
}

// enact carries out one effect, or adds it to todo.
func (r *Run) enact(c runstate.Change, todo *followUp) {
	switch c.Kind {
	case scheduler.NodeChanged:
		r.announcer.nodeChanged(c)
		r.pooling.withdrawPools(c.Effect)
	case scheduler.EdgeChanged:
		if e := r.LiveEdges[c.Edge]; e != nil {
			before := e.Mark
			r.host.File.Graph().SetMark(e, c.Mark)
			r.host.File.Statuses().TouchEdge(e)
			r.host.Marks.Changed(e, before)
		}
	case scheduler.NodesAdded:
		for i := c.Node; i < c.Node+c.Count; i++ {
			r.host.Nodes.Remember(r.Run, i)
		}
	case scheduler.Waiting:
		r.announcer.announceWait(c.Effect)
	case scheduler.Answered:
		r.answered(c.Effect)
	case scheduler.Timer:
		r.setTimer(c.At)
	case scheduler.Execute:
		if id := (executor.ID{Node: c.Node, Execution: c.Execution}); r.lookahead.has(id) {
			todo.known = append(todo.known, id)
		} else if !r.reuse.enqueue(id) {
			r.preparing.enqueue(id)
		}
	case scheduler.ListItems:
		r.tables.ask(c.Node)
	case scheduler.Cancel:
		todo.cancel = append(todo.cancel, executor.ID{Node: c.Node, Execution: c.Execution})
	}
}

// nodeChanged publishes the new status of a node. The end of an execution was published by announceEnd, with its exit code,
// so nodeChanged publishes only ends without an execution.
func (an *announcer) nodeChanged(c runstate.Change) {
	n := &an.run.Nodes[c.Node]
	if c.Replaced {
		an.run.host.Nodes.Latest[n.ID] = nodestate.Latest{Run: an.run.Number, Execution: n.Execution}
	}
	an.run.host.Nodes.ShowStatus(an.run.Run, c.Node, c.Status)
	if c.Template != nil {
		an.run.host.Nodes.ShowTemplate(an.run.Run, an.run.Sched.Template(c.Node), c.Template.Status)
	}
	if c.Prior {
		an.growth.recalled = true
		return
	}
	ef := c.Effect
	news := api.Event{Run: an.run.ID, Node: n.ID, Name: n.Name, Client: an.run.Request.Client, SubFlow: an.run.Sched.Members(ef.Node) > 0}
	switch ef.Status {
	case graph.Queued:
		news.Type, news.Time = api.NodeReady, an.run.Now // the executor may have started the job on its own since then
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
		news.Execution, news.Mocked, news.Handled = n.Execution.Number, ef.Mocked, an.run.Sched.Handled(ef.Node)
	case graph.Skipped:
		news.Type = api.NodeSkipped
	case graph.Running:
		if an.run.Sched.Members(ef.Node) == 0 {
			return // published when the executor reported it
		}
		news.Type = api.NodeStarted
	case graph.Ran:
		if !c.Unreported {
			return
		}
		news.Type, news.Mocked, news.Note = api.NodeFinished, ef.Mocked, an.run.Unmatched(ef.Node)
		if news.UpToDate = ef.UpToDate; ef.UpToDate {
			news.Message = ef.Message
		}
	default:
		return
	}
	an.run.host.Out.Publish(news)
}

// Abandon is Detach for a run whose state may be inconsistent after a panic. It does not write pending records, because one
// of them may have caused the panic. The executor repeats its reports to the next daemon.
func (r *Run) Abandon() {
	loop.Contain(r.host.Loop, "a question", func() (struct{}, error) { // the cause of the first panic may cause another one
		r.timer.Stop()
		r.reuse.stop()
		r.notices.stop()
		r.tick.Stop()
		if r.sess != nil {
			r.sess.Detach()
		}
		r.slotShare.leaveSlots()
		r.pooling.dropPools()
		return struct{}{}, nil
	})
}

// job returns the job of an execution with the given command line.
func (r *Run) job(i, execution int, line string) executor.Job {
	n := &r.Nodes[i]
	id := executor.ID{Node: i, Execution: execution}
	env := []string{"WF_NODE_ID=" + n.ID, "WF_NODE_NAME=" + n.Name, "WF_EXECUTION=" + history.RunID(execution),
		"WF_OUTPUT=" + runstate.OutputFile(r.Dir, id)}
	if v := r.traceParent(n.ID, execution); v != "" {
		env = append(env, v)
	}
	job := executor.Job{ID: id, Shell: r.Request.Shell, Command: line, Around: r.hooking.around(id), Merge: r.Merges(i),
		Idempotent: r.Sched.Idempotent(i), Engine: runstate.ExecutorOf(&r.State, i), Resources: executor.Resources(r.Sched.Resources(i))}
	s := runstate.SurroundingsOf(&r.State, i)
	if s == nil {
		job.Env = append(env, r.Sched.Environment(i)...)
		r.hideVariables(job.Env)
		return job
	}
	job.Env = append(append(env, r.variables.of(s)...), r.Sched.Environment(i)...)
	r.surround(&job, s)
	r.hideVariables(job.Env)
	return job
}

// growth is the number of nodes that was last published.
type growth struct {
	total    int  // as in RunStarted, or in the latest RunGrew
	kept     int  // how many of them a resume keeps
	starting bool // the first step is in progress: RunStarted reports its nodes
	recalled bool // instances of an earlier run were added since then
}

// publishGrowth publishes the number of nodes if it has changed.
func (an *announcer) publishGrowth() {
	if an.run.Flow == nil || an.growth.starting {
		return
	}
	total := an.run.Sched.Total()
	if total == an.growth.total && !an.growth.recalled {
		return
	}
	if an.growth.recalled {
		an.growth.recalled, an.growth.kept = false, an.run.CountAll().Kept
	}
	an.growth.total = total
	an.run.host.Out.Publish(api.Event{Type: api.RunGrew, Run: an.run.ID, Client: an.run.Request.Client, Nodes: total, Kept: an.growth.kept})
}

// answered records that the time limit of an approval has passed and the default answer applies.
func (r *Run) answered(ef scheduler.Effect) {
	r.commit(history.Record{Type: history.RecordAnswer, Time: r.Now, Node: ef.Node, ID: r.Nodes[ef.Node].ID, OK: ef.OK})
	r.host.Answered(r, r.Nodes[ef.Node].ID, ef.OK)
}

// systemUser returns the name of the user that the daemon runs as. The daemon accepts no connections of other users
// (docs/security.md).
var systemUser = sync.OnceValue(func() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
})

// inputRecord encodes inputs for the journal.
func inputRecord(in *api.Inputs) json.RawMessage {
	if in == nil {
		return nil
	}
	data, _ := json.Marshal(in) // strings and numbers always encode
	return data
}

// Host gives a run access to its workspace.
type Host struct {
	ID, Path   string // of the workspace
	State      string // the state folder
	Log        *slog.Logger
	Loop       *loop.Loop
	File       *workfile.File
	Nodes      *nodestate.Table
	Store      *history.Store
	Secrets    *secrets.Table
	Out        *watchers.Hub
	Marks      *watchers.Marks
	Executor   executor.Executor
	Slots      Slots
	Pools      Pools           // nil if there are no pools
	Nested     Nested          // nil if commands cannot start runs
	Notices    Notices         // nil if nobody is notified
	Values     runstate.Values // of wf kv; nil if there are none
	Memory     *uptodate.File
	RetryLater func()     // makes the workspace call Retry after HoldPause
	Found      func(*Run) // called when the executor of a recovered run was found, or is lost
	// Answered is called when the time for an approval is over, with the answer by default.
	Answered func(r *Run, node string, approved bool)

	HoldPause    time.Duration // time until a failed operation is repeated
	StopPatience time.Duration // time that a stop request waits for a result that cannot be written
}

// endNotes returns notes about a run that is over, such as a case that matches no edge.
func (en *ending) endNotes() []string {
	return slices.Concat(en.run.hooking.notes(), en.run.UnmatchedNotes(), en.run.reuse.notes, en.leftoverNotes())
}

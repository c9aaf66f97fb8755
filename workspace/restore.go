package workspace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// A run that an earlier daemon left going is taken up by folding its journal once more: the same
// events give the same decisions. Then its executor is followed again; it repeats what it has
// reported, and what the journal knows already is passed over.

// takeUp continues run n. One that cannot be continued is ended, and says why.
func (w *Workspace) takeUp(n int) {
	r, err := w.refold(n)
	if history.Fault(err) {
		w.cfg.Log.Warn("a run cannot be taken up yet", "run", n, "err", err)
		w.takeUpLater(n, err)
		return
	}
	if errors.Is(err, errUnbegun) {
		w.withdraw(n)
		return
	}
	if err != nil {
		w.cfg.Log.Error("a run cannot be taken up", "run", n, "err", err)
		w.giveUp(n, err)
		return
	}
	r.tried = true
	w.runs = append(w.runs, r)
	if r.state == preparing {
		r.state = going
		r.limitTime(w)
	}
	w.findExecutor(r)
}

// findExecutor follows the executor of a run that was taken up.
func (w *Workspace) findExecutor(r *run) {
	w.loop.Run(func() {
		sess, err := w.openExecutor(r, w.store.Dir(r.n), r.n, nil)
		w.send(followed{r, sess, err})
	})
}

// errUnbegun is about a run whose journal does not tell that it began, and in which no executor was
// either, whatever was prepared for one: a daemon has made it and died before it began it, and nobody
// knows of it.
var errUnbegun = errors.New("it had not begun")

// refold makes the run as it was from the frozen workfile and the journal.
func (w *Workspace) refold(n int) (*run, error) {
	r := &run{n: n, id: runID(n), dir: w.store.Dir(n), state: preparing, onEnd: map[executor.ID][]func(api.StopResult, error){}}
	var records []history.Record
	hist, req, err := w.store.Reopen(n, func(rec history.Record) error {
		records = append(records, rec)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 && !executor.Begun(w.store.Dir(n)) {
		return nil, errors.Join(errUnbegun, hist.Close())
	}
	r.hist, r.req, r.client = hist, req, req.Client
	if len(records) == 0 { // the disk has not got even the beginning, and the executor may have been far
		begin := history.Record{Time: req.Time, Type: history.RecordBegin, Node: history.NoNode, Client: req.Client}
		r.record(begin)
		records = append(records, begin)
	}
	g, err := w.thaw(n)
	if err == nil {
		err = r.reschedule(g)
	}
	if err != nil {
		return nil, errors.Join(err, hist.Close())
	}
	r.accepted, r.untold = func(error) {}, true
	w.relive(r, g, records)
	return r, nil
}

// reschedule makes the scheduler of a run again, on the graph that it began with.
func (r *run) reschedule(g *graph.Graph) error {
	scope := scheduler.Scope{Mode: scheduler.Fresh, All: r.req.All}
	if r.req.Mode == api.ModeResume {
		scope.Mode = scheduler.Resume
	}
	for _, id := range r.req.Scope {
		node := g.Node(id)
		if node == nil {
			return fmt.Errorf("the frozen workfile has no node %q", id)
		}
		scope.Nodes = append(scope.Nodes, node)
	}
	f, _ := flow.Read(g) // what is wrong with it was found when the run began
	var env []string
	var err error
	if !f.Plain() && r.dir != "" {
		if r.past, err = readPast(filepath.Join(r.dir, pastFile)); err != nil {
			return err
		}
		env, _ = executor.Environment(r.dir) // of a run that is over nothing is left
	}
	opt, err := runOptions(r.req, f, r.past, env)
	if err != nil {
		return err
	}
	r.flow = opt.Flow
	r.sched, err = scheduler.NewRun(g, scope, opt)
	return err
}

// relive folds the records into the run and brings the graph to where they end. frozen is the graph
// that the run began with: its commands count, whatever the file says by now.
func (w *Workspace) relive(r *run, frozen *graph.Graph, records []history.Record) {
	r.freezeTemplates(frozen)
	r.nodes = make([]runNode, r.sched.NodeCount())
	for i, id := range r.req.Scope {
		w.last[id] = memory{run: r.n, rec: w.last[id].rec}
		if i < len(r.nodes) {
			r.nodes[i] = runNode{id: id, name: r.req.Names[i], label: frozen.Node(id).Label, output: frozen.Node(id).Output(), node: w.file.Graph().Node(id)}
		}
	}
	r.link(w)
	r.folding = true
	defer func() { r.folding = false }()
	for _, rec := range records {
		r.refoldRecord(w, rec)
	}
	r.join(w)
	for range r.running { // they hold slots, whether there are any or not
		r.member.Claim()
	}
	r.slots, r.ceiling = r.running, math.MaxInt // what it was told by an earlier daemon is not known
	r.reclaimPools(w)
	r.toldTotal = r.sched.Total()
}

// refoldRecord is the counterpart of all calls of record. w is nil for a run that is only looked at:
// then it has neither live nodes nor edges.
func (r *run) refoldRecord(w *Workspace, rec history.Record) {
	id, at := executor.ID{Node: rec.Node, Execution: rec.Execution}, rec.Time.UnixNano()
	if rec.Clocks != nil {
		r.read = rec
	}
	switch rec.Type {
	case history.RecordClock:
		if rec.Clocks != nil {
			r.moveTimes(time.Duration(rec.Clocks.ByNS))
			r.fold(w, scheduler.Event{Kind: scheduler.ClockSet, At: at, By: rec.Clocks.ByNS})
		}
	case history.RecordBegin:
		r.fold(w, scheduler.Event{Kind: scheduler.Start, At: at})
	case history.RecordDispatch:
		r.executes(w, id, rec.Command, readInputs(rec.Inputs))
		r.dequeue(id)
		r.inflight++
		r.look = true
		r.fold(w, r.dispatchEvent(id, rec.Time))
	case history.RecordStart:
		n := r.nodes[rec.Node].rec
		r.begun(w, rec.Node)
		n.pid, n.lastPID, n.started = rec.PID, rec.PID, rec.Time
		n.out, n.err = executorRange(rec.Out), executorRange(rec.Err)
		r.fold(w, scheduler.Event{Kind: scheduler.Started, Node: rec.Node, At: at})
	case history.RecordWithdraw:
		r.withdraw(w, rec.Node)
		r.inflight--
		r.fold(w, scheduler.Event{Kind: scheduler.Withdrawn, Node: rec.Node, Execution: rec.Execution, At: at})
	case history.RecordEnd:
		n := r.nodes[rec.Node].rec
		n.recall(history.Execution{Number: rec.Execution, PID: n.lastPID, Command: n.command, Started: n.started,
			Ended: rec.Time, Over: true, OK: rec.OK, Reason: rec.Reason, ExitCode: rec.ExitCode, Signal: rec.Signal,
			Message: rec.Message, Out: rec.Out, Err: rec.Err})
		n.live, n.pid = false, 0
		r.inflight--
		if n.begun {
			r.running--
		}
		if node := r.nodes[rec.Node].node; node != nil {
			w.file.Statuses().TouchOutput(node)
		}
		ev := finished(rec)
		n.outputs = ev.Outputs
		r.fold(w, ev)
	case history.RecordCancel:
		r.fold(w, scheduler.Event{Kind: scheduler.CancelNode, Node: rec.Node, At: at})
	case history.RecordStop:
		r.cause, r.wasStopped, r.state = rec.Cause, true, stopping
		r.fold(w, scheduler.Event{Kind: scheduler.Stop, At: at})
	case history.RecordTick:
		r.fold(w, scheduler.Event{Kind: scheduler.Tick, At: at})
	case history.RecordDecide:
		if rec.Key != "" && w != nil {
			r.rememberDecision(rec.Key, r.approval(rec.Node))
		}
		values, _ := decodeValues(rec.Outputs)
		r.noteDecision(rec.Node, decisionOf(rec))
		r.fold(w, decided(rec, values))
	case history.RecordAnswer:
		r.noteDecision(rec.Node, decisionOf(rec))
	}
}

// fold takes a step that was taken before: decisions count, deeds are done.
func (r *run) fold(w *Workspace, ev scheduler.Event) {
	r.sinceNow = time.Unix(0, ev.At).UTC()
	for _, ef := range r.sched.Step(ev) {
		switch ef.Kind {
		case scheduler.NodeChanged:
			if !ef.Prior {
				r.remark(w, ev, ef)
			}
			r.publishStatus(w, &r.nodes[ef.Node], ef)
		case scheduler.NodesAdded:
			r.grew(w, ef)
		case scheduler.Waiting:
			r.waits(w, ef)
		case scheduler.EdgeChanged:
			if e := r.edges[ef.Edge]; e != nil {
				w.file.Graph().SetMark(e, ef.Mark)
				w.file.Statuses().TouchEdge(e)
			}
		case scheduler.Execute:
			r.queue = append(r.queue, executor.ID{Node: ef.Node, Execution: ef.Execution})
		case scheduler.Ended:
			r.result, r.state = ef.Result, ended
		}
	}
}

func (r *run) dequeue(id executor.ID) {
	for i := r.head; i < len(r.queue); i++ {
		if r.queue[i] == id {
			copy(r.queue[r.head+1:i+1], r.queue[r.head:i])
			r.head++
			return
		}
	}
}

// followed comes back when the executor of a run that was taken up is found again, or not.
type followed struct {
	r    *run
	sess executor.Session
	err  error
}

func (m followed) handle(w *Workspace) {
	r := m.r
	if history.Fault(m.err) {
		r.hold(w, &r.holds.executor, "its executor cannot be followed: "+m.err.Error())
		r.unfound = true
		w.holdTimer.Reset(holdPause)
		return
	}
	r.hold(w, &r.holds.executor, "")
	if m.err != nil {
		w.cfg.Log.Error("the executor of a run is gone", "run", r.id, "err", m.err)
		r.sess, r.heard = goneSession{}, true
		r.lose(w, executor.Report{Message: m.err.Error()})
		return
	}
	r.sess = m.sess
	w.heed(r)
	r.catchUp(w)
	for _, say := range r.unsaid {
		say()
	}
	r.unsaid = nil
	if r.state == stopping {
		r.sess.Stop(r.live(), r.grace())
	}
	r.stopExpired()
	r.requeue(w)
	r.resubmit()
	r.setTimer(w, r.sched.NextTick())
	w.tellCaller(r)
}

// goneSession stands for an executor that could not be found again.
type goneSession struct{}

func (goneSession) Start([]executor.Job) error           { return errors.New("the executor is gone") }
func (goneSession) Gates() bool                          { return false }
func (goneSession) SetWidth(int)                         {}
func (goneSession) Stop([]executor.ID, time.Duration)    {}
func (goneSession) Close(context.Context) ([]int, error) { return nil, nil }
func (goneSession) Retry()                               {}
func (goneSession) Detach()                              {}

// resubmit hands over once more what was dispatched but has not been reported started: the
// executor ignores what it knows.
func (r *run) resubmit() {
	var jobs []executor.Job
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.rec != nil && n.rec.live && !n.rec.begun {
			jobs = append(jobs, r.job(i, n.rec.executions, n.rec.command))
		}
	}
	if len(jobs) > 0 {
		_ = r.sess.Start(jobs) // a session that is lost says so in a report
	}
}

// giveUp ends the record of a run that cannot be continued.
func (w *Workspace) giveUp(n int, why error) {
	end := now()
	res := history.Result{Result: string(api.ResFailed), Ended: end, Problem: "it could not be taken up after a restart: " + why.Error()}
	if past, err := w.store.Load(n); err == nil {
		res.Started, res.DurationMS = past.Request.Time, took(past.Request.Time, end)
	}
	if err := w.store.Settle(n, res); err != nil {
		w.cfg.Log.Error("a run cannot be settled", "run", n, "err", err)
	}
	if w.latest == nil {
		w.latest = w.past(n)
	}
	if !w.store.Bare(n, pastFile, workfile.StatusesName) {
		w.endExecutor(n)
	}
}

// endExecutor ends what may still be going of a run that is given up: its runner and its commands
// would stay for ever. What keeps this from being done is done by Tidy.
func (w *Workspace) endExecutor(n int) {
	w.loop.Run(func() {
		sess, err := w.cfg.Executor.Open(context.Background(), executor.Spec{
			Dir: w.store.Dir(n), Cwd: "/", Report: func([]executor.Report) {},
		})
		if err != nil {
			w.cfg.Log.Warn("the executor of a run that was given up is not there", "run", n, "err", err)
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer context.AfterFunc(ctx, sess.Detach)()
		w.loop.Run(func() {
			select {
			case <-w.loop.Ending():
				cancel()
			case <-ctx.Done():
			}
		})
		if survivors, err := sess.Close(ctx); err != nil || len(survivors) > 0 {
			w.cfg.Log.Warn("a run that was given up did not end in order", "run", n, "survivors", survivors, "err", err)
		}
	})
}

// stopExpired asks once more for the end of what was asked to end because its time was up.
func (r *run) stopExpired() {
	var late []executor.ID
	for i := range r.nodes {
		if rec := r.nodes[i].rec; rec != nil && rec.live && r.sched.Expired(i) {
			late = append(late, executor.ID{Node: i, Execution: rec.executions})
		}
	}
	if len(late) > 0 {
		r.sess.Stop(late, r.grace())
	}
}

package workspace

import (
	"fmt"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/history"
)

// run is one active run: the scheduler's decisions, the executor's session, the journal.
// It belongs to the loop.
type run struct {
	n       int
	id      string
	dir     string // its folder
	client  string
	req     history.Request // its Params hide secrets
	secrets []string        // variables with the secret parameters, until the executor has them
	sched   *scheduler.Run
	hist    *history.Run
	sess    executor.Session
	state   runState

	nodes []runNode
	edges []*graph.Edge // live edge of each run-local edge; nil when it was deleted meanwhile

	// What the executor told of executions that nobody has asked for yet: after a crash of the machine
	// its record may know more than the journal, and what it has ahead it starts by itself.
	early map[executor.ID][]executor.Report

	queue    []executor.ID // activated, to be handed over; from head on
	head     int
	inflight int // handed to the executor and not ended
	running  int // of these, how many have been reported started
	pace     pace
	ahead
	halt *halt // nil unless a stop is on its way to the scheduler
	share

	result      scheduler.Result
	cause       string         // of a stop
	wasStopped  bool           // somebody asked for the end of the run
	over        bool           // it is looked at from later: nothing of it goes on
	broken      string         // the executor was lost
	read        history.Record // the latest with a reading of the clocks that an earlier daemon made, until catchUp
	unrecorded  string         // what of the run is not in its history
	killed      int
	survivors   []int
	timer       *time.Timer    // of the run's timeout
	cancelGrace *time.Duration // of the node that is being stopped

	// Steps of the end, in this order, but for closed and saved, which do not wait for each other.
	sweeping, closed, saved, completing bool
	endedAt                             time.Time

	control // of a run with a control flow of its own
	pools   pooling
	holds   holds
	nesting
	unfound  bool           // taken up, and its executor could not be asked yet
	unsaid   []func()       // what its executor is to be told when it has been found
	tried    bool           // it was taken up in a trial, which is over when
	heard    bool           // its executor has told its news, or has none
	unhanded []executor.Job // taken, but the journal could not be written: they are handed over when it is
	recalled []executor.ID  // of those, which were stopped meanwhile

	accepted  func(error)             // answers the request that began it
	requests  map[string]api.Approval // the decisions that requests with keys have made; nil for none
	stopEarly *api.StopRequest        // came before the run could begin
	begunFrom string                  // the file with which it waited in line; "" = it did not
	waitsAt   map[string]api.State    // see templateWaits; nil = not looked at since the last step
	remained  []history.Leftover      // what executions had left behind, some of as many as leftovers
	leftovers int
	onStop    []func(api.StopResult, error)
	stopAsked time.Time                                     // the latest of them
	waited    bool                                          // somebody looks after them, see answerInTime
	onEnd     map[executor.ID][]func(api.StopResult, error) // for wf stop --node
}

type runState uint8

const (
	preparing runState = iota // has no number and no executor yet; one that is taken up is going
	going
	stopping // no execution starts any more
	ended    // the scheduler has said so; executor and files are being closed
	complete // everything is closed and saved
)

// runNode is a node as it was when the run began.
type runNode struct {
	id, name, label string       // of a node of an instance id and name are its path
	node            *graph.Node  // live node; nil when it was deleted meanwhile, and in instances
	rec             *nodeRecord  // nil while this run has neither executed nor failed it
	shown           graph.Status // of a node of an instance: what its template counts it as
	output          graph.Output // what the node itself says about its output
}

// begin takes the first step: statuses reset, start nodes activated.
func (r *run) begin(w *Workspace) {
	for i := range r.nodes {
		w.last[r.nodes[i].id] = memory{run: r.n, rec: w.last[r.nodes[i].id].rec}
	}
	told := len(w.out.pending)
	w.publish(api.Event{Type: api.RunStarted, Run: r.id, Client: r.client, Workfile: w.path, Mode: r.req.Mode,
		Resumes: runID(r.req.Resumes), Nodes: r.sched.Total(), Jobs: r.req.Jobs, NoLimit: r.req.NoLimit})
	at := now()
	r.record(history.Record{Type: history.RecordBegin, Time: at, Node: history.NoNode, Client: r.client, Clocks: clocksNow(0)})
	r.beginning = true
	r.step(w, scheduler.Event{Kind: scheduler.Start, At: at.UnixNano()})
	r.beginning = false
	r.toldTotal, r.toldKept, r.recalledSome = r.sched.Total(), 0, false
	if r.flow != nil && r.sched.Mode() == scheduler.Resume {
		r.toldKept = r.countAll().Kept
	}
	w.out.begun(told, r.id, r.toldTotal, r.toldKept)
	r.limitTime(w)
}

// limitTime stops the run when its time is up, counted from its beginning, which another daemon may
// have seen.
func (r *run) limitTime(w *Workspace) {
	if r.req.TimeoutMS == 0 {
		return
	}
	left := time.Duration(r.req.TimeoutMS)*time.Millisecond - (now().Sub(r.req.Time) - r.setSince())
	r.timer = time.AfterFunc(max(left, 0), func() {
		w.send(call(func(w *Workspace) { w.stop(r, api.StopRequest{Cause: "timeout"}, "", nil) }))
	})
}

// step lets the scheduler decide and does what it says. It is the only caller of Step.
func (r *run) step(w *Workspace, ev scheduler.Event) {
	var cancel, known []executor.ID
	r.sinceNow, r.waitsAt = time.Unix(0, ev.At).UTC(), nil
	for _, ef := range r.sched.Step(ev) {
		switch ef.Kind {
		case scheduler.NodeChanged:
			r.nodeChanged(w, ev, ef)
			r.withdrawPools(w, ef)
		case scheduler.EdgeChanged:
			if e := r.edges[ef.Edge]; e != nil {
				before := e.Mark
				w.file.Graph().SetMark(e, ef.Mark)
				w.file.Statuses().TouchEdge(e)
				w.marked(e, before)
			}
		case scheduler.NodesAdded:
			r.grew(w, ef)
		case scheduler.Waiting:
			r.waits(w, ef)
		case scheduler.Answered:
			r.answered(w, ef)
		case scheduler.Timer:
			r.setTimer(w, ef.At)
		case scheduler.Execute:
			if id := (executor.ID{Node: ef.Node, Execution: ef.Execution}); r.has(id) {
				known = append(known, id)
			} else {
				r.enqueue(w, id)
			}
		case scheduler.Cancel:
			cancel = append(cancel, executor.ID{Node: ef.Node, Execution: ef.Execution})
		case scheduler.Ended:
			r.result, r.state = ef.Result, ended
		}
	}
	if cancel = r.recallUnhanded(cancel); len(cancel) > 0 {
		grace := r.grace()
		if r.cancelGrace != nil {
			grace = *r.cancelGrace
		}
		r.stopThere(cancel, grace)
	}
	if ev.Kind == scheduler.Finished || ev.Kind == scheduler.Withdrawn {
		r.takeBackBehind(ev)
	}
	r.grown(w)
	for _, id := range known {
		r.overtaken(w, id)
	}
}

func (r *run) grace() time.Duration { return time.Duration(r.req.GraceMS) * time.Millisecond }

// nodeChanged publishes a new status. What a finished execution led to is told by finish, which
// knows the exit code; failures that no execution caused are told here.
func (r *run) nodeChanged(w *Workspace, ev scheduler.Event, ef scheduler.Effect) {
	n := &r.nodes[ef.Node]
	if ef.Prior {
		r.recalledSome = true
		r.publishStatus(w, n, ef)
		return
	}
	told := !r.remark(w, ev, ef)
	r.publishStatus(w, n, ef)
	news := api.Event{Run: r.id, Node: n.id, Name: n.name, Client: r.client, SubFlow: r.sched.Members(ef.Node) > 0}
	switch ef.Status {
	case graph.Queued:
		news.Type, news.Time = api.NodeReady, r.sinceNow // it may have started since: the executor goes on by itself
	case graph.Idle:
		news.Type = api.NodeReset
	case graph.Failed:
		if told {
			return
		}
		news.Type, news.Reason, news.Message = api.NodeFailed, n.rec.reason, n.rec.message
		if ef.Mocked {
			news.ExitCode = n.rec.exit()
		}
		news.Execution, news.Mocked, news.Handled = n.rec.executions, ef.Mocked, r.sched.Handled(ef.Node)
	case graph.Skipped:
		news.Type = api.NodeSkipped
	case graph.Running:
		if r.sched.Members(ef.Node) == 0 {
			return // told by the executor's report
		}
		news.Type = api.NodeStarted
	case graph.Ran:
		if told {
			return
		}
		news.Type, news.Mocked, news.Note = api.NodeFinished, ef.Mocked, r.unmatched(ef.Node)
	default:
		return
	}
	w.publish(news)
}

// remark notes in a node's record what its new status is. It returns true for a failure that no
// execution caused, and which nobody has been told of.
func (r *run) remark(w *Workspace, ev scheduler.Event, ef scheduler.Effect) bool {
	n := &r.nodes[ef.Node]
	if ef.Status == graph.Running && r.sched.Members(ef.Node) > 0 && (n.rec == nil || !n.rec.live) {
		r.newRecord(w, n, nodeRecord{run: r.n, status: ef.Status, started: r.sinceNow})
		return false
	}
	over := ef.Status == graph.Failed || ef.Status == graph.Ran && (ef.Mocked || r.sched.Members(ef.Node) > 0)
	byExecution := ev.Kind == scheduler.Finished && ev.Node == ef.Node && ef.Reason == ev.Reason
	if !over || byExecution {
		if n.rec != nil {
			n.rec.status, n.rec.handled = ef.Status, r.sched.Handled(ef.Node)
		}
		return false
	}
	if n.rec == nil || n.rec.run != r.n {
		r.newRecord(w, n, nodeRecord{run: r.n})
	}
	n.rec.status, n.rec.reason, n.rec.message = ef.Status, api.Reason(ef.Reason), r.failureText(ef)
	n.rec.mocked, n.rec.handled = ef.Mocked, r.sched.Handled(ef.Node)
	if n.rec.executions == 0 || ef.Mocked || r.sched.Members(ef.Node) > 0 { // nothing else has told when it was over, and how
		n.rec.ended, n.rec.exitCode = r.sinceNow, r.sched.Exit(ef.Node)
		if n.rec.started.IsZero() {
			n.rec.started = n.rec.ended
		}
	}
	return true
}

// newRecord gives a node a new record. w is nil for a run that is only looked at.
func (r *run) newRecord(w *Workspace, n *runNode, rec nodeRecord) {
	n.rec = &rec
	if w != nil {
		w.last[n.id] = memory{run: r.n, rec: n.rec}
	}
}

// failureText explains a failure without an execution.
func (r *run) failureText(ef scheduler.Effect) string {
	if ef.Reason != scheduler.ReasonLimit || ef.Message != "" {
		return ef.Message
	}
	text := "activation limit reached"
	if loop := r.sched.LoopOf(ef.Node); len(loop) > 0 {
		names := make([]string, len(loop))
		for i, j := range loop {
			names[i] = r.nodes[j].name
		}
		text += " in the loop of " + some(names, 8)
	}
	return text + fmt.Sprintf(" (max_activations of the graph: %d)", r.sched.MaxActivations())
}

// link finds the live nodes and edges of the run after the graph was read anew or edited.
func (r *run) link(w *Workspace) {
	for i := range r.nodes[:r.outer()] {
		r.nodes[i].node = w.file.Graph().Node(r.nodes[i].id)
	}
	for id, t := range r.templates {
		t.node = w.file.Graph().Node(id)
	}
	r.edges = make([]*graph.Edge, r.sched.EdgeCount())
	used := map[[2]int]int{} // how many edges between two nodes were linked
	for j := range r.edges {
		s, t := r.sched.EdgeEnds(j)
		src, dst := r.nodes[s].node, r.nodes[t].node
		if src == nil || dst == nil {
			continue
		}
		if e := w.file.Graph().Edge(r.sched.EdgeKey(j)); e != nil && e.Source == src && e.Target == dst {
			r.edges[j] = e // the usual case: nothing has changed
			continue
		}
		between := w.file.Graph().EdgesBetween(src, dst)
		if k := used[[2]int{s, t}]; k < len(between) {
			r.edges[j] = between[k]
			used[[2]int{s, t}]++
		}
	}
}

// record appends to the journal; it is written when the loop settles.
func (r *run) record(rec history.Record) {
	if rec.Time.IsZero() {
		rec.Time = now()
	}
	if err := r.hist.Append(rec); err != nil {
		panic("internal error: a record for the journal: " + err.Error())
	}
}

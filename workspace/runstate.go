package workspace

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/graphml"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/history"
)

// runState is what a run has come to, as its journal tells it. Only records of the journal change it: note takes what
// a record reports, step what the scheduler makes of it, and apply does both. An active run appends each record and
// takes it. A later daemon, wf why and wf runs show apply the same records again and come to the same state. It has no clock, writes no file, starts no process and
// knows neither the open workfile nor its watchers.
type runState struct {
	n      int
	id     string
	dir    string // folder of the run; "" when its files are gone
	client string
	req    history.Request // Params hide secrets

	sched *scheduler.Run
	flow  *flow.Flow // nil for a plain run
	past  scheduler.Prior
	nodes []runNode
	// templates are the nodes of the workfile of which the run executes instances, by id.
	templates map[string]*template

	phase      phase
	result     scheduler.Result
	cause      string // of a stop
	wasStopped bool   // the run was asked to stop

	inflight int // executions handed to the executor that have not ended
	running  int // of these, how many have been reported started

	at        time.Time                  // of the record that was applied last
	since     map[int]time.Time          // waiting nodes → since when
	decisions map[int][]api.DecisionMade // about nodes, in order
	requests  map[string]api.Approval    // decisions that came with a request key, by that key
	clock     history.Record             // the latest record with a reading of the clocks; zero for none
	numbered  bool                       // instances have got numbers since it was reset

	words   knownItems
	waitsAt map[string]api.State // cache of templateWaits; nil = stale

	// earlier returns the record that an earlier run left of a node, or nil. It is nil for a run that is replayed for
	// a question.
	earlier func(id string) *nodeRecord
	// active answers what only an active run can tell; nil for others.
	active liveRun
	over   bool // nothing can follow the records that were applied: the run is read from the history
}

// liveRun is what the explanation of an active run needs beyond its state.
type liveRun interface {
	heldBy() string              // why nothing of the run starts at present; "" if it may
	shortageNow() *api.Shortage  // nil unless executions lack slots
	poolWait(node int) *api.Wait // nil unless a node waits for units of a pool
}

// runNode is a node as it was when the run began.
type runNode struct {
	id, name, label string       // of a node of an instance id and name are its path
	rec             *nodeRecord  // nil while this run has neither executed nor failed it
	earlier         *nodeRecord  // the record of an earlier run, after the first execution of this one was withdrawn
	shown           graph.Status // of a node of an instance: what its template counts it as
	output          graph.Output // the node's own attribute
}

// A template is a node of the workfile of which a run executes instances.
type template struct {
	label  string
	output graph.Output
	counts [graph.Statuses]int
	status graph.Status // that the workfile shows for all instances together
}

// A change is an effect of a record together with what apply made of it.
type change struct {
	scheduler.Effect
	event    scheduler.Event // that caused it
	replaced bool            // the node has got a new record
	// unreported is set for the end of a node that no execution reports: a failure without one, a mock, a sub-flow.
	unreported bool
	template   *template // whose status has changed; nil for none
}

// apply changes the state by one record.
func (r *runState) apply(rec history.Record) {
	if ev, decides := r.note(rec); decides {
		r.step(ev, nil)
	}
}

// step lets the scheduler decide about an event and takes its effects into the state. It calls do, unless that is nil,
// after each of them, in order.
func (r *runState) step(ev scheduler.Event, do func(change)) {
	for _, ef := range r.sched.Step(ev) {
		c := r.effect(ev, ef)
		if do != nil {
			do(c)
		}
	}
}

// note takes what a record itself reports and returns the event that it stands for. decides is false for a record that
// the scheduler does not hear of.
func (r *runState) note(rec history.Record) (ev scheduler.Event, decides bool) {
	r.at, r.waitsAt = rec.Time.UTC(), nil
	if rec.Clocks != nil {
		r.clock = rec
	}
	ev, decides = r.noteRecord(rec)
	ev.At = rec.Time.UnixNano()
	return ev, decides
}

func (r *runState) noteRecord(rec history.Record) (ev scheduler.Event, decides bool) {
	ev = scheduler.Event{Node: rec.Node, Execution: rec.Execution}
	switch rec.Type {
	case history.RecordBegin:
		return scheduler.Event{Kind: scheduler.Start}, true
	case history.RecordDispatch:
		ev.Kind = r.applyDispatch(rec)
	case history.RecordStart:
		r.applyStart(rec)
		ev.Kind = scheduler.Started
	case history.RecordWithdraw:
		r.applyWithdraw(rec)
		ev.Kind = scheduler.Withdrawn
	case history.RecordEnd:
		ev = finished(rec)
		r.applyEnd(rec, ev)
	case history.RecordCancel:
		ev.Kind = scheduler.CancelNode
	case history.RecordStop:
		r.cause, r.wasStopped, r.phase = rec.Cause, true, max(r.phase, stopping)
		return scheduler.Event{Kind: scheduler.Stop}, true
	case history.RecordTick:
		return scheduler.Event{Kind: scheduler.Tick}, true
	case history.RecordClock:
		if rec.Clocks == nil {
			return ev, false
		}
		r.moveTimes(time.Duration(rec.Clocks.ByNS))
		return scheduler.Event{Kind: scheduler.ClockSet, By: rec.Clocks.ByNS}, true
	case history.RecordDecide:
		if rec.Key != "" {
			r.rememberDecision(rec.Key, r.approval(rec.Node))
		}
		r.noteDecision(rec.Node, decisionOf(rec))
		values, _ := decodeValues(rec.Outputs) // written by decide
		return decided(rec, values), true
	case history.RecordAnswer: // what a tick has decided, for people
		r.noteDecision(rec.Node, decisionOf(rec))
		return ev, false
	default:
		return ev, false
	}
	return ev, true
}

// applyDispatch begins the record of an execution. An execution that the scheduler has not asked for was handed to the
// executor by an earlier daemon: it strayed.
func (r *runState) applyDispatch(rec history.Record) scheduler.EventKind {
	n := &r.nodes[rec.Node]
	before := n.rec
	if before == nil && r.earlier != nil {
		before = r.earlier(n.id)
	}
	n.rec = &nodeRecord{run: r.n, executions: rec.Execution, live: true, command: rec.Command, inputs: readInputs(rec.Inputs), before: before}
	r.inflight++
	if r.sched.Wants(rec.Node, rec.Execution) {
		return scheduler.Dispatched
	}
	return scheduler.Unrequested
}

func (r *runState) applyStart(rec history.Record) {
	n := r.nodes[rec.Node].rec
	n.before = nil // outputs of the execution before are not asked for any more
	if !n.begun {
		n.begun = true
		r.running++
	}
	n.pid, n.lastPID, n.started = rec.PID, rec.PID, rec.Time.UTC()
	n.out, n.err = executorRange(rec.Out), executorRange(rec.Err)
}

// applyWithdraw forgets an execution that the executor has given back before it began.
func (r *runState) applyWithdraw(rec history.Record) {
	n := &r.nodes[rec.Node]
	before := n.rec.before
	n.rec, n.earlier = nil, nil
	switch {
	case before == nil:
	case before.run == r.n:
		n.rec = before
	default:
		n.earlier = before
	}
	r.inflight--
}

// applyEnd notes how an execution ended. ev is the event of the record.
func (r *runState) applyEnd(rec history.Record, ev scheduler.Event) {
	n := r.nodes[rec.Node].rec
	n.recall(history.Execution{Number: rec.Execution, PID: n.lastPID, Command: n.command, Started: n.started,
		Ended: rec.Time.UTC(), Over: true, OK: rec.OK, Reason: rec.Reason, ExitCode: rec.ExitCode, Signal: rec.Signal,
		Message: rec.Message, Out: rec.Out, Err: rec.Err})
	n.live, n.pid, n.outputs = false, 0, ev.Outputs
	r.inflight--
	if n.begun {
		r.running--
	}
}

// effect takes an effect of the scheduler into the state.
func (r *runState) effect(ev scheduler.Event, ef scheduler.Effect) change {
	c := change{Effect: ef, event: ev}
	switch ef.Kind {
	case scheduler.NodeChanged:
		if !ef.Prior {
			c.replaced, c.unreported = r.remark(ev, ef)
		}
		c.template = r.countTemplate(ef)
	case scheduler.NodesAdded:
		r.grow(ef)
	case scheduler.Waiting:
		r.noteWait(ef)
	case scheduler.Ended:
		r.result, r.phase = ef.Result, ended
	}
	return c
}

// remark notes in a node's record what its new status is. unreported is true for an end that no execution reports.
func (r *runState) remark(ev scheduler.Event, ef scheduler.Effect) (replaced, unreported bool) {
	n := &r.nodes[ef.Node]
	if ef.Status == graph.Running && r.sched.Members(ef.Node) > 0 && (n.rec == nil || !n.rec.live) {
		n.rec = &nodeRecord{run: r.n, status: ef.Status, started: r.at}
		return true, false
	}
	over := ef.Status == graph.Failed || ef.Status == graph.Ran && (ef.Mocked || r.sched.Members(ef.Node) > 0)
	byExecution := ev.Kind == scheduler.Finished && ev.Node == ef.Node && ef.Reason == ev.Reason
	if !over || byExecution {
		if n.rec != nil {
			n.rec.status, n.rec.handled = ef.Status, r.sched.Handled(ef.Node)
		}
		return false, false
	}
	if n.rec == nil {
		n.rec, replaced = &nodeRecord{run: r.n}, true
	}
	n.rec.status, n.rec.reason, n.rec.message = ef.Status, api.Reason(ef.Reason), r.failureText(ef)
	n.rec.mocked, n.rec.handled = ef.Mocked, r.sched.Handled(ef.Node)
	if n.rec.executions == 0 || ef.Mocked || r.sched.Members(ef.Node) > 0 { // no execution has told when it was over, and how
		n.rec.ended, n.rec.exitCode = r.at, r.sched.Exit(ef.Node)
		if n.rec.started.IsZero() {
			n.rec.started = n.rec.ended
		}
	}
	return replaced, true
}

// failureText explains a failure without an execution.
func (r *runState) failureText(ef scheduler.Effect) string {
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

// countTemplate counts a node of an instance under its template. It returns the template if that shows another status
// now, else nil.
func (r *runState) countTemplate(ef scheduler.Effect) *template {
	if r.templates == nil || ef.Node < r.outer() {
		return nil
	}
	n, t, shown := &r.nodes[ef.Node], r.templates[r.sched.Template(ef.Node)], ef.Status
	if shown == graph.Failed && r.sched.Handled(ef.Node) {
		shown = graph.Ran // a resume has nothing to do here, so the workfile must not ask for one
	}
	t.counts[n.shown]--
	t.counts[shown]++
	n.shown = shown
	sum := t.sum()
	if sum == t.status {
		return nil
	}
	t.status = sum
	return t
}

// sum is the status that stands for those of all instances: the most urgent one.
func (t *template) sum() graph.Status {
	for _, s := range [...]graph.Status{graph.Running, graph.Queued, graph.Failed, graph.Ran, graph.Skipped} {
		if t.counts[s] > 0 {
			return s
		}
	}
	return graph.Idle
}

// grow makes room for the nodes of an instance.
func (r *runState) grow(ef scheduler.Effect) {
	r.numbered = true
	for i := ef.Node; i < ef.Node+ef.Count; i++ {
		path := r.sched.Path(i)
		n := runNode{id: path, name: r.shownName(i, path)}
		if t := r.templates[r.sched.Template(i)]; t != nil {
			n.label, n.output = t.label, t.output
			t.counts[graph.Idle]++
		}
		r.nodes = append(r.nodes, n)
	}
}

func (r *runState) noteWait(ef scheduler.Effect) {
	if ef.Wait == scheduler.WaitNone {
		delete(r.since, ef.Node)
		return
	}
	if r.since == nil {
		r.since = map[int]time.Time{}
	}
	r.since[ef.Node] = r.at
}

// outer is how many nodes are of the outer flow: those that are nodes of the workfile.
func (r *runState) outer() int {
	if r.req.Outer > 0 {
		return r.req.Outer
	}
	return len(r.req.Scope)
}

// freezeNodes copies the nodes of the run, so that later edits of the workfile do not reach it. g is the graph that the
// run began with.
func (r *runState) freezeNodes(g *graph.Graph) {
	r.nodes = make([]runNode, r.sched.NodeCount())
	for i := range r.nodes {
		n := g.Node(r.req.Scope[i])
		r.nodes[i] = runNode{id: n.ID, name: r.req.Names[i], label: n.Label, output: n.Output()}
	}
	inner := r.req.Scope[r.outer():]
	if len(inner) == 0 {
		return
	}
	r.templates = make(map[string]*template, len(inner))
	for _, id := range inner {
		r.templates[id] = &template{label: g.Node(id).Label, output: g.Node(id).Output()}
	}
}

// reschedule makes the scheduler of a run again, on the graph that it began with.
func (r *runState) reschedule(g *graph.Graph) error {
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
		env, _ = executor.Environment(r.dir) // removed when the run is over
	}
	opt, err := runOptions(r.req, f, r.past, env)
	if err != nil {
		return err
	}
	r.flow = opt.Flow
	r.sched, err = scheduler.NewRun(g, scope, opt)
	return err
}

// A replay is a run of the history, made again from its records.
type replay struct {
	*runState
	graph   *graph.Graph // that the run began with
	records []history.Record
}

// openReplay reads run n as it was when it began, and its records, which are not applied yet. It is safe to call from
// any goroutine.
func openReplay(store *history.Store, n int) (replay, error) {
	r := &runState{n: n, id: runID(n), dir: store.Dir(n), phase: going, over: true}
	g, err := thaw(store, n)
	if err != nil {
		return replay{}, err
	}
	var records []history.Record
	r.req, err = store.Replay(n, func(rec history.Record) error { records = append(records, rec); return nil })
	if err != nil {
		return replay{}, err
	}
	r.client = r.req.Client
	if err := r.reschedule(g); err != nil {
		return replay{}, err
	}
	r.freezeNodes(g)
	return replay{r, g, records}, nil
}

// replayRun is openReplay with all records applied.
func replayRun(store *history.Store, n int) (replay, error) {
	p, err := openReplay(store, n)
	for _, rec := range p.records {
		p.apply(rec)
	}
	return p, err
}

// thaw reads the graph that run n began with.
func thaw(store *history.Store, n int) (*graph.Graph, error) {
	frozen, err := store.Workfile(n)
	if err != nil {
		return nil, err
	}
	_, g, _, err := graphml.Parse(frozen, graphml.Limits{})
	if err != nil {
		return nil, fmt.Errorf("the frozen workfile: %w", err)
	}
	return g, putFrozenStatuses(g, store.Dir(n))
}

// finished is the event that the record of an end stands for. The record was made by endRecord: what is in it can be
// read.
func finished(rec history.Record) scheduler.Event {
	ev := scheduler.Event{Kind: scheduler.Finished, Node: rec.Node, Execution: rec.Execution, At: rec.Time.UnixNano(),
		OK: rec.OK, Reason: rec.Reason, Message: rec.Message, Exit: rec.ExitCode}
	switch api.Reason(rec.Reason) {
	case "", api.ReasonExit:
		ev.HasExit = true
	}
	ev.Outputs, _ = decodeValues(rec.Outputs)
	if rec.Items != nil {
		var items expression.List
		if json.Unmarshal(rec.Items, &items) == nil {
			ev.Items = items
		}
	}
	return ev
}

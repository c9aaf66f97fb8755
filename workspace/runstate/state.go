// Package runstate contains the state of a run, which is a fold over the records of its journal, and answers questions that
// need nothing but this state.
//
// Active runs (package activerun), recovery after a crash, and wf why and wf runs show of earlier runs (package inquiry) use
// the same fold. The package writes no files, starts no processes, takes the time from the records, and does not use the
// open workfile or its watchers.
package runstate

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/params"
)

type Phase uint8

const (
	Preparing Phase = iota // has no number and no executor yet; a recovered run is never in this phase
	Active
	Stopping // no execution starts any more
	Ended    // the scheduler has ended the run; executor and files are being closed
	Complete // everything is closed and saved
)

func (r *State) Grace() time.Duration { return time.Duration(r.Request.GraceMS) * time.Millisecond }

// State is the state of a run according to its journal. Only records change it: Note applies what a record itself reports,
// Step applies the effects that the scheduler derives, and Apply does both. Other packages may set fields before the first
// record and only read them afterwards.
type State struct {
	Number  int
	ID      string
	Dir     string          // folder of the run; "" if its files were removed
	Request history.Request // its Params contain no secrets

	Sched *scheduler.Run
	Flow  *flow.Flow // nil for a run without control flow
	Prior scheduler.Prior
	Nodes []Node
	// Templates are the nodes of the workfile whose instances the run executes, by id.
	Templates map[string]*Template

	Phase      Phase
	Result     scheduler.Result
	Cause      string // of a stop
	WasStopped bool   // the run was asked to stop

	Executions // that have not ended

	Now       time.Time                  // time of the latest record
	Since     map[int]time.Time          // waiting nodes → start of the wait
	decisions map[int][]api.DecisionMade // by node, in order
	Requests  map[string]api.Approval    // decisions with a request key, by that key
	Clock     history.Record             // the latest record with readings of the clocks; zero if there is none

	words  knownItems
	Stored Stored
	caches

	// Earlier returns the latest execution of a node in earlier runs, or nil. The function is nil if the run is replayed to
	// answer a question.
	Earlier func(id string) *Execution
	// Active gives access to an active run; nil for other runs.
	Active   ActiveRun
	Replayed bool // the run is read from the history: no further records follow
}

// caches follow from the rest of the state and are made on first use.
type caches struct {
	surroundings map[string]*history.Surroundings // by the id of a node
	waitsAt      map[string]api.State             // of TemplateWaits; nil if stale
}

// ActiveRun is what explanations use of an active run in addition to its state.
type ActiveRun interface {
	HeldBy() string              // why nothing of the run starts at present; "" if it may
	Shortage() *api.Shortage     // nil unless executions lack slots
	PoolWait(node int) *api.Wait // nil unless a node waits for units of a pool
	// PreparationWait returns nil unless a node waits for an environment or an image.
	PreparationWait(node int) *api.Wait
	Summary() api.RunSummary
}

// Node is a node as it was at the start of the run.
type Node struct {
	ID, Name, Command string       // for a node of an instance, ID and Name are its path
	Execution         *Execution   // nil while this run has neither executed nor failed the node
	Earlier           *Execution   // execution of an earlier run; set when the first execution of this run was withdrawn
	shown             graph.Status // for a node of an instance: the status under which its template counts it
	output            graph.Output // see outputOf
	Printed           bool         // a text of the workfile reads what it prints
}

// A Template is a node of the workfile whose instances a run executes.
type Template struct {
	label   string
	output  graph.Output
	printed bool
	Counts  [graph.Statuses]int
	Status  graph.Status // the status that the workfile shows for all instances
}

// A Change is an effect of a record, with the resulting changes of the state.
type Change struct {
	scheduler.Effect
	event    scheduler.Event // that caused it
	Replaced bool            // the node has a new Execution
	// Unreported means that no report describes the end of the node: a failure without an execution, a mock, a sub-flow.
	Unreported bool
	Template   *Template // set if the status of a template has changed
}

// Apply changes the state by one record.
func (r *State) Apply(rec history.Record) {
	if ev, decides := r.Note(rec); decides {
		r.Step(ev, nil)
	}
}

// Step passes an event to the scheduler and applies the resulting effects. After each effect it calls do, unless do is nil.
func (r *State) Step(ev scheduler.Event, do func(Change)) {
	for _, ef := range r.Sched.Step(ev) {
		c := r.effect(ev, ef)
		if do != nil {
			do(c)
		}
	}
}

// Note applies what a record itself reports and returns the event that it represents. decides is false for a record that the
// scheduler does not need.
func (r *State) Note(rec history.Record) (ev scheduler.Event, decides bool) {
	r.Now, r.waitsAt = rec.Time.UTC(), nil
	if rec.Clocks != nil {
		r.Clock = rec
	}
	ev, decides = r.noteRecord(rec)
	ev.At = rec.Time.UnixNano()
	r.Stored.note(rec, &ev)
	return ev, decides
}

func (r *State) noteRecord(rec history.Record) (ev scheduler.Event, decides bool) {
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
		r.Cause, r.WasStopped, r.Phase = rec.Cause, true, max(r.Phase, Stopping)
		return scheduler.Event{Kind: scheduler.Stop}, true
	case history.RecordItems:
		ev.Kind, ev.OK, ev.Message, ev.Items = scheduler.Listed, rec.OK, rec.Message, itemsOf(rec)
	case history.RecordUpToDate:
		ev.Kind, ev.Message = scheduler.UpToDate, rec.Message
		ev.Outputs, _ = params.Decode(rec.Outputs)
		ev.Stdout = stdoutOf(rec)
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
			r.rememberDecision(rec.Key, r.Question(rec.Node).Describe())
		}
		r.noteDecision(rec.Node, DecisionOf(rec))
		values, _ := params.Decode(rec.Outputs) // Decide has encoded it
		return decided(rec, values), true
	case history.RecordAnswer: // the tick has decided; the record is for people
		r.noteDecision(rec.Node, DecisionOf(rec))
		return ev, false
	default:
		return ev, false
	}
	return ev, true
}

// applyDispatch starts a new Execution. If the scheduler has not requested the execution, an earlier daemon prefetched it;
// the event kind then says so.
func (r *State) applyDispatch(rec history.Record) scheduler.EventKind {
	n := &r.Nodes[rec.Node]
	before := n.Execution
	if before == nil && r.Earlier != nil {
		before = r.Earlier(n.ID)
	}
	n.Execution = &Execution{Run: r.Number, Number: rec.Execution, Live: true, Command: rec.Command, inputs: ReadInputs(rec.Inputs), before: before}
	if name := ExecutorOf(r, rec.Node); name != "" {
		n.Execution.engine = &engineJob{executor: name}
		n.Execution.Status = r.Sched.Status(rec.Node) // what the engine tells belongs to the status, before the start too
	}
	r.loadOf(n.Execution).InFlight++
	if r.Sched.Wants(rec.Node, rec.Execution) {
		return scheduler.Dispatched
	}
	return scheduler.Unrequested
}

func (r *State) applyStart(rec history.Record) {
	n := r.Nodes[rec.Node].Execution
	n.before = nil // the outputs of the previous execution are not needed any more
	if !n.Started {
		n.Started = true
		r.loadOf(n).Running++
	}
	n.PID, n.LastPID, n.StartedAt = rec.PID, rec.PID, rec.Time.UTC()
	n.Out, n.Err = rec.Out, rec.Err
	n.noteEngine(rec.Engine)
}

// applyWithdraw removes an execution that the executor has returned before it started.
func (r *State) applyWithdraw(rec history.Record) {
	n := &r.Nodes[rec.Node]
	before := n.Execution.before
	r.loadOf(n.Execution).InFlight--
	n.Execution, n.Earlier = nil, nil
	switch {
	case before == nil:
	case before.Run == r.Number:
		n.Execution = before
	default:
		n.Earlier = before
	}
}

// applyEnd notes the end of an execution. ev is the event that the record represents.
func (r *State) applyEnd(rec history.Record, ev scheduler.Event) {
	n := r.Nodes[rec.Node].Execution
	load := r.loadOf(n)
	n.noteEngine(rec.Engine)
	n.SetEnd(history.Execution{Number: rec.Execution, PID: n.LastPID, Command: n.Command, Started: n.StartedAt,
		Ended: rec.Time.UTC(), Over: true, OK: rec.OK, Reason: rec.Reason, ExitCode: rec.ExitCode, Signal: rec.Signal,
		Message: rec.Message, Out: rec.Out, Err: rec.Err, PeakBytes: rec.PeakBytes})
	n.Live, n.PID, n.Outputs, n.Stdout = false, 0, ev.Outputs, ev.Stdout
	load.InFlight--
	if n.Started {
		load.Running--
	}
}

// effect applies an effect of the scheduler to the state.
func (r *State) effect(ev scheduler.Event, ef scheduler.Effect) Change {
	c := Change{Effect: ef, event: ev}
	switch ef.Kind {
	case scheduler.NodeChanged:
		if !ef.Prior {
			c.Replaced, c.Unreported = r.markNode(ev, ef)
		}
		c.Template = r.countTemplate(ef)
	case scheduler.NodesAdded:
		r.addInstance(ef)
	case scheduler.Waiting:
		r.noteWait(ef)
	case scheduler.Ended:
		r.Result, r.Phase = ef.Result, Ended
	}
	return c
}

// markNode stores the new status of a node in its Execution. unreported is true for an end that no report describes.
func (r *State) markNode(ev scheduler.Event, ef scheduler.Effect) (replaced, unreported bool) {
	n := &r.Nodes[ef.Node]
	if ef.Status == graph.Running && r.Sched.Members(ef.Node) > 0 && (n.Execution == nil || !n.Execution.Live) {
		n.Execution = &Execution{Run: r.Number, Status: ef.Status, StartedAt: r.Now}
		return true, false
	}
	upToDate := ef.Status == graph.Ran && ef.UpToDate
	over := ef.Status == graph.Failed || upToDate || ef.Status == graph.Ran && (ef.Mocked || r.Sched.Members(ef.Node) > 0)
	byExecution := ev.Kind == scheduler.Finished && ev.Node == ef.Node && ef.Reason == ev.Reason
	if !over || byExecution {
		if n.Execution != nil {
			n.Execution.Status, n.Execution.Handled = ef.Status, r.Sched.Handled(ef.Node)
		}
		return false, false
	}
	if n.Execution == nil || upToDate {
		n.Execution, replaced = &Execution{Run: r.Number, UpToDate: upToDate, Outputs: r.Sched.Outputs(ef.Node)}, true
	}
	n.Execution.Status, n.Execution.Reason, n.Execution.Message = ef.Status, api.Reason(ef.Reason), r.failureText(ef)
	n.Execution.Mocked, n.Execution.Handled = ef.Mocked, r.Sched.Handled(ef.Node)
	if n.Execution.Number == 0 || ef.Mocked || r.Sched.Members(ef.Node) > 0 { // no report contains the end of the node
		n.Execution.EndedAt, n.Execution.ExitCode = r.Now, r.Sched.Exit(ef.Node)
		if n.Execution.StartedAt.IsZero() {
			n.Execution.StartedAt = n.Execution.EndedAt
		}
	}
	return replaced, true
}

// failureText describes a failure without an execution.
func (r *State) failureText(ef scheduler.Effect) string {
	if ef.Reason != scheduler.ReasonLimit || ef.Message != "" {
		return ef.Message
	}
	text := "activation limit reached"
	if loop := r.Sched.LoopOf(ef.Node); len(loop) > 0 {
		names := make([]string, len(loop))
		for i, j := range loop {
			names[i] = r.Nodes[j].Name
		}
		text += " in the loop of " + api.Several(names, 8)
	}
	return text + fmt.Sprintf(" (max_activations of the graph: %d)", r.Sched.MaxActivations())
}

// countTemplate counts a node of an instance under its template. It returns the template if its combined status has changed,
// otherwise nil.
func (r *State) countTemplate(ef scheduler.Effect) *Template {
	if r.Templates == nil || ef.Node < r.OuterNodes() {
		return nil
	}
	n, t, shown := &r.Nodes[ef.Node], r.Templates[r.Sched.Template(ef.Node)], ef.Status
	if shown == graph.Failed && r.Sched.Handled(ef.Node) {
		shown = graph.Ran // a resume has nothing to do here, so the workfile must not show it as unfinished
	}
	t.Counts[n.shown]--
	t.Counts[shown]++
	n.shown = shown
	sum := t.sum()
	if sum == t.Status {
		return nil
	}
	t.Status = sum
	return t
}

// sum returns the combined status of all instances, which is the most urgent one.
func (t *Template) sum() graph.Status {
	for _, s := range [...]graph.Status{graph.Running, graph.Queued, graph.Failed, graph.Ran, graph.Skipped} {
		if t.Counts[s] > 0 {
			return s
		}
	}
	return graph.Idle
}

// addInstance makes room for the nodes of a new instance.
func (r *State) addInstance(ef scheduler.Effect) {
	for i := ef.Node; i < ef.Node+ef.Count; i++ {
		path := r.Sched.Path(i)
		n := Node{ID: path, Name: r.shownName(i, path)}
		if t := r.Templates[r.Sched.Template(i)]; t != nil {
			n.Command, n.output, n.Printed = t.label, t.output, t.printed
			t.Counts[graph.Idle]++
		}
		r.Nodes = append(r.Nodes, n)
	}
}

func (r *State) noteWait(ef scheduler.Effect) {
	if ef.Wait == scheduler.WaitNone {
		delete(r.Since, ef.Node)
		return
	}
	if r.Since == nil {
		r.Since = map[int]time.Time{}
	}
	r.Since[ef.Node] = r.Now
}

// OuterNodes returns the number of nodes in the outer flow. These are nodes of the workfile.
func (r *State) OuterNodes() int {
	if r.Request.Outer > 0 {
		return r.Request.Outer
	}
	return len(r.Request.Scope)
}

// FreezeNodes copies the nodes of the run from g, the graph at the start of the run, so that later edits of the workfile do
// not change the run.
func (r *State) FreezeNodes(g *graph.Graph) {
	r.Nodes = make([]Node, r.Sched.NodeCount())
	for i := range r.Nodes {
		n := g.Node(r.Request.Scope[i])
		r.Nodes[i] = Node{ID: n.ID, Name: r.Request.Names[i], Command: n.Label, output: outputOf(r.Flow, n), Printed: printed(r.Flow, n)}
	}
	inner := r.Request.Scope[r.OuterNodes():]
	if len(inner) == 0 {
		return
	}
	r.Templates = make(map[string]*Template, len(inner))
	for _, id := range inner {
		r.Templates[id] = &Template{label: g.Node(id).Label, output: outputOf(r.Flow, g.Node(id)), printed: printed(r.Flow, g.Node(id))}
	}
}

// Reschedule rebuilds the scheduler of a run from g, the graph at the start of the run.
func (r *State) Reschedule(g *graph.Graph) error {
	scope := scheduler.Scope{Mode: scheduler.Fresh, All: r.Request.All}
	if r.Request.Mode == api.ModeResume {
		scope.Mode = scheduler.Resume
	}
	for _, id := range r.Request.Scope {
		node := g.Node(id)
		if node == nil {
			return fmt.Errorf("the frozen workfile has no node %q", id)
		}
		scope.Nodes = append(scope.Nodes, node)
	}
	f, _ := flow.Read(g) // its problems were found when the run started
	var env []string
	var err error
	if !f.Plain() && r.Dir != "" {
		if r.Prior, err = ReadPrior(filepath.Join(r.Dir, PriorFile)); err != nil {
			return err
		}
		env, _ = executor.Environment(r.Dir) // removed when the run is over
	}
	opt, err := Options(r.Request, f, r.Prior, env)
	if err != nil {
		return err
	}
	r.Flow = opt.Flow
	if r.Sched, err = scheduler.NewRun(g, scope, opt); err != nil {
		return err
	}
	r.Sched.SetTriggerBody(r.Request.Trigger.BodyPath(r.Dir))
	return nil
}

// finished returns the event that the record of an end represents. Its content is valid because endRecord has checked it.
func finished(rec history.Record) scheduler.Event {
	ev := scheduler.Event{Kind: scheduler.Finished, Node: rec.Node, Execution: rec.Execution, At: rec.Time.UnixNano(),
		OK: rec.OK, Reason: rec.Reason, Message: rec.Message, Exit: rec.ExitCode}
	switch api.Reason(rec.Reason) {
	case "", api.ReasonExit:
		ev.HasExit = true
	}
	ev.Outputs, _ = params.Decode(rec.Outputs)
	ev.Stdout, ev.Items = stdoutOf(rec), itemsOf(rec)
	return ev
}

// itemsOf returns the items of a sub-flow that a record contains; nil if there are none.
func itemsOf(rec history.Record) []any {
	var items expression.List
	if rec.Items == nil || json.Unmarshal(rec.Items, &items) != nil {
		return nil
	}
	return items
}

// SetSince returns how far the wall clock was set since the latest reading in the journal, or 0 if the machine was restarted
// since then.
func (r *State) SetSince() time.Duration {
	boot, up := clock.SinceBoot()
	if r.Clock.Clocks == nil || r.Clock.Clocks.Boot != boot || boot == "" {
		return 0
	}
	by := clock.Now().Sub(r.Clock.Time) - (up - time.Duration(r.Clock.Clocks.UpNS))
	if clock.Agree(by, 0) {
		return 0
	}
	return by
}

// moveTimes moves all times of the run by a duration.
func (r *State) moveTimes(by time.Duration) {
	r.Request.Time = r.Request.Time.Add(by)
	for i := range r.Nodes {
		if rec := r.Nodes[i].Execution; rec != nil && rec.Run == r.Number {
			rec.StartedAt, rec.EndedAt = clock.Shift(rec.StartedAt, by), clock.Shift(rec.EndedAt, by)
		}
	}
	for i, since := range r.Since {
		r.Since[i] = clock.Shift(since, by)
	}
}

package scheduler

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"wf/graph"
	"wf/scheduler/flow"
)

// driver is the environment of a run: it executes what the run asks for, answers approvals, and lets time
// pass when nothing else is left to do. How an execution ends depends only on the path of the node and on
// how many of its executions have ended before, whatever the order.
type driver struct {
	tb    testing.TB
	g     *graph.Graph
	opt   Options
	rand  *rand.Rand // nil: in the order of the Execute effects
	slots int
	// end returns how the n-th execution of a node ends if it is not cancelled, from 1. Approvals use it, too.
	end func(run *Run, node, n int) Event

	run       *Run
	spare     []*Run // without any event yet, for replays
	now       int64
	events    []Event
	effects   []Effect
	queue     []Effect
	handed    []int
	running   []int
	waiting   []int // for approval
	asked     map[int]bool
	completed map[string]int // over all runs
	executed  map[string]bool
}

func newDriver(tb testing.TB, g *graph.Graph, opt Options, random *rand.Rand) *driver {
	return &driver{tb: tb, g: g, opt: opt, rand: random, slots: 4, now: 1e9, completed: map[string]int{}, executed: map[string]bool{}}
}

// begin starts a run of a scope, and prepares spare ones.
func (d *driver) begin(scope Scope, spare int) error {
	runs := make([]*Run, spare+1)
	for k := range runs {
		var err error
		if runs[k], err = NewRun(d.g, scope, d.opt); err != nil {
			return err
		}
	}
	d.run, d.spare = runs[0], runs[1:]
	d.events, d.effects, d.queue, d.handed, d.running, d.waiting = nil, nil, nil, nil, nil, nil
	d.asked = map[int]bool{}
	d.step(Event{Kind: Start})
	return nil
}

// step gives an event to the run and notes its effects. It updates the graph as a workspace does.
func (d *driver) step(ev Event) []Effect {
	ev.At = d.now
	d.events = append(d.events, ev)
	effects := d.run.Step(ev)
	d.effects = append(d.effects, effects...)
	for _, e := range effects {
		switch e.Kind {
		case NodeChanged:
			if n := d.g.Node(d.run.Path(e.Node)); n != nil {
				d.g.SetStatus(n, e.Status)
			}
		case EdgeChanged:
			d.g.SetMark(d.g.Edge(d.run.EdgeKey(e.Edge)), e.Mark)
		case Execute:
			d.queue = append(d.queue, e)
		case Cancel:
			d.asked[e.Node] = true
		case Waiting:
			d.waiting = slices.DeleteFunc(d.waiting, func(i int) bool { return i == e.Node })
			if e.Wait == WaitApproval {
				d.waiting = append(d.waiting, e.Node)
			}
		}
	}
	return effects
}

// pick chooses one of several, the first one without a rand.
func (d *driver) pick(n int) int {
	if d.rand == nil {
		return 0
	}
	return d.rand.IntN(n)
}

// advance makes one event happen. It returns false if none can.
func (d *driver) advance() bool {
	d.queue = slices.DeleteFunc(d.queue, func(e Effect) bool { return !d.run.Wants(e.Node, e.Execution) })
	going := len(d.handed) + len(d.running)
	var deeds []func()
	if len(d.queue) > 0 && going < d.slots {
		deeds = append(deeds, d.dispatch)
	}
	if len(d.handed) > 0 {
		deeds = append(deeds, d.start)
	}
	if len(d.running) > 0 {
		deeds = append(deeds, d.finish)
	}
	if len(d.waiting) > 0 {
		deeds = append(deeds, d.answer)
	}
	if len(deeds) == 0 {
		at := d.run.NextTick()
		if at == 0 {
			return false
		}
		d.now = max(d.now, at)
		d.step(Event{Kind: Tick})
		return true
	}
	deeds[d.pick(len(deeds))]()
	return true
}

func (d *driver) dispatch() {
	at := d.pick(len(d.queue))
	node := d.queue[at].Node
	d.queue = slices.Delete(d.queue, at, at+1)
	d.handed = append(d.handed, node)
	d.step(Event{Kind: Dispatched, Node: node})
}

func (d *driver) start() {
	at := d.pick(len(d.handed))
	node := d.handed[at]
	d.handed = slices.Delete(d.handed, at, at+1)
	if d.asked[node] {
		delete(d.asked, node)
		d.step(Event{Kind: Withdrawn, Node: node, Execution: d.run.Executions(node)})
		return
	}
	d.running = append(d.running, node)
	d.step(Event{Kind: Started, Node: node})
}

// finish ends an execution. One that was asked to end usually ends as cancelled.
func (d *driver) finish() {
	at := d.pick(len(d.running))
	node := d.running[at]
	d.running = slices.Delete(d.running, at, at+1)
	asked := d.asked[node]
	delete(d.asked, node)
	if asked && (d.rand == nil || d.rand.IntN(4) > 0) {
		d.step(Event{Kind: Finished, Node: node, Execution: d.run.Executions(node), Reason: ReasonCancelled})
		return
	}
	d.step(d.ending(node))
}

// ending returns the next end of a node.
func (d *driver) ending(node int) Event {
	path := d.run.Path(node)
	d.completed[path]++
	d.executed[path] = true
	ev := d.end(d.run, node, d.completed[path])
	ev.Kind, ev.Node, ev.Execution = Finished, node, d.run.Executions(node)
	return ev
}

func (d *driver) answer() {
	node := d.waiting[d.pick(len(d.waiting))]
	ev := d.end(d.run, node, d.completed[d.run.Path(node)]+1)
	if ev.Reason == ReasonRejected {
		d.step(Event{Kind: Decided, Node: node})
		return
	}
	d.step(Event{Kind: Decided, Node: node, OK: true, Outputs: map[string]any{"by": "somebody"}})
}

// untilEnd goes on until the run has ended.
func (d *driver) untilEnd() {
	for bound := 0; !d.run.Ended(); bound++ {
		if !d.advance() {
			d.tb.Fatalf("nothing can happen, and the run has not ended: %s", d.summary())
		}
		if bound > 200_000 {
			d.tb.Fatalf("the run does not end: %s", d.summary())
		}
	}
	if len(d.handed)+len(d.running) > 0 {
		d.tb.Fatalf("the run has ended while something was going on: %s", d.summary())
	}
}

// crash replays all events in another run, as the next daemon does, and goes on with that run.
func (d *driver) crash() {
	if len(d.spare) == 0 {
		return
	}
	next := d.spare[0]
	d.spare = d.spare[1:]
	var effects []Effect
	for _, ev := range d.events {
		effects = append(effects, next.Step(ev)...)
	}
	if !slices.Equal(effects, d.effects) {
		d.tb.Fatalf("the same events gave\n%v\nand then\n%v", d.effects, effects)
	}
	if !reflect.DeepEqual(next.Prior(), d.run.Prior()) || next.Counts() != d.run.Counts() || next.NextTick() != d.run.NextTick() {
		d.tb.Fatalf("the same events led to another state")
	}
	d.run = next
}

// stop ends the run in the middle, and checks that it ends.
func (d *driver) stop() {
	d.step(Event{Kind: Stop})
	d.untilEnd()
}

// resume goes on in a run of everything.
func (d *driver) resume(spare int) {
	d.opt.Prior = d.run.Prior()
	if err := d.begin(Scope{Mode: Resume, Nodes: runnable(d.g), All: true}, spare); err != nil {
		d.tb.Fatal(err)
	}
}

func runnable(g *graph.Graph) (nodes []*graph.Node) {
	for _, n := range g.Nodes() {
		if n.Runnable() {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// summary lists the result of the run, node by node. It leaves out nodes in instances of an earlier
// activation of a sub-flow, which have no path any more.
func (d *driver) summary() string {
	words := map[string][]string{}
	blocked := d.run.Blocked()
	for i := range d.run.NodeCount() {
		id := d.run.Path(i)
		if at, ok := d.run.Index(id); !ok || at != i {
			continue
		}
		kind, word := d.run.Status(i).String(), id
		switch d.run.Status(i) {
		case graph.Ran:
			if n := d.completed[id]; n != 1 && d.run.Members(i) == 0 {
				word = fmt.Sprintf("%s(%d)", id, n)
			}
		case graph.Failed:
			word += ":" + d.run.Reason(i)
			if d.run.Handled(i) {
				kind = "handled"
			}
		case graph.Idle:
			kind = "idle"
			if blocked[i] {
				kind = "blocked"
			}
		}
		words[kind] = append(words[kind], word)
	}
	var parts []string
	for _, kind := range []string{"ran", "skip", "handled", "fail", "blocked", "idle", "run", "running"} {
		if list := words[kind]; list != nil {
			slices.Sort(list)
			parts = append(parts, kind+" "+strings.Join(list, " "))
		}
	}
	return strings.Join(parts, "; ") + "; " + d.run.result().String()
}

// readFlow reads the control flow of a graph. An edge to an empty group, which leads nowhere, is the only
// error that it may have.
func readFlow(g *graph.Graph) (*flow.Flow, error) {
	f, problems := flow.Read(g)
	for _, p := range problems {
		if p.Severity == graph.Error && p.Code != flow.CodeGroup {
			return nil, fmt.Errorf("%s", p.Message)
		}
	}
	return f, nil
}

package scheduler

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"wf/graph"
)

var (
	controlSeeds  = flag.Int("control-seeds", 400, "how many random workflows TestControlFlow runs")
	controlOrders = flag.Int("control-orders", 6, "in how many orders TestControlFlow runs each of them")
	controlSeed   = flag.Int("control-seed", -1, "the one seed that TestControlFlow runs, as a failure prints it")
)

// TestControlFlowMatchesModel runs random workflows with conditions, joins, loops and sub-flows in random orders,
// with crashes and with stops that a resume follows, and compares the results with the model.
func TestControlFlowMatchesModel(t *testing.T) {
	first, end := 0, *controlSeeds
	if *controlSeed >= 0 {
		first, end = *controlSeed, *controlSeed+1
	}
	var seen observations
	for s := first; s < end; s++ {
		newControlWorkflow(t, s).play(&seen)
		if t.Failed() {
			t.Fatalf("again with: go test -run TestControlFlow -control-seed %d", s)
		}
	}
	t.Logf("%+v", seen)
	if *controlSeed < 0 && (seen.skipped == 0 || seen.blocked == 0 || seen.handled == 0 || seen.rounds == 0 || seen.instances == 0 || seen.resumed == 0 || seen.crashed == 0) {
		t.Errorf("too little has happened to mean anything: %+v", seen)
	}
}

// coverage counts what happened in the random workflows.
type observations struct {
	runs, ran, skipped, blocked, handled, failed, rounds, instances, resumed, crashed, succeeded int
}

// play runs the workflow in many orders.
func (tr *controlWorkflow) play(seen *observations) {
	world := &modelResult{seed: uint64(tr.seed), status: map[string]string{}, executed: map[string]int{}, outputs: map[string]modelEnd{}}
	failed := world.play(tr.flow, "").failed
	for _, word := range world.status {
		switch word {
		case "ran":
			seen.ran++
		case "skip":
			seen.skipped++
		case "handled":
			seen.handled++
		case "fail":
			seen.failed++
		}
	}
	for path, n := range world.executed {
		if n > 1 && tr.byID[path[strings.LastIndex(path, "/")+1:]].block.loop {
			seen.rounds++
		}
		if strings.Contains(path, "[") {
			seen.instances++
		}
	}
	if !failed {
		seen.succeeded++
	}
	for order := range *controlOrders {
		tr.run(order, world, failed, seen)
		if tr.t.Failed() {
			return
		}
	}
}

func (tr *controlWorkflow) run(order int, world *modelResult, failed bool, seen *observations) {
	g, err := graph.Build(tr.nodes, tr.edges, nil)
	if err != nil {
		tr.t.Fatalf("seed %d: %v", tr.seed, err)
	}
	f, err := readFlow(g)
	if err != nil {
		tr.t.Fatalf("seed %d: %v", tr.seed, err)
	}
	d := newDriver(tr.t, g, Options{Flow: f, Mocks: tr.mocks, Seed: "s"}, rand.New(rand.NewPCG(uint64(tr.seed), uint64(order)+9)))
	d.slots = 1 + d.rand.IntN(6)
	d.end = tr.end
	crashes, stops := order%3 == 1, order%3 == 2
	if err := d.begin(Scope{Mode: Fresh, Nodes: runnable(g), All: true}, 3); err != nil {
		tr.t.Fatalf("seed %d: %v", tr.seed, err)
	}
	seen.runs++
	for left := d.rand.IntN(4); stops && left > 0; left-- {
		for range d.rand.IntN(60) {
			if d.run.Ended() || !d.advance() {
				break
			}
		}
		if d.run.Ended() {
			break
		}
		seen.resumed++
		d.stop()
		tr.forgetFailures(d)
		d.resume(3)
	}
	for !d.run.Ended() && d.advance() {
		if crashes && d.rand.IntN(20) == 0 {
			d.crash()
			seen.crashed++
		}
	}
	d.untilEnd()
	tr.compare(order, d, world, failed, stops, seen)
}

// end is how an execution ends.
func (tr *controlWorkflow) end(run *Run, node, number int) Event {
	n, path := tr.byID[run.Template(node)], run.Path(node)
	f := plannedEnd(uint64(tr.seed), n, path, number)
	if needed, fails := attempts(uint64(tr.seed), n, path); n.retries > 0 && !fails && number < needed {
		f.ok, f.exit, f.reason = false, 1, ReasonExit
	}
	ev := Event{OK: f.ok, Exit: f.exit, HasExit: f.exit >= 0, Reason: f.reason, Outputs: map[string]any{"go": "no"}}
	if f.goes {
		ev.Outputs["go"] = "yes"
	}
	if f.choice != "" {
		ev.Outputs["case"] = f.choice
	}
	if n.sub != nil && f.ok {
		ev.Outputs = nil
		for k := range n.sub.count {
			ev.Items = append(ev.Items, strconv.Itoa(k))
		}
	}
	return ev
}

// forgetFailures makes executions that a resume repeats end as they did before.
func (tr *controlWorkflow) forgetFailures(d *driver) {
	for i := range d.run.nodes {
		n, path := &d.run.nodes[i], d.run.Path(i)
		if at, ok := d.run.Index(path); !ok || at != i || n.status != graph.Failed || n.handled || d.completed[path] == 0 {
			continue
		}
		if !tr.byID[d.run.Template(i)].block.loop {
			continue // ends the same way each time
		}
		reason := d.run.Reason(i)
		if reason == ReasonCancelled || reason == ReasonRejected || reason == ReasonInstances {
			continue
		}
		repeats := true
		for inst := d.run.instanceOf(nodeID(i)); inst.owner != noNode; inst = d.run.instanceOf(inst.owner) {
			owner := &d.run.nodes[inst.owner]
			repeats = repeats && !owner.decided && owner.status != graph.Idle
		}
		if repeats {
			d.completed[path]--
		}
	}
}

// compare checks every node.
func (tr *controlWorkflow) compare(order int, d *driver, world *modelResult, failed, stopped bool, seen *observations) {
	fail := func(format string, args ...any) {
		tr.t.Errorf("seed %d, order %d: %s\n%s", tr.seed, order, fmt.Sprintf(format, args...), tr.text())
	}
	if got := d.run.result() == Failed; got != failed {
		fail("failed is %v, want %v", got, failed)
	}
	blocked := d.run.Blocked()
	paths := map[string]bool{}
	for i := range d.run.NodeCount() {
		path := d.run.Path(i)
		if at, ok := d.run.Index(path); !ok || at != i {
			continue
		}
		paths[path] = true
		if got, want := wordOf(d.run, i), world.status[path]; got != want {
			fail("%s is %q (%s), want %q", path, got, d.run.Reason(i), want)
		}
		if d.run.Status(i) == graph.Idle {
			seen.blocked++
			if !blocked[i] {
				fail("%s is idle, and nothing blocks it", path)
			}
		}
		n := tr.byID[d.run.Template(i)]
		if got, want := d.completed[path], world.executed[path]; (got > 0) != (want > 0) || got != want && !stopped && (n.once() || n.block.loop) {
			fail("%s had %d executions, want %d", path, got, want)
		}
	}
	for path := range world.status {
		if !paths[path] {
			fail("there is no %s", path)
		}
	}
}

// text is the workflow, for a failure.
func (tr *controlWorkflow) text() string {
	var b strings.Builder
	for _, n := range tr.nodes {
		fmt.Fprintf(&b, "node %s in %d: %v\n", n.ID, n.Parent, n.Extra)
	}
	for _, e := range tr.edges {
		fmt.Fprintf(&b, "%s -> %s %s %s\n", tr.nodes[e.Source].ID, tr.nodes[e.Target].ID, e.Type, e.Extra["when"])
	}
	return b.String()
}

package scheduler

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"wf/flow"
	"wf/graph"
)

var (
	controlSeeds  = flag.Int("control-seeds", 400, "how many random workflows TestControlFlow runs")
	controlOrders = flag.Int("control-orders", 6, "in how many orders TestControlFlow runs each of them")
	controlSeed   = flag.Int("control-seed", -1, "the one seed that TestControlFlow runs, as a failure prints it")
)

// TestControlFlow lets random workflows with conditions, joins, loops and sub-flows run in random orders,
// with crashes and with stops that a resume follows, and compares what they come to with the model.
func TestControlFlow(t *testing.T) {
	first, end := 0, *controlSeeds
	if *controlSeed >= 0 {
		first, end = *controlSeed, *controlSeed+1
	}
	var seen sightings
	for s := first; s < end; s++ {
		newControlTrial(t, s).play(&seen)
		if t.Failed() {
			t.Fatalf("again with: go test -run TestControlFlow -control-seed %d", s)
		}
	}
	t.Logf("%+v", seen)
	if *controlSeed < 0 && (seen.skipped == 0 || seen.blocked == 0 || seen.handled == 0 || seen.rounds == 0 || seen.instances == 0 || seen.resumed == 0 || seen.crashed == 0) {
		t.Errorf("too little has happened to mean anything: %+v", seen)
	}
}

// sightings count what the random workflows came to.
type sightings struct {
	runs, ran, skipped, blocked, handled, failed, rounds, instances, resumed, crashed, succeeded int
}

// controlTrial is a random workflow.
type controlTrial struct {
	t     *testing.T
	seed  int
	rand  *rand.Rand
	count int
	flow  *aFlow
	byID  map[string]*aNode
	mocks map[string]Mock

	nodes  []graph.NodeSpec
	edges  []graph.EdgeSpec
	index  map[*aNode]int
	inLoop bool // the flow that is made lies, at some level, in a loop
}

func newControlTrial(t *testing.T, seed int) *controlTrial {
	tr := &controlTrial{t: t, seed: seed, rand: rand.New(rand.NewPCG(uint64(seed), 3)), byID: map[string]*aNode{},
		mocks: map[string]Mock{}, index: map[*aNode]int{}}
	tr.flow = tr.newFlow(0)
	tr.spell(tr.flow, -1)
	return tr
}

func (tr *controlTrial) chance(p float64) bool { return tr.rand.Float64() < p }

func (tr *controlTrial) oneOf(words ...string) string { return words[tr.rand.IntN(len(words))] }

// newFlow makes a flow: blocks one after the other, and edges that lead from earlier to later ones.
func (tr *controlTrial) newFlow(depth int) *aFlow {
	f := &aFlow{}
	size := 2 + tr.rand.IntN(9-2*depth)
	for len(f.blocks) < size {
		if tr.chance(0.15) {
			f.blocks = append(f.blocks, tr.newLoop(f, depth))
		} else {
			f.blocks = append(f.blocks, tr.newBlock(depth))
		}
		tr.lead(f, f.blocks[len(f.blocks)-1].nodes[0], f.blocks[:len(f.blocks)-1])
		if tr.chance(0.15) {
			tr.chain(f)
		}
	}
	return f
}

func (tr *controlTrial) newBlock(depth int) *aBlock {
	b := &aBlock{}
	tr.newNode(b, depth)
	return b
}

func (tr *controlTrial) newNode(b *aBlock, depth int) *aNode {
	n := &aNode{id: "n" + strconv.Itoa(tr.count), block: b}
	tr.count++
	b.nodes = append(b.nodes, n)
	tr.byID[n.id] = n
	switch {
	case depth < 3 && tr.chance(0.15):
		n.sub = tr.newSub(depth)
	case tr.chance(0.1):
		n.approve = true
	case tr.chance(0.05) && !tr.inLoop:
		n.mocked = true
		tr.mocks[n.id] = Mock{Outputs: map[string]any{"case": "x"}}
	case tr.chance(0.1):
		n.wait = true
	}
	return n
}

func (tr *controlTrial) newSub(depth int) *aSub {
	s := &aSub{kind: tr.oneOf("foreach", "lines", "times", "while", "until"), count: 1 + tr.rand.IntN(3), least: -1}
	s.goOn = tr.chance(0.5)
	if s.goOn && tr.chance(0.5) {
		s.least = tr.rand.IntN(s.count + 1)
	}
	repeats := s.kind == "while" || s.kind == "until"
	switch {
	case repeats:
		s.parallel = 1
	case s.goOn:
		s.parallel = tr.rand.IntN(3)
	default:
		s.parallel = tr.rand.IntN(2)
	}
	if !repeats && tr.chance(0.1) {
		s.count = 0
	}
	s.flow = tr.newFlow(depth + 1)
	if repeats && tr.chance(0.6) {
		for _, b := range s.flow.blocks {
			if n := b.nodes[len(b.nodes)-1]; n.sub == nil {
				s.test = n
			}
		}
	}
	return s
}

// newLoop makes a loop whose nodes all lead to the last one, in which each round ends. It is entered once.
func (tr *controlTrial) newLoop(f *aFlow, depth int) *aBlock {
	was := tr.inLoop
	tr.inLoop = true
	b := &aBlock{loop: true}
	for range 2 + tr.rand.IntN(5) {
		tr.newNode(b, depth+1)
	}
	tr.inLoop = was
	last := b.nodes[len(b.nodes)-1]
	last.sub, last.again = nil, true
	for k, n := range b.nodes[1:] {
		tr.edge(f, b.nodes[tr.rand.IntN(k+1)], n, true)
		if tr.chance(0.5) {
			tr.edge(f, b.nodes[tr.rand.IntN(k+1)], n, true)
		}
	}
	for _, n := range b.nodes[:len(b.nodes)-1] {
		if len(n.out) == 0 {
			tr.edge(f, n, last, true)
		}
	}
	back := tr.edge(f, last, b.nodes[0], false)
	back.when = "case:again"
	return b
}

// lead lets earlier nodes lead to one.
func (tr *controlTrial) lead(f *aFlow, n *aNode, before []*aBlock) {
	if len(before) == 0 {
		return
	}
	number := tr.rand.IntN(4)
	if n.block.loop {
		tr.enter(f, n, before, number)
		return
	}
	for range number {
		b := before[tr.rand.IntN(len(before))]
		from, triggers := b.nodes[tr.rand.IntN(len(b.nodes))], tr.chance(0.1)
		if n.sub != nil && (triggers || !from.once()) {
			continue // its instances would execute who knows how often
		}
		tr.edge(f, from, n, !triggers)
	}
	blocking := 0
	for _, e := range n.in {
		if e.blocking {
			blocking++
		}
	}
	if blocking > 0 && tr.chance(0.25) {
		n.need = 1 + tr.rand.IntN(blocking)
	}
	if n.once() && n.sub == nil && tr.chance(0.1) && !tr.inLoop {
		n.retries = 1 + tr.rand.IntN(2)
	}
}

// enter leads to a loop, which must not be entered a second time while it goes on.
func (tr *controlTrial) enter(f *aFlow, n *aNode, before []*aBlock, number int) {
	triggers := tr.chance(0.2)
	for range number {
		b := before[tr.rand.IntN(len(before))]
		if from := b.nodes[0]; from.once() {
			tr.edge(f, from, n, !triggers)
			if triggers {
				return
			}
		}
	}
}

// chain makes a path of up to five nodes, the first edge of which is hardly ever taken, to the last node.
func (tr *controlTrial) chain(f *aFlow) {
	target := f.blocks[len(f.blocks)-1]
	if target.loop || len(f.blocks) < 2 {
		return
	}
	from := f.blocks[tr.rand.IntN(len(f.blocks)-1)]
	n := from.nodes[tr.rand.IntN(len(from.nodes))]
	if target.nodes[0].sub != nil && !n.once() {
		return
	}
	when := "exit:2"
	for range tr.rand.IntN(6) {
		b := &aBlock{}
		next := &aNode{id: "n" + strconv.Itoa(tr.count), block: b}
		tr.count++
		b.nodes = []*aNode{next}
		tr.byID[next.id] = next
		last := len(f.blocks) - 1
		f.blocks = append(f.blocks[:last:last], b, target)
		e := tr.edge(f, n, next, true)
		e.when, when = when, ""
		n = next
	}
	if e := tr.edge(f, n, target.nodes[0], true); n.sub == nil {
		e.when = when
	}
	target.nodes[0].retries = 0
}

func (tr *controlTrial) edge(f *aFlow, from, to *aNode, blocking bool) *aEdge {
	e := &aEdge{from: from, to: to, blocking: blocking}
	if tr.chance(0.6) {
		e.when = tr.oneOf("success", "failure", "done", "else", "exit:2", "exit:0-1", "case:x", "case:y", "if:go", "if:status")
	}
	if tr.chance(0.01) {
		e.when = "if:none"
	}
	if from.sub != nil && (strings.HasPrefix(e.when, "exit") || strings.HasPrefix(e.when, "case") || strings.HasPrefix(e.when, "if:")) {
		e.when = "if:status"
	}
	from.out, to.in = append(from.out, e), append(to.in, e)
	f.edges = append(f.edges, e)
	return e
}

// spell writes a flow down as nodes and edges of a graph.
func (tr *controlTrial) spell(f *aFlow, parent int) {
	for _, b := range f.blocks {
		for _, n := range b.nodes {
			at := len(tr.nodes)
			tr.index[n] = at
			spec := graph.NodeSpec{ID: n.id, Name: n.id, Key: graph.NewKey, Parent: parent, Extra: attributesOf(n)}
			if n.sub == nil {
				spec.Label = "true"
			} else {
				spec.Container = true
			}
			tr.nodes = append(tr.nodes, spec)
			if n.sub != nil {
				tr.spell(n.sub.flow, at)
			}
		}
	}
	for _, e := range f.edges {
		spec := graph.EdgeSpec{Key: graph.NewKey, Source: tr.index[e.from], Target: tr.index[e.to], Extra: map[string]string{"when": whenOf(e)}}
		if !e.blocking {
			spec.Type = "non-blocking"
		}
		tr.edges = append(tr.edges, spec)
	}
}

func whenOf(e *aEdge) string {
	name := e.from.id
	return map[string]string{
		"if:go":     "if:nodes." + name + ".outputs.go == \"yes\"",
		"if:status": "if:nodes." + name + ".status == \"ran\"",
		"if:none":   "if:nodes." + name + ".outputs.none + 1 > 2",
	}[e.when] + map[bool]string{true: e.when}[!strings.HasPrefix(e.when, "if:")]
}

func attributesOf(n *aNode) map[string]string {
	a := map[string]string{}
	put := func(key, value string, given bool) {
		if given {
			a[key] = value
		}
	}
	put("join", strconv.Itoa(n.need), n.need > 0)
	put("retries", strconv.Itoa(n.retries), n.retries > 0)
	put("retry_delay", "1s", n.retries > 1)
	put("approve", "Go on?", n.approve)
	put("wait", "1s", n.wait && n.sub == nil)
	s := n.sub
	if s == nil {
		return a
	}
	a["parallel"] = strconv.Itoa(s.parallel)
	put("on_failure", "continue", s.goOn)
	put("min_success", strconv.Itoa(s.least), s.least >= 0)
	items := []string{}
	for k := range s.count {
		items = append(items, strconv.Itoa(k))
	}
	test := ""
	if s.test != nil {
		test = "nodes." + s.test.id + ".outputs.go"
	}
	switch s.kind {
	case "foreach":
		a["foreach"] = "[" + strings.Join(items, ",") + "]"
	case "lines":
		a["foreach"] = "lines:list"
	case "times":
		a["times"] = strconv.Itoa(s.count)
	case "while":
		a["while"] = fmt.Sprintf("iteration < %d", s.count)
		put("while", fmt.Sprintf("iteration == 0 || iteration < %d && %s == \"yes\"", s.count, test), s.test != nil)
	case "until":
		a["until"] = fmt.Sprintf("iteration >= %d", s.count)
		put("until", fmt.Sprintf("iteration >= %d || %s != \"yes\"", s.count, test), s.test != nil)
	}
	return a
}

// play runs the workflow in many orders.
func (tr *controlTrial) play(seen *sightings) {
	world := &aWorld{seed: uint64(tr.seed), status: map[string]string{}, executed: map[string]int{}, outputs: map[string]fate{}}
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

func (tr *controlTrial) run(order int, world *aWorld, failed bool, seen *sightings) {
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
func (tr *controlTrial) end(run *Run, node, number int) Event {
	n, path := tr.byID[run.Template(node)], run.NodeID(node)
	f := fateOf(uint64(tr.seed), n, path, number)
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

// forgetFailures lets executions that a resume repeats end as they did before.
func (tr *controlTrial) forgetFailures(d *driver) {
	for i := range d.run.nodes {
		n, path := &d.run.nodes[i], d.run.NodeID(i)
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
		for f := d.run.frameOf(int32(i)); f.owner != noNode; f = d.run.frameOf(f.owner) {
			owner := &d.run.nodes[f.owner]
			repeats = repeats && !owner.decided && owner.status != graph.Idle
		}
		if repeats {
			d.completed[path]--
		}
	}
}

// compare looks at every node.
func (tr *controlTrial) compare(order int, d *driver, world *aWorld, failed, stopped bool, seen *sightings) {
	fail := func(format string, args ...any) {
		tr.t.Errorf("seed %d, order %d: %s\n%s", tr.seed, order, fmt.Sprintf(format, args...), tr.text())
	}
	if got := d.run.result() == Failed; got != failed {
		fail("failed is %v, want %v", got, failed)
	}
	blocked := d.run.Blocked()
	paths := map[string]bool{}
	for i := range d.run.NodeCount() {
		path := d.run.NodeID(i)
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
func (tr *controlTrial) text() string {
	var b strings.Builder
	for _, n := range tr.nodes {
		fmt.Fprintf(&b, "node %s in %d: %v\n", n.ID, n.Parent, n.Extra)
	}
	for _, e := range tr.edges {
		fmt.Fprintf(&b, "%s -> %s %s %s\n", tr.nodes[e.Source].ID, tr.nodes[e.Target].ID, e.Type, e.Extra["when"])
	}
	return b.String()
}

var _ = flow.CodeGroup

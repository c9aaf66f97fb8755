package scheduler

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"wf/graph"
)

var (
	seeds = flag.Int("seeds", 10_000, "how many random graphs TestRandom runs")
	seed  = flag.Int("seed", -1, "the one seed that TestRandom runs, as a failure prints it")
)

// TestPlainRunsMatchModel runs random graphs under random events, beside the model of model_test.go, and
// compares all effects and states after every event.
func TestPlainRunsMatchModel(t *testing.T) {
	if *seed >= 0 {
		newRandomRuns(t, *seed).play()
		return
	}
	kept, broken := 0, 0
	for s := range *seeds {
		tr := newRandomRuns(t, s)
		if tr.play(); t.Failed() {
			t.Fatalf("again with: go test -run TestRandom -seed %d", s)
		}
		kept, broken = kept+tr.kept, broken+tr.broken
	}
	if min(kept, broken) < *seeds/10 {
		t.Errorf("lookahead: %d executions came, %d became void: too few for a result", kept, broken)
	}
	t.Log(kept, "promises kept,", broken, "void")
}

// randomRuns is one random graph and the runs that follow each other on it.
type randomRuns struct {
	t     *testing.T
	seed  int
	rand  *rand.Rand
	graph *graph.Graph
	model *modelGraph
	last  map[string][]string // scope of the last run of a node

	// Of the present run:
	run, twin *Run // the twin gets the same events and must give the same effects
	want      *modelRun
	queue     []Effect // Execute effects, in order
	handed    []int    // dispatched, not started
	running   []int
	asked     map[int]bool // by a Cancel effect to end
	promises  announced
	trace     []string

	kept, broken int // yielded executions, over all runs
}

func newRandomRuns(t *testing.T, seed int) *randomRuns {
	tr := &randomRuns{t: t, seed: seed, rand: rand.New(rand.NewPCG(uint64(seed), 1)), last: map[string][]string{}}
	tr.grow()
	return tr
}

func (tr *randomRuns) chance(p float64) bool { return tr.rand.Float64() < p }

// failf reports a difference with the events that led to it.
func (tr *randomRuns) failf(format string, args ...any) {
	tr.t.Helper()
	tr.t.Fatalf("seed %d: %s\nevents: %v\n(go test -run TestRandom -seed %d)", tr.seed, fmt.Sprintf(format, args...), tr.trace, tr.seed)
}

// grow makes a graph for both sides. Blocking edges mostly point forward, so that most graphs
// can run; other edges are arbitrary.
func (tr *randomRuns) grow() {
	tr.model = &modelGraph{status: map[string]string{}}
	size := 1 + tr.rand.IntN(40)
	words := []string{"", "", "ran", "fail", "run", "running"}
	touched := tr.chance(0.3) // by earlier runs, or by another tool
	nodes := make([]graph.NodeSpec, size)
	for i := range nodes {
		nodes[i] = graph.NodeSpec{ID: "n" + strconv.Itoa(i), Key: i, Parent: -1, Label: "true"}
		if touched {
			nodes[i].Status = words[tr.rand.IntN(len(words))]
		}
		tr.model.nodes = append(tr.model.nodes, nodes[i].ID)
		tr.model.status[nodes[i].ID] = nodes[i].Status
	}
	order := tr.rand.Perm(size) // file order is not the order of dependencies
	var edges []graph.EdgeSpec
	for range tr.rand.IntN(2*size + 1) {
		edges = append(edges, tr.edge(len(edges), order, touched))
	}
	var err error
	if tr.graph, err = graph.Build(nodes, edges, nil); err != nil {
		tr.failf("build: %v", err)
	}
}

func (tr *randomRuns) edge(key int, order []int, touched bool) graph.EdgeSpec {
	a, b := tr.rand.IntN(len(order)), tr.rand.IntN(len(order))
	blocking := tr.chance(0.7)
	if blocking && a > b && !tr.chance(0.01) {
		a, b = b, a
	}
	if blocking && a == b && !tr.chance(0.01) {
		blocking = false
	}
	spec := graph.EdgeSpec{Key: key, Source: order[a], Target: order[b], Type: "blocking"}
	if !blocking {
		spec.Type = "non-blocking"
	}
	if touched && tr.chance(0.3) {
		spec.Status = "to_run"
	}
	tr.model.edges = append(tr.model.edges, &modelEdge{
		key: key, source: tr.model.nodes[spec.Source], target: tr.model.nodes[spec.Target],
		blocking: blocking, marked: spec.Status != "",
	})
	return spec
}

// play runs the graph a few times: each run goes on from the state that the previous one left.
func (tr *randomRuns) play() {
	for range 3 {
		if !tr.prepare() {
			return
		}
		tr.untilEnd()
	}
}

// prepare chooses a scope and starts a run on both sides. It returns false if NewRun fails.
func (tr *randomRuns) prepare() bool {
	var selected []*graph.Node
	var selectedIDs []string
	explicit := tr.chance(0.25)
	for _, n := range tr.graph.Nodes() {
		if explicit && tr.chance(0.6) {
			selected = append(selected, n)
			selectedIDs = append(selectedIDs, n.ID)
		}
	}
	scope, err := Choose(tr.graph, Request{Selected: selected, Explicit: explicit, LastScope: func(id string) ([]string, bool) {
		ids, known := tr.last[id]
		return ids, known
	}})
	if err != nil {
		tr.failf("choose: %v", err)
	}
	ids, resume := tr.model.choose(selectedIDs, explicit, tr.last)
	if got := nodeIDs(scope.Nodes); !slices.Equal(got, ids) || (scope.Mode == Resume) != resume {
		tr.failf("chose %v %v, want resume %v of %v", scope.Mode, got, resume, ids)
	}
	opt := Options{MaxActivations: 1 + tr.rand.IntN(6), FailFast: tr.chance(0.15)}
	if tr.run, err = NewRun(tr.graph, scope, opt); err != nil || tr.model.hasBlockingCycle(ids) {
		tr.refused(err, ids)
		return false
	}
	tr.twin, _ = NewRun(tr.graph, scope, opt)
	tr.want = newModelRun(tr.model, ids, opt.MaxActivations, opt.FailFast)
	tr.queue, tr.handed, tr.running, tr.asked, tr.promises = nil, nil, nil, map[int]bool{}, newPromises()
	tr.trace = append(tr.trace, fmt.Sprintf("begin(%v %v %+v)", scope.Mode, ids, opt))
	for _, id := range ids {
		tr.last[id] = ids
	}
	return true
}

// refused checks that an error is right: a cycle of in-scope blocking edges.
func (tr *randomRuns) refused(err error, scope []string) {
	cycle, ok := err.(*CycleError)
	if !ok || !tr.model.hasBlockingCycle(scope) {
		tr.failf("refused with %v; has a cycle: %v", err, tr.model.hasBlockingCycle(scope))
	}
	for i, key := range cycle.Edges {
		e := tr.model.edges[key]
		if next := cycle.Nodes[(i+1)%len(cycle.Nodes)]; !e.blocking || e.source != cycle.Nodes[i] || e.target != next ||
			!slices.Contains(scope, e.source) {
			tr.failf("edge %d does not lead from %s to %s in a cycle", key, cycle.Nodes[i], next)
		}
	}
}

// untilEnd sends events until the run ends, or abandons it as a dying daemon does.
func (tr *randomRuns) untilEnd() {
	failures, slots := tr.rand.Float64()*0.4, 1+tr.rand.IntN(8)
	disturb, dies := 0.0, tr.chance(0.1)
	if tr.chance(0.3) {
		disturb = 0.03
	}
	tr.step(Event{Kind: Start})
	bound := 4 * (tr.run.NodeCount() + 1) * (tr.run.opt.MaxActivations + 1)
	for steps := 0; !tr.run.Ended(); steps++ {
		if dies && tr.chance(0.05) {
			return
		}
		if steps > bound {
			tr.failf("does not end")
		}
		tr.oneEvent(failures, disturb, slots)
	}
	if len(tr.running)+len(tr.handed) > 0 || tr.run.counts[graph.Queued]+tr.run.counts[graph.Running] > 0 {
		tr.failf("ended while something was going on")
	}
}

func (tr *randomRuns) oneEvent(failures, disturb float64, slots int) {
	if tr.chance(disturb) {
		if tr.chance(0.2) {
			tr.step(Event{Kind: Stop})
		} else {
			tr.step(Event{Kind: CancelNode, Node: tr.rand.IntN(tr.run.NodeCount())})
		}
		return
	}
	for len(tr.queue) > 0 && !tr.run.Wants(tr.queue[0].Node, tr.queue[0].Execution) {
		tr.queue = tr.queue[1:] // withdrawn
	}
	going := len(tr.running) + len(tr.handed)
	if len(tr.queue) > 0 && going < slots && (going == 0 || tr.chance(0.6)) {
		node := tr.queue[0].Node
		tr.queue = tr.queue[1:]
		tr.handed = append(tr.handed, node)
		tr.step(Event{Kind: Dispatched, Node: node})
		return
	}
	if going == 0 {
		tr.failf("nothing is queued or running, and the run has not ended")
	}
	if len(tr.handed) > 0 && (len(tr.running) == 0 || tr.chance(0.6)) {
		tr.executor(failures)
		return
	}
	tr.finish(tr.rand.IntN(len(tr.running)), failures)
}

// executor starts the execution that was dispatched first, withdraws it if it was asked to end, or
// reports its end without a start.
func (tr *randomRuns) executor(failures float64) {
	node := tr.handed[0]
	tr.handed = tr.handed[1:]
	switch {
	case tr.asked[node] && tr.chance(0.7):
		delete(tr.asked, node)
		tr.step(Event{Kind: Withdrawn, Node: node, Execution: tr.run.Executions(node)})
	case tr.chance(0.1):
		tr.running = append(tr.running, node)
		tr.finish(len(tr.running)-1, failures)
	default:
		tr.running = append(tr.running, node)
		tr.step(Event{Kind: Started, Node: node})
	}
}

// finish ends one of the running executions.
func (tr *randomRuns) finish(at int, failures float64) {
	node := tr.running[at]
	tr.running = slices.Delete(tr.running, at, at+1)
	delete(tr.asked, node)
	ev := Event{Kind: Finished, Node: node, Execution: tr.run.Executions(node), OK: !tr.chance(failures)}
	if !ev.OK {
		ev.Reason = "exit"
	}
	tr.step(ev)
}

// step gives one event to the run, its twin and the model, and compares their effects.
func (tr *randomRuns) step(ev Event) {
	tr.trace = append(tr.trace, tr.tell(ev))
	effects := tr.run.Step(ev)
	if twin := tr.twin.Step(ev); !slices.Equal(effects, twin) {
		tr.failf("the same events gave\n%v, then\n%v", effects, twin)
	}
	var got []string
	for _, e := range effects {
		got = append(got, tr.apply(e))
	}
	tr.want.lines = nil
	tr.stepModel(ev)
	if !slices.Equal(got, tr.want.lines) {
		tr.failf("effects\n%q, want\n%q", got, tr.want.lines)
	}
	tr.compareStates()
	tr.hold(ev, effects)
	tr.noteLookahead()
}

func (tr *randomRuns) tell(ev Event) string {
	names := [...]string{Start: "begin", Dispatched: "hand", Started: "started", Finished: "fail", Withdrawn: "withdrawn",
		Stop: "stop", CancelNode: "cancel"}
	if ev.OK {
		return "ok " + tr.run.Path(ev.Node)
	}
	if ev.Kind == Start || ev.Kind == Stop {
		return names[ev.Kind]
	}
	return names[ev.Kind] + " " + tr.run.Path(ev.Node)
}

func (tr *randomRuns) stepModel(ev Event) {
	switch ev.Kind {
	case Start:
		if tr.run.Mode() == Resume {
			tr.want.beginResume()
		} else {
			tr.want.beginFresh()
		}
	case Dispatched:
		tr.want.dispatch(tr.run.Path(ev.Node))
	case Started:
		tr.want.started(tr.run.Path(ev.Node))
	case Withdrawn:
		tr.want.withdraw(tr.run.Path(ev.Node))
	case Finished:
		tr.want.finish(tr.run.Path(ev.Node), ev.OK)
	case Stop:
		tr.want.stop()
	case CancelNode:
		tr.want.cancel(tr.run.Path(ev.Node))
	}
}

// apply applies an effect to the graph, as a workspace does, and formats it as the model does.
func (tr *randomRuns) apply(e Effect) string {
	switch e.Kind {
	case NodeChanged:
		n := tr.graph.Node(tr.run.Path(e.Node))
		tr.graph.SetStatus(n, e.Status)
		return fmt.Sprintf("node %s %q %s", n.ID, e.Status, e.Reason)
	case EdgeChanged:
		edge := tr.graph.Edge(tr.run.EdgeKey(e.Edge))
		tr.graph.SetMark(edge, e.Mark)
		return fmt.Sprintf("edge %d %v", edge.Key, e.Mark == graph.ToRun)
	case Execute:
		tr.queue = append(tr.queue, e)
		return fmt.Sprintf("execute %s %d", tr.run.Path(e.Node), e.Execution)
	case Cancel:
		tr.asked[e.Node] = true
		return fmt.Sprintf("cancel %s %d", tr.run.Path(e.Node), e.Execution)
	case Ended:
		return "end " + e.Result.String()
	}
	return "unknown effect"
}

// compareStates checks the whole graph, so it also finds changes outside of the scope.
func (tr *randomRuns) compareStates() {
	for _, n := range tr.graph.Nodes() {
		if got, want := n.Status.String(), tr.model.status[n.ID]; got != want {
			tr.failf("node %s is %q, want %q", n.ID, got, want)
		}
	}
	for i, e := range tr.graph.Edges() {
		if e.Mark == graph.ToRun != tr.model.edges[i].marked {
			tr.failf("edge %d is marked %v, want %v", i, e.Mark == graph.ToRun, tr.model.edges[i].marked)
		}
	}
	for i := range tr.run.NodeCount() {
		id := tr.run.Path(i)
		if tr.run.Executions(i) != tr.want.executions[id] || tr.run.Executions(i) > tr.run.opt.MaxActivations {
			tr.failf("node %s had %d executions, want %d", id, tr.run.Executions(i), tr.want.executions[id])
		}
		if tr.run.Status(i).String() != tr.model.status[id] {
			tr.failf("node %s is %q in the run, want %q", id, tr.run.Status(i), tr.model.status[id])
		}
	}
}

func nodeIDs(nodes []*graph.Node) (ids []string) {
	for _, n := range nodes {
		ids = append(ids, n.ID)
	}
	return ids
}

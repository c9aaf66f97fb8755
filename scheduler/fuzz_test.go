package scheduler

import (
	"math/rand/v2"
	"testing"

	"wf/graph"
)

// FuzzControlFlow reads the events in a random workflow from bytes. Its nodes also have join_timeout,
// join_losers and timeouts, and trigger any others. There must be no panic, the counts must be those of the
// nodes, a replay must give the same result, and without further events from outside the run must end.
func FuzzControlFlow(f *testing.F) {
	f.Add(uint16(1), []byte{})
	f.Add(uint16(7), []byte{200, 1, 2, 3, 250, 4, 5, 6, 7, 8, 9, 251, 10, 11, 252, 12, 13})
	f.Add(uint16(39), []byte("stop in the middle, go on, and stop once more"))
	f.Fuzz(func(t *testing.T, seed uint16, script []byte) { newFuzzing(t, int(seed), script).play() })
}

// TestFuzzedRunsStayConsistent runs a few hundred inputs of the fuzzer.
func TestFuzzedRunsStayConsistent(t *testing.T) {
	played := 0
	for seed := range 300 {
		random := rand.New(rand.NewPCG(uint64(seed), 5))
		script := make([]byte, random.IntN(200))
		for k := range script {
			script[k] = byte(random.IntN(256))
		}
		if newFuzzing(t, seed, script).play() {
			played++
		}
	}
	if played < 200 {
		t.Errorf("only %d of 300 workflows could be played", played)
	}
}

type fuzzing struct {
	t       *testing.T
	trial   *controlWorkflow
	d       *driver
	script  []byte
	resumes int
}

func newFuzzing(t *testing.T, seed int, script []byte) *fuzzing {
	tr := newControlWorkflow(t, seed)
	random := rand.New(rand.NewPCG(uint64(seed), 11))
	for k := range tr.nodes {
		n := &tr.nodes[k]
		put := func(share float64, key string, words ...string) {
			if random.Float64() < share {
				n.Extra[key] = words[random.IntN(len(words))]
			}
		}
		put(0.15, "join_timeout", "1s", "3s")
		put(0.15, "join_losers", "cancel")
		put(0.1, "timeout", "1s", "2s")
		put(0.1, "retries", "1", "3")
		if n.Extra["approve"] != "" {
			put(0.5, "approve_timeout", "1s")
		}
	}
	for range random.IntN(4) { // triggers from anywhere to anywhere in one flow
		a, b := random.IntN(len(tr.nodes)), random.IntN(len(tr.nodes))
		if tr.nodes[a].Parent == tr.nodes[b].Parent {
			when := []string{"", "failure", "case:x", "else"}[random.IntN(4)]
			tr.edges = append(tr.edges, graph.EdgeSpec{Key: graph.NewKey, Source: a, Target: b, Type: "non-blocking", Extra: map[string]string{"when": when}})
		}
	}
	return &fuzzing{t: t, trial: tr, script: script}
}

// play returns false if the workflow cannot be run.
func (fz *fuzzing) play() bool {
	g, err := graph.Build(fz.trial.nodes, fz.trial.edges, nil)
	if err != nil {
		fz.t.Fatal(err)
	}
	f, err := readFlow(g)
	if err != nil {
		return false // NewRun refuses the workflow
	}
	fz.d = newDriver(fz.t, g, Options{Flow: f, Mocks: fz.trial.mocks, MaxActivations: 5, FailFast: len(fz.script)%7 == 3}, nil)
	fz.d.end = fz.trial.end
	if err := fz.d.begin(Scope{Mode: Fresh, Nodes: runnable(g), All: true}, 2); err != nil {
		return false
	}
	fz.consistent()
	for _, b := range fz.script {
		if fz.d.run.Ended() {
			if fz.resumes++; fz.resumes > 3 {
				break
			}
			fz.d.resume(2)
		}
		fz.happen(b)
		fz.consistent()
	}
	fz.d.rand = rand.New(rand.NewPCG(3, 4))
	fz.d.untilEnd()
	fz.consistent()
	fz.d.crash()
	return true
}

// happen makes the event happen that a byte chooses.
func (fz *fuzzing) happen(b byte) {
	d := fz.d
	switch {
	case b == 250:
		d.step(Event{Kind: Stop})
	case b > 250:
		d.crash()
	case b > 244:
		d.step(Event{Kind: CancelNode, Node: int(b) * 31 % d.run.NodeCount()})
	case b > 238 && d.run.NextTick() > 0:
		d.now = max(d.now, d.run.NextTick())
		d.step(Event{Kind: Tick})
	default:
		d.rand = rand.New(rand.NewPCG(uint64(b), uint64(len(d.events))))
		d.slots = 1 + int(b)%5
		d.advance()
	}
}

// consistent checks all counters.
func (fz *fuzzing) consistent() {
	r := fz.d.run
	var counts [graph.Statuses]int
	for i := range r.nodes {
		counts[r.nodes[i].status]++
		if r.nodes[i].dispatched && !busy(r.nodes[i].status) {
			fz.t.Fatalf("%s was dispatched and is %q", r.Path(i), r.nodes[i].status)
		}
	}
	if counts != r.counts {
		fz.t.Fatalf("counted %v, want %v", r.counts, counts)
	}
	for k := range r.instances {
		fz.consistentInstance(k)
	}
	if len(r.todo.dead)+len(r.todo.ended)+len(r.todo.losers)+len(r.todo.ready)+len(r.todo.unsettled)+len(r.todo.idle) > 0 {
		fz.t.Fatalf("work is left: %+v", r.todo)
	}
}

func (fz *fuzzing) consistentInstance(k int) {
	r := fz.d.run
	inst := &r.instances[k]
	active, unhandled := int32(0), int32(0)
	for i := inst.node; i < inst.end(); i++ {
		n := &r.nodes[i]
		if busy(n.status) {
			active++
		}
		if n.status == graph.Failed && !n.handled {
			unhandled++
		}
		missing, live := int32(0), int32(0)
		for _, l := range inst.in(i) {
			switch r.marks[inst.edgeID(l)].bears() {
			case graph.Unmarked:
				missing++
			case graph.ToRun:
				live++
			}
		}
		if n.missing != missing || !r.plain && r.control[i].live != live {
			fz.t.Fatalf("%s misses %d marks, want %d, or has not %d tokens", r.Path(int(i)), n.missing, missing, live)
		}
	}
	if !r.plain && inst.active != active || inst.unhandled != unhandled {
		fz.t.Fatalf("instance %d: %d active and %d unhandled, want %d and %d", k, inst.active, inst.unhandled, active, unhandled)
	}
	if inst.over && active > 0 {
		fz.t.Fatalf("instance %d is over, and %d nodes are active", k, active)
	}
}

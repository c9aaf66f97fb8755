package scheduler

import (
	"hash/fnv"
	"strconv"
	"strings"

	"wf/graph"
)

// This file computes the result of a workflow with conditions, joins, loops and sub-flows, independent of
// the order of events: for each node whether it executes, is skipped, or is blocked, as a function of the
// results of its sources. It is written from docs/control-flow.md and shares nothing with the scheduler.

// aFlow is the outer flow, or the content of a sub-flow. Its blocks are in topological order.
type aFlow struct {
	blocks []*aBlock
	edges  []*aEdge
}

// aBlock is a node, or a loop: its first node is where it is entered, its last one may start another round.
type aBlock struct {
	nodes []*aNode
	loop  bool
}

type aNode struct {
	id      string
	block   *aBlock
	in, out []*aEdge
	need    int // of the join: 0 = all
	retries int
	approve bool
	wait    bool
	mocked  bool
	sub     *aSub
	again   bool // the last one of a loop
}

type aEdge struct {
	from, to *aNode
	blocking bool
	when     string
}

type aSub struct {
	kind     string // foreach, lines, times, while, until
	count    int
	test     *aNode // of while and until: whose output go is looked at; nil = only count matters
	parallel int
	goOn     bool
	least    int // -1 = not given
	flow     *aFlow
}

// once reports that a node decides at most once: nothing triggers it, nor the nodes that lead to it.
func (n *aNode) once() bool {
	if n.block.loop {
		return false
	}
	for _, e := range n.in {
		if !e.blocking || !e.from.once() {
			return false
		}
	}
	return true
}

// A modelEnd is how an execution ends.
type modelEnd struct {
	ok      bool
	exit    int // -1 = there is no exit code
	reason  string
	choice  string // output case
	goes    bool   // output go
	outputs bool
}

// plannedEnd draws how the n-th execution of a node ends. Outside of loops it is always the same.
func plannedEnd(seed uint64, n *aNode, path string, number int) modelEnd {
	if !n.block.loop {
		number = 1
	}
	h := fnv.New64a()
	h.Write([]byte(strconv.FormatUint(seed, 10) + path + "#" + strconv.Itoa(number)))
	x := h.Sum64()
	draw := func(n uint64) uint64 { v := x % n; x /= n; return v }
	f := modelEnd{ok: true, outputs: true}
	f.choice = []string{"", "x", "y"}[draw(3)]
	f.goes = draw(2) == 0
	switch draw(12) {
	case 0:
		f.ok, f.exit, f.reason = false, 2, ReasonExit
	case 1:
		f.ok, f.exit, f.reason = false, 1, ReasonExit
	case 2:
		f.ok, f.exit, f.reason = false, -1, ReasonSignal
	}
	if n.approve && draw(3) == 0 {
		f = modelEnd{exit: -1, reason: ReasonRejected}
	}
	if n.again && f.ok && number%3 != 0 && draw(3) > 0 {
		f.choice = "again"
	}
	if n.mocked {
		f = modelEnd{ok: true, choice: "x", outputs: true}
	}
	return f
}

// attempts is how many executions it takes: a node that is repeated fails always, or fewer times than it may.
func attempts(seed uint64, n *aNode, path string) (number int, fails bool) {
	if n.retries == 0 || n.mocked {
		return 1, false
	}
	f := plannedEnd(seed, n, path, 1)
	if !f.ok {
		return 1 + n.retries, true
	}
	return 1 + len(path)%(n.retries+1), false
}

// modelResult is the result of a workflow.
type modelResult struct {
	seed     uint64
	status   map[string]string   // by path: ran, fail, handled, skip; no entry for blocked nodes
	executed map[string]int      // executions, by path
	outputs  map[string]modelEnd // of the last execution
}

// modelInstance is an instance of a flow while its result is computed.
type aFrame struct {
	w       *modelResult
	prefix  string
	fired   map[*aEdge]bool
	decided map[*aNode]bool
	settled map[*aBlock]bool
	failed  bool // something in it failed, and no edge handled that
}

func (w *modelResult) play(f *aFlow, prefix string) *aFrame {
	fr := &aFrame{w: w, prefix: prefix, fired: map[*aEdge]bool{}, decided: map[*aNode]bool{}, settled: map[*aBlock]bool{}}
	for _, b := range f.blocks {
		if b.loop {
			fr.loop(b)
			continue
		}
		n := b.nodes[0]
		fr.conclude(n, fr.entry(n))
		fr.settled[b] = fr.closed(b)
	}
	return fr
}

// mark is the final state of an edge: live, dead, or nothing.
func (fr *aFrame) mark(e *aEdge) string {
	switch {
	case fr.fired[e]:
		return "live"
	case fr.decided[e.from] && (e.from.once() || fr.settled[e.from.block]):
		return "dead"
	}
	return ""
}

// entry computes the result of a node that is in no loop, or in which a loop is entered.
func (fr *aFrame) entry(n *aNode) string {
	live, dead, open, blocking, any := 0, 0, 0, 0, false
	triggered, quiet := false, true
	for _, e := range n.in {
		if e.from.block == n.block {
			continue // the back edge of a loop
		}
		any = true
		if !e.blocking {
			triggered = triggered || fr.fired[e]
			quiet = quiet && fr.settled[e.from.block]
			continue
		}
		blocking++
		switch fr.mark(e) {
		case "live":
			live++
		case "dead":
			dead++
		default:
			open++
		}
	}
	switch {
	case !any || triggered:
		return "run"
	case blocking == 0 && quiet:
		return "skip"
	case blocking == 0:
		return ""
	}
	return joined(n.need, live, open)
}

func joined(need, live, open int) string {
	switch {
	case need == 0 && open > 0:
		return ""
	case need == 0 && live > 0, need > 0 && live >= need:
		return "run"
	case need == 0, live+open < need:
		return "skip"
	}
	return ""
}

// conclude executes a node, or skips it.
func (fr *aFrame) conclude(n *aNode, what string) {
	path := fr.prefix + n.id
	switch what {
	case "skip":
		if fr.w.status[path] == "" {
			fr.w.status[path] = "skip"
		}
		fr.decided[n] = true
	case "run":
		f := fr.execute(n, path)
		fires, broken := choices(n, f)
		if broken {
			f.ok = false
		}
		handled := false
		for _, e := range fires {
			fr.fired[e] = true
			handled = handled || !f.ok
		}
		switch {
		case f.ok:
			fr.w.status[path] = "ran"
		case handled:
			fr.w.status[path] = "handled"
		default:
			fr.w.status[path] = "fail"
			fr.failed = true
		}
		fr.decided[n] = f.ok || handled
	}
}

func (fr *aFrame) execute(n *aNode, path string) modelEnd {
	w := fr.w
	if n.sub != nil {
		return w.instances(n, path)
	}
	number, fails := attempts(w.seed, n, path)
	f := plannedEnd(w.seed, n, path, w.executed[path]+number)
	if f.reason != ReasonRejected && !n.mocked {
		w.executed[path] += number
	}
	if n.retries > 0 && fails {
		f = plannedEnd(w.seed, n, path, 1)
	}
	w.outputs[path] = f
	return f
}

// choices returns the edges that fire for an end. broken means that one of them cannot be evaluated.
func choices(n *aNode, f modelEnd) (fires []*aEdge, broken bool) {
	holds := func(e *aEdge) (fire, choice bool) {
		switch word, rest, _ := strings.Cut(e.when, ":"); word {
		case "", "success":
			return f.ok, false
		case "failure":
			return !f.ok, false
		case "done":
			return true, false
		case "exit":
			return rest == "2" && f.exit == 2 || rest == "0-1" && (f.exit == 0 || f.exit == 1), true
		case "case":
			return f.outputs && f.choice == rest, true
		case "if":
			switch {
			case strings.Contains(rest, "none"):
				broken = true
			case strings.Contains(rest, "status"):
				return f.ok, true
			case strings.Contains(rest, "go"):
				return f.outputs && f.goes, true
			}
			return false, true
		}
		return false, false
	}
	chosen := false
	for _, e := range n.out {
		fire, choice := holds(e)
		chosen = chosen || fire && choice
		if fire {
			fires = append(fires, e)
		}
	}
	for _, e := range n.out {
		if e.when == "else" && !chosen {
			fires = append(fires, e)
		}
	}
	if !broken {
		return fires, false
	}
	fires = nil
	for _, e := range n.out {
		if e.when == "failure" || e.when == "done" {
			fires = append(fires, e)
		}
	}
	return fires, true
}

// closed reports that nothing can happen in a block any more, even in a resume.
func (fr *aFrame) closed(b *aBlock) bool {
	if n := b.nodes[0]; n.once() {
		return fr.decided[n]
	}
	for _, n := range b.nodes {
		if !fr.decided[n] || fr.w.status[fr.prefix+n.id] == "fail" {
			return false
		}
		for _, e := range n.in {
			if e.from.block != b && !fr.settled[e.from.block] {
				return false
			}
		}
	}
	return true
}

// loop computes round after round, until the last node starts no other one.
func (fr *aFrame) loop(b *aBlock) {
	first, last := b.nodes[0], b.nodes[len(b.nodes)-1]
	what := fr.entry(first)
	for {
		inner := &aFrame{w: fr.w, prefix: fr.prefix, fired: map[*aEdge]bool{}, decided: map[*aNode]bool{}}
		for _, n := range b.nodes {
			if n != first {
				what = inner.inRound(n)
			}
			inner.conclude(n, what)
		}
		again := false
		for e := range inner.fired {
			fr.fired[e] = true
			again = again || e.from == last && e.to == first
		}
		fr.failed = fr.failed || inner.failed
		fr.decided = merge(fr.decided, inner.decided)
		if inner.failed {
			for _, n := range b.nodes { // the round did not come to its end
				if !inner.decided[n] {
					delete(fr.decided, n)
				}
			}
		}
		if !again {
			break
		}
		what = "run"
	}
	fr.settled[b] = fr.closed(b)
}

func merge(into, more map[*aNode]bool) map[*aNode]bool {
	for n := range more {
		into[n] = more[n]
	}
	return into
}

// inRound computes the result of a node of a loop in one round.
func (fr *aFrame) inRound(n *aNode) string {
	live, open := 0, 0
	for _, e := range n.in {
		switch {
		case fr.fired[e]:
			live++
		case !fr.decided[e.from]:
			open++
		}
	}
	return joined(n.need, live, open)
}

// instances computes a sub-flow.
func (w *modelResult) instances(n *aNode, path string) modelEnd {
	for other := range w.status {
		if strings.HasPrefix(other, path+"[") {
			delete(w.status, other)
		}
	}
	for other := range w.outputs {
		if strings.HasPrefix(other, path+"[") {
			delete(w.outputs, other)
		}
	}
	s := n.sub
	if s.kind == "lines" {
		w.executed[path]++
		if f := plannedEnd(w.seed, n, path, w.executed[path]); !f.ok {
			f.outputs = false
			return f
		}
	}
	begun, failed := 0, 0
	for w.another(s, path, begun) && (failed == 0 || s.goOn || s.parallel == 0 && s.kind != "while" && s.kind != "until") {
		if w.play(s.flow, path+"["+strconv.Itoa(begun)+"]/").failed {
			failed++
		}
		begun++
	}
	least := begun
	if s.goOn && s.least >= 0 && s.count > 0 { // an empty list succeeds at once
		least = s.least
	}
	if begun-failed >= least {
		return modelEnd{ok: true}
	}
	return modelEnd{exit: -1, reason: ReasonInstances}
}

func (w *modelResult) another(s *aSub, path string, begun int) bool {
	if begun == 0 && s.kind == "until" {
		return true
	}
	if begun >= s.count || s.test == nil || begun == 0 {
		return begun < s.count
	}
	last := path + "[" + strconv.Itoa(begun-1) + "]/" + s.test.id
	f, known := w.outputs[last]
	return known && w.status[last] != "skip" && f.outputs && f.goes
}

// word returns the model's name for a state of the scheduler.
func wordOf(r *Run, i int) string {
	switch {
	case r.Status(i) == graph.Failed && r.Handled(i):
		return "handled"
	case r.Status(i) == graph.Idle:
		return ""
	}
	return r.Status(i).String()
}

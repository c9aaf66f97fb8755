package scheduler

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"wf/graph"
)

// controlWorkflow is a random workflow.
type controlWorkflow struct {
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

func newControlWorkflow(t *testing.T, seed int) *controlWorkflow {
	tr := &controlWorkflow{t: t, seed: seed, rand: rand.New(rand.NewPCG(uint64(seed), 3)), byID: map[string]*aNode{},
		mocks: map[string]Mock{}, index: map[*aNode]int{}}
	tr.flow = tr.newFlow(0)
	tr.addToGraph(tr.flow, -1)
	return tr
}

func (tr *controlWorkflow) chance(p float64) bool { return tr.rand.Float64() < p }

func (tr *controlWorkflow) oneOf(words ...string) string { return words[tr.rand.IntN(len(words))] }

// newFlow makes a flow: blocks in order, and edges from earlier to later ones.
func (tr *controlWorkflow) newFlow(depth int) *aFlow {
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

func (tr *controlWorkflow) newBlock(depth int) *aBlock {
	b := &aBlock{}
	tr.newNode(b, depth)
	return b
}

func (tr *controlWorkflow) newNode(b *aBlock, depth int) *aNode {
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

func (tr *controlWorkflow) newSub(depth int) *aSub {
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
func (tr *controlWorkflow) newLoop(f *aFlow, depth int) *aBlock {
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

// lead adds edges from earlier nodes to a node.
func (tr *controlWorkflow) lead(f *aFlow, n *aNode, before []*aBlock) {
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
			continue // its instances would execute an unknown number of times
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

// enter adds the edge into a loop, which must not be entered a second time while it runs.
func (tr *controlWorkflow) enter(f *aFlow, n *aNode, before []*aBlock, number int) {
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
func (tr *controlWorkflow) chain(f *aFlow) {
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

func (tr *controlWorkflow) edge(f *aFlow, from, to *aNode, blocking bool) *aEdge {
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

// addToGraph turns a flow into nodes and edges of a graph.
func (tr *controlWorkflow) addToGraph(f *aFlow, parent int) {
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
				tr.addToGraph(n.sub.flow, at)
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
		a["until"] = fmt.Sprintf("iteration >= %d", s.count-1)
		put("until", fmt.Sprintf("iteration >= %d || %s != \"yes\"", s.count-1, test), s.test != nil)
	}
	return a
}

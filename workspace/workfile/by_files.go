package workfile

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"wf/api"
	"wf/graph"
	"wf/scheduler/flow"
	"wf/workspace/uptodate"
)

// FileLinks is what declared inputs and outputs say about the order of nodes. Paths are compared as they are written: one with
// an expression is equal only to the same text.
type FileLinks struct {
	Shared  []SharedOutput
	Missing []FileLink
	// Given up means that not all pairs of nodes were compared, because there are too many without an edge.
	GivenUp bool
}

// A SharedOutput is an output that two nodes declare, or all instances of one node: then the nodes are equal.
type SharedOutput struct {
	First, Second *graph.Node
	Path          string
}

// A FileLink says that a node reads what another one makes, and no path of edges leads from one to the other.
type FileLink struct {
	Maker, Reader *graph.Node
	Path          string      // the input
	From, To      *graph.Node // what an edge would connect: the nodes, or sub-flows around them; nil if no edge can
}

// mostSteps bounds the search for paths between nodes.
const mostSteps = 20_000_000

// LinksByFiles compares the declared files of all nodes.
func LinksByFiles(g *graph.Graph) FileLinks {
	l := linker{makers: map[string][]*graph.Node{}, around: map[string][]string{}, steps: mostSteps}
	for _, n := range g.Nodes() {
		_, outputs := flow.DeclaredFiles(n)
		for _, p := range uptodate.Paths(outputs) {
			l.addOutput(n, path.Clean(p))
		}
	}
	if len(l.makers) == 0 {
		return l.FileLinks
	}
	l.inside = map[*graph.Node][]*graph.Node{}
	for _, n := range g.Nodes() {
		if n.Parent != nil {
			l.inside[n.Parent] = append(l.inside[n.Parent], n)
		}
	}
	for _, n := range g.Nodes() {
		inputs, _ := flow.DeclaredFiles(n)
		for _, p := range uptodate.Paths(inputs) {
			l.addInput(n, path.Clean(p))
		}
	}
	return l.FileLinks
}

// linker compares files.
type linker struct {
	FileLinks
	makers  map[string][]*graph.Node // by output
	around  map[string][]string      // outputs, by the folders around them
	inside  map[*graph.Node][]*graph.Node
	outputs []string // each once, in file order
	steps   int
}

func (l *linker) addOutput(n *graph.Node, output string) {
	if home := n.Home(); home != nil && !strings.Contains(output, "${{") && !slices.Contains(l.makers[output], n) {
		l.Shared = append(l.Shared, SharedOutput{n, n, output})
	}
	for _, other := range l.makers[output] {
		if other != n {
			l.Shared = append(l.Shared, SharedOutput{other, n, output})
		}
	}
	if len(l.makers[output]) == 0 {
		l.outputs = append(l.outputs, output)
		for at := path.Dir(output); at != "." && at != "/"; at = path.Dir(at) {
			l.around[at] = append(l.around[at], output)
		}
	}
	l.makers[output] = append(l.makers[output], n)
}

// addInput adds the links to a node because of an input.
func (l *linker) addInput(n *graph.Node, input string) {
	var outputs []string
	for at := input; at != "." && at != "/"; at = path.Dir(at) { // it is an output, or in one
		if len(l.makers[at]) > 0 {
			outputs = append(outputs, at)
		}
	}
	outputs = append(outputs, l.around[input]...)
	if strings.ContainsAny(input, `*?[{`) {
		base, _ := doublestar.SplitPattern(input)
		outputs = append(outputs, l.matching(input, base)...)
	}
	seen := map[*graph.Node]bool{n: true}
	for _, output := range outputs {
		for _, maker := range l.makers[output] {
			if !seen[maker] {
				seen[maker] = true
				l.link(maker, n, input)
			}
		}
	}
}

// matching returns the outputs that a pattern matches.
func (l *linker) matching(pattern, base string) (list []string) {
	if strings.Contains(pattern, "${{") || !doublestar.ValidatePattern(pattern) {
		return nil
	}
	candidates := l.around[base]
	if base == "." {
		candidates = l.outputs
	}
	for _, output := range candidates {
		if l.steps--; l.steps <= 0 {
			l.GivenUp = true
			return list
		}
		for at := output; at != "." && at != "/"; at = path.Dir(at) {
			if doublestar.MatchUnvalidated(pattern, at) {
				list = append(list, output)
				break
			}
		}
	}
	return list
}

// link adds a link if no path leads from the one node to the other, or back.
func (l *linker) link(maker, reader *graph.Node, input string) {
	for _, e := range reader.In {
		if e.Source == maker {
			return
		}
	}
	if l.leads(maker, reader) || l.leads(reader, maker) {
		return
	}
	if l.steps <= 0 {
		l.GivenUp = true
		return
	}
	from, to := together(maker, reader)
	l.Missing = append(l.Missing, FileLink{maker, reader, input, from, to})
}

// leads reports whether a path of edges leads from one node to another. What comes before a container comes before all that is
// in it, and what comes after it comes after all that is in it.
func (l *linker) leads(from, to *graph.Node) bool {
	seen, whole, list := map[*graph.Node]bool{to: true}, map[*graph.Node]bool{}, []*graph.Node{to}
	add := func(n *graph.Node) {
		if !seen[n] {
			seen[n] = true
			list = append(list, n)
		}
	}
	var addWhole func(n *graph.Node) // with all that is in it
	addWhole = func(n *graph.Node) {
		if add(n); whole[n] {
			return
		}
		whole[n] = true
		for _, child := range l.inside[n] {
			addWhole(child)
		}
	}
	for len(list) > 0 && l.steps > 0 && !seen[from] {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		l.steps -= 1 + len(n.In)
		for _, e := range n.In {
			addWhole(e.Source)
		}
		if n.Parent != nil && !encloses(n.Parent, from) {
			add(n.Parent)
		}
	}
	return seen[from]
}

func encloses(container, n *graph.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p == container {
			return true
		}
	}
	return false
}

// together returns what an edge between two nodes connects: edges do not cross the border of a sub-flow.
func together(a, b *graph.Node) (from, to *graph.Node) {
	for home := a.Home(); home != nil && !encloses(home, b) && home != b; home = a.Home() {
		a = home
	}
	for home := b.Home(); home != nil && home != a.Home(); home = b.Home() {
		b = home
	}
	if a == b || a.Home() != b.Home() {
		return nil, nil
	}
	return a, b
}

// connectByFiles adds the edges that declared files ask for.
func (b *editBuilder) connectByFiles(api.Edit) error {
	links := LinksByFiles(b.f.g)
	added := 0
	for _, link := range links.Missing {
		if link.From == nil || len(b.f.g.EdgesBetween(link.From, link.To)) > 0 {
			continue
		}
		if err := b.connect(link.From, link.To, api.Edit{}); err != nil {
			return err
		}
		added++
	}
	if links.GivenUp {
		b.note("not all nodes were compared: there are too many; repeat the command to go on")
	}
	if added == 0 {
		return api.Invalid("no edge is missing: wherever a node reads a declared output of another one, a path of edges connects them")
	}
	return nil
}

package main

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/convert"
	"wf/tui/plain"
	"wf/tui/words"
)

// A forest is a graph as printed by --format tree: each node is below one of its sources.
type forest struct {
	nodes    []*api.GraphNode // without groups
	children [][]int
	parent   []int   // -1 = a root
	waits    [][]int // sources of blocking edges, in file order, each once
	triggers [][]int // and of non-blocking ones
	home     []int   // the sub-flow that contains a node; -1 = none
	inner    []bool  // the parent of a node is its sub-flow, not one of its sources
	when     map[[2]int]string
}

// newForest puts every node below the last one of its sources that are farthest from the roots, so that all nodes
// that it waits for are above it. A node with only non-blocking edges is below the first of their sources that
// is not below the node itself.
func newForest(g *api.Graph) *forest {
	f := &forest{}
	at := map[string]int{}
	homes := map[string]int{} // by container: the sub-flow that it is or that contains it
	for i := range g.Nodes {
		n := &g.Nodes[i]
		home, inside := homes[n.Parent]
		if !inside {
			home = -1
		}
		if !n.Container || n.SubFlow != "" {
			at[n.ID] = len(f.nodes)
			f.nodes, f.home = append(f.nodes, n), append(f.home, home)
		}
		if n.SubFlow != "" {
			homes[n.ID] = at[n.ID]
		} else if n.Container && inside {
			homes[n.ID] = home
		}
	}
	count := len(f.nodes)
	f.children, f.waits, f.triggers = make([][]int, count), make([][]int, count), make([][]int, count)
	f.parent, f.inner, f.when = make([]int, count), make([]bool, count), map[[2]int]string{}
	seen := map[[2]int]bool{}
	for _, e := range convert.Expand(g) {
		from, ok := at[e.Source]
		to, both := at[e.Target]
		if !ok || !both || seen[[2]int{from, to}] {
			continue
		}
		seen[[2]int{from, to}] = true
		if e.When != "" {
			f.when[[2]int{from, to}] = e.When
		}
		if e.Type == "non-blocking" {
			f.triggers[to] = append(f.triggers[to], from)
		} else {
			f.waits[to] = append(f.waits[to], from)
		}
	}
	f.setParents()
	f.sortInner()
	return f
}

func (f *forest) setParents() {
	depth := f.depths()
	for v := range f.nodes {
		f.parent[v] = -1
		for _, u := range f.waits[v] {
			if depth[u] < depth[v] && (f.parent[v] < 0 || depth[u] >= depth[f.parent[v]]) {
				f.parent[v] = u
			}
		}
	}
	for v := range f.nodes {
		for _, u := range f.triggers[v] {
			if f.parent[v] < 0 && len(f.waits[v]) == 0 && !f.below(u, v) {
				f.parent[v] = u
			}
		}
		if f.parent[v] < 0 && f.home[v] >= 0 {
			f.parent[v], f.inner[v] = f.home[v], true
		}
		if u := f.parent[v]; u >= 0 {
			f.children[u] = append(f.children[u], v)
		}
	}
}

// sortInner sorts the nodes in a sub-flow before the nodes after it.
func (f *forest) sortInner() {
	rank := func(v int) int {
		if f.inner[v] {
			return 0
		}
		return 1
	}
	for v, n := range f.nodes {
		if n.SubFlow != "" {
			slices.SortStableFunc(f.children[v], func(a, b int) int { return rank(a) - rank(b) })
		}
	}
}

// below says whether u is v or below v.
func (f *forest) below(u, v int) bool {
	for ; u >= 0; u = f.parent[u] {
		if u == v {
			return true
		}
	}
	return false
}

// depths returns the lengths of the longest paths over blocking edges. Nodes in a cycle have depth zero, so that
// they are roots.
func (f *forest) depths() []int {
	depth, left := make([]int, len(f.nodes)), make([]int, len(f.nodes))
	out := make([][]int, len(f.nodes))
	var ready []int
	for v, sources := range f.waits {
		if left[v] = len(sources); left[v] == 0 {
			ready = append(ready, v)
		}
		for _, u := range sources {
			out[u] = append(out[u], v)
		}
	}
	for len(ready) > 0 {
		u := ready[0]
		ready = ready[1:]
		for _, v := range out[u] {
			depth[v] = max(depth[v], depth[u]+1)
			if left[v]--; left[v] == 0 {
				ready = append(ready, v)
			}
		}
	}
	for v := range depth {
		if left[v] > 0 {
			depth[v] = 0
		}
	}
	return depth
}

// printTree prints a line for each node.
func printTree(e *env, g *api.Graph) error {
	f := newForest(g)
	out := bufio.NewWriter(e.Stdout)
	p := treePrinter{forest: f, Paint: e.OutPaint(), out: out, width: e.OutWidth()}
	for v := range f.nodes {
		if f.parent[v] < 0 {
			p.print(v)
		}
	}
	return out.Flush()
}

type treePrinter struct {
	*forest
	console.Paint
	out   *bufio.Writer
	width int // of the terminal; 0 = lines are not cut
}

// maxIndent is the column at which branches stop moving to the right.
const maxIndent = 40

// print writes the tree below a root. It does not recurse, because chains can be long.
func (p *treePrinter) print(root int) {
	type item struct {
		node       int
		lead, rest string // the prefixes of its own line and of the lines below it
	}
	stack := []item{{node: root}}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		p.line(it.node, it.lead)
		children := p.children[it.node]
		for k := len(children) - 1; k >= 0; k-- {
			v := children[k]
			branch, below := p.Either("├─", "|-"), p.Either("│  ", "|  ")
			if k == len(children)-1 {
				branch, below = p.Either("└─", "`-"), "   "
			}
			switch {
			case p.inner[v]:
				branch = p.Either("│", "|") + " "
				if k == len(children)-1 {
					branch = p.Either("╵", "'") + " "
				}
			case len(p.waits[v]) == 0:
				branch = strings.Replace(branch, p.Either("─", "-"), p.Either("╌", "~"), 1)
			}
			lead, rest := it.rest+branch+" ", it.rest+below
			if console.Columns(rest) > maxIndent {
				lead, rest = it.rest+p.Either("↳ ", "> "), it.rest
			}
			stack = append(stack, item{v, lead, rest})
		}
	}
}

// line prints one node: its state, its name, its other sources, and as much of its command as fits.
func (p *treePrinter) line(v int, lead string) {
	n := p.nodes[v]
	name := plain.Line(n.Name)
	state := n.State
	if n.Handled {
		state = api.StateHandled
	}
	text := lead + p.Glyph(state) + " " + p.Strong(name)
	used := console.Columns(lead) + 2 + console.Columns(name)
	if note := p.condition(v); note != "" {
		text += p.SGR("2", note)
		used += console.Columns(note)
	}
	for _, more := range []struct {
		sources []int
		arrow   string
	}{{p.waits[v], p.Either("←", "<-")}, {p.triggers[v], p.Either("⇠", "<~")}} {
		if note := p.others(v, more.sources); note != "" {
			note = "  " + more.arrow + " " + note
			text += p.SGR("2", note)
			used += console.Columns(note)
		}
	}
	command := plain.Command(n.Command, p.ASCII)
	switch room := p.width - used - 3; {
	case command == "":
	case p.width == 0:
		text += "  " + p.SGR("2", command)
	case room >= 8:
		text += "  " + p.SGR("2", p.Clip(command, room))
	}
	fmt.Fprintln(p.out, text)
}

// condition returns how a sub-flow repeats its nodes, and the condition of the edge from the parent.
func (p *treePrinter) condition(v int) string {
	text := ""
	if kind := p.nodes[v].SubFlow; kind != "" {
		text = "  " + plain.Line(kind)
	}
	if u := p.parent[v]; u >= 0 && !p.inner[v] {
		if when := p.when[[2]int{u, v}]; when != "" {
			text += "  when " + plain.Line(when)
		}
	}
	return text
}

// others lists the sources of v except its parent.
func (p *treePrinter) others(v int, sources []int) string {
	var names []string
	for _, u := range sources {
		if u != p.parent[v] {
			name := p.nodes[u].Name
			if when := p.when[[2]int{u, v}]; when != "" {
				name += " (" + when + ")"
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return words.NameList(names, 4)
}

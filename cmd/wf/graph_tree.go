package main

import (
	"bufio"
	"fmt"
	"strings"

	"wf/api"
	"wf/plain"
)

// A forest is a graph as a tree prints it: each node hangs below one of those that lead to it.
type forest struct {
	nodes    []*api.GraphNode // without containers
	children [][]int
	parent   []int   // -1 = a root
	waits    [][]int // sources of blocking edges, in file order, each once
	triggers [][]int // and of non-blocking ones
}

// newForest hangs every node below the last of the sources that are farthest from the roots, so that
// whatever it waits for stands above. Where only non-blocking edges lead to a node, it hangs below
// the first of their sources that does not hang below itself.
func newForest(g *api.Graph) *forest {
	f := &forest{}
	at := map[string]int{}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; !n.Container {
			at[n.ID] = len(f.nodes)
			f.nodes = append(f.nodes, n)
		}
	}
	count := len(f.nodes)
	f.children, f.waits, f.triggers = make([][]int, count), make([][]int, count), make([][]int, count)
	f.parent = make([]int, count)
	seen := map[[2]int]bool{}
	for i := range g.Edges {
		e := &g.Edges[i]
		from, ok := at[e.Source]
		to, both := at[e.Target]
		if !ok || !both || seen[[2]int{from, to}] {
			continue
		}
		seen[[2]int{from, to}] = true
		if e.Type == "non-blocking" {
			f.triggers[to] = append(f.triggers[to], from)
		} else {
			f.waits[to] = append(f.waits[to], from)
		}
	}
	f.hang()
	return f
}

func (f *forest) hang() {
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
		if u := f.parent[v]; u >= 0 {
			f.children[u] = append(f.children[u], v)
		}
	}
}

// below says whether u hangs below v, or is v.
func (f *forest) below(u, v int) bool {
	for ; u >= 0; u = f.parent[u] {
		if u == v {
			return true
		}
	}
	return false
}

// depths are the lengths of the longest ways over blocking edges. Nodes in a cycle of them, which
// no run would take, stay at zero, and so they are roots.
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
	out := bufio.NewWriter(e.stdout)
	p := treePrinter{forest: f, paint: e.outPaint(), out: out, width: e.outWidth()}
	for v := range f.nodes {
		if f.parent[v] < 0 {
			p.print(v)
		}
	}
	return out.Flush()
}

type treePrinter struct {
	*forest
	paint
	out   *bufio.Writer
	width int // of the terminal; 0 = lines are not cut
}

// maxIndent is where branches stop moving to the right: a chain of a thousand nodes is not read
// in columns.
const maxIndent = 40

// print writes the tree below a root, without recursion: chains may be long.
func (p *treePrinter) print(root int) {
	type item struct {
		node       int
		lead, rest string // what stands before its own line, and before those below it
	}
	stack := []item{{node: root}}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		p.line(it.node, it.lead)
		children := p.children[it.node]
		for k := len(children) - 1; k >= 0; k-- {
			v := children[k]
			branch, below := p.either("├─", "|-"), p.either("│  ", "|  ")
			if k == len(children)-1 {
				branch, below = p.either("└─", "`-"), "   "
			}
			if len(p.waits[v]) == 0 {
				branch = strings.Replace(branch, p.either("─", "-"), p.either("╌", "~"), 1)
			}
			lead, rest := it.rest+branch+" ", it.rest+below
			if columns(rest) > maxIndent {
				lead, rest = it.rest+p.either("↳ ", "> "), it.rest
			}
			stack = append(stack, item{v, lead, rest})
		}
	}
}

// line prints one node: its state, its name, what else leads to it, and its command as far as
// there is room.
func (p *treePrinter) line(v int, lead string) {
	n := p.nodes[v]
	name := plain.Line(n.Name)
	text := lead + p.glyph(n.State) + " " + p.strong(name)
	used := columns(lead) + 2 + columns(name)
	for _, more := range []struct {
		sources []int
		arrow   string
	}{{p.waits[v], p.either("←", "<-")}, {p.triggers[v], p.either("⇠", "<~")}} {
		if note := p.others(v, more.sources); note != "" {
			note = "  " + more.arrow + " " + note
			text += p.sgr("2", note)
			used += columns(note)
		}
	}
	command := plain.Line(n.Command)
	switch room := p.width - used - 3; {
	case command == "":
	case p.width == 0:
		text += "  " + p.sgr("2", command)
	case room >= 8:
		text += "  " + p.sgr("2", p.clip(command, room))
	}
	fmt.Fprintln(p.out, text)
}

// others names the sources that v does not hang below.
func (p *treePrinter) others(v int, sources []int) string {
	var names []string
	for _, u := range sources {
		if u != p.parent[v] {
			names = append(names, p.nodes[u].Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return nameList(names, 4)
}

package graph

import (
	"slices"
	"strings"
)

// A Stage is a set of nodes that do the same at the same place of a workflow: they have the same group,
// or without groups the same command apart from numbers and files, and the same preceding stages.
type Stage struct {
	Name  string
	Nodes []*Node // in file order, without containers
	After []int   // indexes of the directly preceding stages, ascending; all are smaller than its own
}

// foldFrom is the minimum number of commands of a graph whose nodes are folded into stages. In smaller
// graphs each node is its own stage.
const foldFrom = 20

// Stages folds the nodes of a graph into stages. Chains stay together; otherwise stages are in file
// order. Edges that lead back are ignored. The time is linear except for sorting.
func Stages(g *Graph, table *HandleTable) []Stage {
	order, before := topological(g)
	f := folder{table: table, fold: len(order) >= foldFrom, of: make([]int32, len(g.nodes.list)), known: map[string]int32{}}
	for _, n := range order {
		f.add(n, before[n.pos])
	}
	for i := range f.stages {
		s := &f.stages[i]
		slices.SortFunc(s.Nodes, func(a, b *Node) int { return int(a.pos) - int(b.pos) })
		s.Name = stageName(s.Nodes, table)
	}
	return arrange(f.stages)
}

// topological returns the commands of a graph in topological order, and for each, by position, the
// directly preceding nodes. Of a loop only the blocking edges count, and of a blocking loop, which
// cannot run, only some of them.
func topological(g *Graph) (order []*Node, before [][]*Node) {
	component := componentsOf(g)
	nodes := g.nodes.list
	before = make([][]*Node, len(nodes))
	missing := make([]int32, len(nodes))
	counts := func(e *Edge) bool {
		return e.Source.Runnable() && e.Target.Runnable() && e.Source != e.Target &&
			(e.Type == Blocking || component[e.Source.pos] != component[e.Target.pos])
	}
	for _, e := range g.edges.list {
		if counts(e) {
			missing[e.Target.pos]++
		}
	}
	done := make([]bool, len(nodes))
	var queue []*Node
	take := func(n *Node) {
		done[n.pos] = true
		queue = append(queue, n)
	}
	for _, first := range nodes { // the start nodes in file order; nodes of blocking loops follow below
		if first.Runnable() && !done[first.pos] && missing[first.pos] == 0 {
			take(first)
		}
	}
	for left := 0; ; {
		for ; len(queue) > 0; queue = queue[1:] {
			n := queue[0]
			order = append(order, n)
			for _, e := range n.Out {
				if t := e.Target; counts(e) && !done[t.pos] {
					before[t.pos] = append(before[t.pos], n)
					if missing[t.pos]--; missing[t.pos] == 0 {
						take(t)
					}
				}
			}
		}
		for left < len(nodes) && (done[left] || !nodes[left].Runnable()) {
			left++
		}
		if left == len(nodes) {
			return order, before
		}
		take(nodes[left])
	}
}

// componentsOf returns the strongly connected component of each node, by position.
func componentsOf(g *Graph) []int32 {
	first := make([]int32, 1, len(g.nodes.list)+1)
	targets := make([]int32, 0, len(g.edges.list))
	for _, n := range g.nodes.list {
		for _, e := range n.Out {
			targets = append(targets, e.Target.pos)
		}
		first = append(first, int32(len(targets)))
	}
	component, _ := Components(first, targets)
	return component
}

// folder assigns nodes to stages, in topological order.
type folder struct {
	table  *HandleTable
	fold   bool
	stages []Stage
	of     []int32 // the stage of a node, by position
	known  map[string]int32
	key    []byte
}

func (f *folder) add(n *Node, before []*Node) {
	after := make([]int, 0, len(before))
	for _, b := range before {
		after = append(after, int(f.of[b.pos]))
	}
	slices.Sort(after)
	after = slices.Compact(after)
	if f.fold {
		f.makeKey(n, after)
		if i, found := f.known[string(f.key)]; found {
			f.of[n.pos] = i
			f.stages[i].Nodes = append(f.stages[i].Nodes, n)
			return
		}
		f.known[string(f.key)] = int32(len(f.stages))
	}
	f.of[n.pos] = int32(len(f.stages))
	f.stages = append(f.stages, Stage{Nodes: []*Node{n}, After: after})
}

// makeKey sets the key of the stage that a node belongs to.
func (f *folder) makeKey(n *Node, after []int) {
	f.key = f.key[:0]
	for _, i := range after {
		f.key = append(f.key, byte(i), byte(i>>8), byte(i>>16), byte(i>>24))
	}
	f.key = append(f.key, "|    "...) // differs from every index, because there are fewer stages
	if n.Group != "" {
		f.key = append(append(f.key, 'g'), n.Group...)
		return
	}
	if n.Name != "" {
		f.key = append(append(f.key, stem(n.Name)...), 0)
	}
	f.key = appendTemplate(f.key, n.Label)
}

// appendTemplate appends a command without the parts that differ between samples: numbers become #, and
// files (words with a dot or a slash, except the first) become @.
func appendTemplate(key []byte, command string) []byte {
	for i := 0; i < len(command); {
		if isBlank(command[i]) {
			i++
			continue
		}
		end := i
		for end < len(command) && !isBlank(command[end]) {
			end++
		}
		word := command[i:end]
		switch {
		case strings.Trim(word, "+-.0123456789") == "" && word[len(word)-1] >= '0':
			key = append(key, '#')
		case i > 0 && strings.ContainsAny(word, "./"):
			key = append(key, '@')
		default:
			key = appendMasked(key, word)
		}
		key = append(key, ' ')
		i = end
	}
	return key
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// appendMasked appends a word with each number replaced by one #.
func appendMasked(key []byte, word string) []byte {
	for i := 0; i < len(word); i++ {
		digit := word[i] >= '0' && word[i] <= '9'
		switch {
		case !digit:
			key = append(key, word[i])
		case i == 0 || word[i-1] < '0' || word[i-1] > '9':
			key = append(key, '#')
		}
	}
	return key
}

// nameEnds are the separators between the parts of a name.
const nameEnds = "_-.~ "

// stem returns a name without its last part: align for align_S001.
func stem(name string) string {
	if i := strings.LastIndexAny(name, nameEnds); i > 0 {
		return name[:i]
	}
	if short := strings.TrimRight(name, "0123456789"); short != "" {
		return short
	}
	return name
}

// stageName returns the handle of a single node, the group, or the common start of the handles.
func stageName(nodes []*Node, table *HandleTable) string {
	name := table.Of(nodes[0])
	if len(nodes) == 1 {
		return name
	}
	if nodes[0].Group != "" {
		return nodes[0].Group
	}
	whole := name
	for _, n := range nodes[1:] {
		handle := table.Of(n)
		i := 0
		for i < len(name) && i < len(handle) && name[i] == handle[i] {
			i++
		}
		name = name[:i]
	}
	if name != whole && name != "" && !strings.ContainsAny(name[len(name)-1:], nameEnds) {
		name = stem(name) // the common part ends within a word
	}
	if name = strings.TrimRight(name, nameEnds); name == "" {
		return whole
	}
	return name
}

// arrange sorts stages topologically, each directly after one of its preceding stages if possible, and
// updates After to the new indexes.
func arrange(stages []Stage) []Stage {
	next := make([][]int, len(stages))
	missing := make([]int, len(stages))
	for i, s := range stages {
		missing[i] = len(s.After)
		for _, j := range s.After {
			next[j] = append(next[j], i)
		}
	}
	var stack []int
	for i := len(stages) - 1; i >= 0; i-- {
		if missing[i] == 0 {
			stack = append(stack, i)
		}
	}
	place := make([]int, len(stages))
	sorted := make([]Stage, 0, len(stages))
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		place[i] = len(sorted)
		sorted = append(sorted, stages[i])
		for _, j := range slices.Backward(next[i]) {
			if missing[j]--; missing[j] == 0 {
				stack = append(stack, j)
			}
		}
	}
	for i := range sorted {
		for k, j := range sorted[i].After {
			sorted[i].After[k] = place[j]
		}
		slices.Sort(sorted[i].After)
	}
	return sorted
}

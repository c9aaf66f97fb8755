package merge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"wf/graph"
	"wf/graph/difference"
	"wf/graph/merge"
	"wf/graph/text"
)

// read makes a graph of a text.
func read(t *testing.T, source string) *text.Workflow {
	t.Helper()
	wf, err := text.Read([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return wf
}

// over makes a version of a graph from a text; new nodes get ids that depend on the version.
func over(t *testing.T, base *graph.Graph, version, source string) *graph.Graph {
	t.Helper()
	l, err := read(t, source).Over(base, func(n *text.Node) string { return version + "-" + n.Key })
	if err != nil {
		t.Fatal(err)
	}
	return l.Graph
}

// merged returns the text of the merged version, and the conflicts.
func merged(t *testing.T, base, ours, theirs *graph.Graph) (string, []merge.Conflict) {
	t.Helper()
	edit, conflicts := merge.Of(base, ours, theirs)
	result := over(t, ours, "copy", body(t, ours)) // Apply changes it
	if _, _, err := result.Apply(edit); err != nil {
		t.Fatal(err)
	}
	return body(t, result), conflicts
}

// body returns the text of a graph without the comments at its head.
func body(t *testing.T, g *graph.Graph) string {
	t.Helper()
	data, err := text.Write(g)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "#") }), "")
}

const base = `jobs: 2

nodes:
  a: make a

  b:
    run: make b
    after: a

  c:
    run: make c
    after: b
    retries: 1

  box:
    nodes:
      d: make d
`

// TestMerge merges versions of base that are made by replacing texts. want is a part of the result, conflict of a conflict.
func TestMerge(t *testing.T) {
	for name, c := range map[string]struct {
		ours, theirs   []string // old, new, old, new …
		want, conflict string
	}{
		"two attributes of a node": {[]string{"make c", "make C"}, []string{"retries: 1", "retries: 2"}, "  c:\n    run: make C\n    after: b\n    retries: 2\n", ""},
		"the same change":          {[]string{"make c", "make C"}, []string{"make c", "make C"}, "run: make C", ""},
		"two commands":             {[]string{"make a", "make A"}, []string{"make d", "make D"}, "      d: make D", ""},
		"a node and an edge":       {[]string{"  a: make a\n", "  a: make a\n  e: echo e\n"}, []string{"after: b", "after: [a, b]"}, "after: [b, a]", ""},
		"both add a node":          {[]string{"  a: make a\n", "  a: make a\n  e: echo e\n"}, []string{"  a: make a\n", "  a: make a\n  f: echo f\n"}, "  f: echo f\n", ""},
		"both add the same node":   {[]string{"  a: make a\n", "  a: make a\n  e: echo e\n"}, []string{"  a: make a\n", "  a: make a\n  e: echo e\n"}, "  e: echo e\n", ""},
		"a rename and an edit":     {[]string{"  a: make a", "  z:\n    renamed: a\n    run: make a\n", "after: a", "after: z"}, []string{"make a", "make A"}, "  z: make A", ""},
		"a removal":                {[]string{"  box:\n    nodes:\n      d: make d\n", ""}, []string{"make a", "make A"}, "  a: make A", ""},
		"the workflow":             {[]string{"jobs: 2", "jobs: 3"}, []string{"jobs: 2\n", "jobs: 2\ncwd: x\n"}, "cwd: x\njobs: 3\n", ""},
		"into a container": {[]string{"  a: make a\n\n", "", "      d: make d\n", "      d: make d\n      a: make a\n"}, []string{"make a", "make A"},
			"      a: make A\n", ""},

		"one command, twice": {[]string{"make a", "make 1"}, []string{"make a", "make 2"}, "label in theirs: make 2", "label in theirs: make 2"},
		"changed and removed": {[]string{"make d", "make D"}, []string{"  box:\n    nodes:\n      d: make d\n", ""},
			"merge_conflict: removed in theirs, changed in ours", "removed in theirs, changed in ours"},
		"removed and changed": {[]string{"  box:\n    nodes:\n      d: make d\n", ""}, []string{"make d", "make D"},
			"run: make D", "removed in ours, changed in theirs"},
		"a new edge at a removed node": {[]string{"      d: make d", "      d: {run: make d, after: a}"}, []string{"  a: make a\n", "", "    after: a\n", ""},
			"  a:\n    run: make a\n", "new edge"},
		"one condition": {[]string{"after: b", "after: b\n    when: done"}, []string{"after: b", "after: b\n    when: failure"}, "when: done",
			"edge b -> c: when in theirs: failure"},
		"one number of the workflow": {[]string{"jobs: 2", "jobs: 3"}, []string{"jobs: 2", "jobs: 4"}, "merge_conflict: 'jobs in theirs: 4'", "jobs in theirs: 4"},
	} {
		t.Run(name, func(t *testing.T) {
			g := read(t, base).Graph()
			got, conflicts := merged(t, g, over(t, g, "ours", replace(t, c.ours)), over(t, g, "theirs", replace(t, c.theirs)))
			if !strings.Contains(got, c.want) {
				t.Errorf("got\n%swithout\n%s", got, c.want)
			}
			if c.conflict == "" && len(conflicts) > 0 || c.conflict != "" && !strings.Contains(fmt.Sprint(conflicts), c.conflict) {
				t.Errorf("conflicts %+v, want %q", conflicts, c.conflict)
			}
		})
	}
}

func replace(t *testing.T, pairs []string) string {
	t.Helper()
	source := base
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(source, pairs[i]) {
			t.Fatalf("%q is not in\n%s", pairs[i], source)
		}
		source = strings.Replace(source, pairs[i], pairs[i+1], 1)
	}
	return source
}

// TestIndependentEdits checks with random pairs of edits of different things that they never conflict, that the result has
// both, and that it does not depend on the order.
func TestIndependentEdits(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 17))
		start := randomBase(r)
		g := start.graph(t)
		ours, theirs := start.clone(), start.clone()
		both := start.clone()
		for i, n := range r.Perm(5)[:2] {
			edit := randomEdit(r, n, i)
			edit([]*flow{ours, theirs}[i])
			edit(both)
		}
		a, b := over(t, g, "ours", ours.String()), over(t, g, "theirs", theirs.String())
		one, conflicts := merged(t, g, a, b)
		other, more := merged(t, g, b, a)
		if len(conflicts)+len(more) > 0 {
			t.Fatalf("seed %d: %+v\nbase\n%s\nours\n%s\ntheirs\n%s", seed, conflicts, start, ours, theirs)
		}
		want := both.graph(t)
		for _, result := range []string{one, other} {
			l, err := read(t, result).Over(want, func(n *text.Node) string { return "new-" + n.Key })
			if err != nil {
				t.Fatal(err)
			}
			if d := difference.Of(want, l.Graph); !d.Empty() {
				t.Fatalf("seed %d: base\n%s\nours\n%s\ntheirs\n%s\nmerged\n%s\nwant\n%s", seed, start, ours, theirs, result, both)
			}
		}
	}
}

// A flow is a simple workflow that edits change.
type flow struct {
	nodes []*node
	attrs map[string]string
}

type node struct {
	name, run, retries string
	after              map[string]string // conditions by name
}

func randomBase(r *rand.Rand) *flow {
	f := &flow{attrs: map[string]string{"jobs": "2"}}
	for i := range 5 + r.IntN(4) {
		n := &node{name: fmt.Sprintf("n%c", 'a'+i), run: fmt.Sprintf("echo %d", r.IntN(4)), after: map[string]string{}}
		for _, other := range f.nodes {
			if r.IntN(3) == 0 {
				n.after[other.name] = ""
			}
		}
		f.nodes = append(f.nodes, n)
	}
	return f
}

func (f *flow) clone() *flow {
	c := &flow{attrs: map[string]string{}}
	for name, value := range f.attrs {
		c.attrs[name] = value
	}
	for _, n := range f.nodes {
		m := *n
		m.after = map[string]string{}
		for name, when := range n.after {
			m.after[name] = when
		}
		c.nodes = append(c.nodes, &m)
	}
	return c
}

func (f *flow) String() string {
	var b strings.Builder
	for _, name := range []string{"cwd", "jobs"} {
		if f.attrs[name] != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, f.attrs[name])
		}
	}
	b.WriteString("nodes:\n")
	for _, n := range f.nodes {
		fmt.Fprintf(&b, "  %s:\n    run: %s\n", n.name, n.run)
		if n.retries != "" {
			fmt.Fprintf(&b, "    retries: %s\n", n.retries)
		}
		b.WriteString("    after:\n")
		for _, other := range f.nodes {
			if when, has := n.after[other.name]; has {
				fmt.Fprintf(&b, "      %s: %s\n", other.name, when)
			}
		}
	}
	return b.String()
}

func (f *flow) graph(t *testing.T) *graph.Graph { return read(t, f.String()).Graph() }

// randomEdit returns an edit of node number n, or of an attribute of the workflow that only side i has.
func randomEdit(r *rand.Rand, n, side int) func(*flow) {
	value := fmt.Sprint(10 + r.IntN(5))
	switch r.IntN(7) {
	case 0:
		return func(f *flow) { f.nodes[n].run = "make " + value }
	case 1:
		return func(f *flow) { f.nodes[n].retries = value }
	case 2:
		return func(f *flow) { f.attrs[[]string{"cwd", "jobs"}[side]] = value }
	case 3: // the edges from it keep their other ends
		return func(f *flow) {
			for name := range f.nodes[n].after {
				f.nodes[n].after[name] = "failure"
			}
		}
	case 4:
		return func(f *flow) { f.nodes[n].after = map[string]string{} }
	case 5:
		name := fmt.Sprintf("new%d", side)
		return func(f *flow) {
			f.nodes = append(f.nodes, &node{name: name, run: "true", after: map[string]string{f.nodes[n].name: "done"}})
		}
	}
	return func(f *flow) { // a new edge to it
		for _, other := range f.nodes[:n] {
			if _, has := f.nodes[n].after[other.name]; !has {
				f.nodes[n].after[other.name] = ""
				return
			}
		}
	}
}

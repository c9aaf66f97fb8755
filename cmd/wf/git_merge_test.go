package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wf/graph"
	"wf/graph/difference"
	"wf/graph/text"
	"wf/graphml"
)

var mergePairs = flag.Int("merge-pairs", 40, "number of pairs of edits that TestGitMerge merges with git")

// TestGitMerge makes pairs of random edits of different things, each in a file of its own, as commits on two branches, and
// lets git merge them in both orders. There must be no conflict, and both results must have both edits.
func TestGitMerge(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	wf := buildWF(t)
	repo := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@b", "LC_ALL=C", "PATH="+filepath.Dir(wf)+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q", "-b", "base")
	git("config", "merge.wf.driver", wf+" git merge %O %A %B %P")
	write := func(i int, data []byte) {
		if err := os.WriteFile(filepath.Join(repo, fmt.Sprintf("%04d.wf", i)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, ".gitattributes"), []byte("*.wf merge=wf\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	pairs := make([]mergePair, *mergePairs)
	for i := range pairs {
		pairs[i] = randomPair(t, rand.New(rand.NewPCG(uint64(i), 5)))
		write(i, pairs[i].base)
	}
	git("add", ".")
	git("commit", "-q", "-m", "base")
	for side, branch := range []string{"ours", "theirs"} {
		git("checkout", "-q", "-b", branch, "base")
		for i := range pairs {
			write(i, pairs[i].sides[side])
		}
		git("commit", "-q", "-a", "-m", branch)
	}
	for _, order := range [][2]string{{"ours", "theirs"}, {"theirs", "ours"}} {
		git("checkout", "-q", "-B", "merged", order[0])
		git("merge", "-q", "-m", "merged", order[1])
		for i := range pairs {
			data, err := os.ReadFile(filepath.Join(repo, fmt.Sprintf("%04d.wf", i)))
			if err != nil {
				t.Fatal(err)
			}
			if d := difference.Of(parsedGraph(t, pairs[i].both), parsedGraph(t, data)); !d.Empty() || d.Moved > 0 {
				t.Fatalf("pair %d, %s into %s: %+v\nboth edits:\n%s\nmerged:\n%s", i, order[1], order[0], d, pairs[i].both, data)
			}
		}
	}
	t.Logf("%d pairs in both orders", len(pairs))
}

// buildWF returns the path of the program, built from this checkout.
func buildWF(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wf")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// A mergePair is a workfile, two versions of it with an edit each, and the version with both edits.
type mergePair struct {
	base  []byte
	sides [2][]byte
	both  []byte
}

func parsedGraph(t *testing.T, data []byte) *graph.Graph {
	t.Helper()
	_, g, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return g
}

// randomPair makes a workfile with neighbouring nodes, and edits of two of them.
func randomPair(t *testing.T, r *rand.Rand) (p mergePair) {
	var b strings.Builder
	b.WriteString("nodes:\n")
	count := 4 + r.IntN(4)
	for i := range count {
		fmt.Fprintf(&b, "  n%d:\n    run: |\n      echo %d\n      echo again\n    retries: 1\n", i, i)
		if i > 0 {
			fmt.Fprintf(&b, "    after: n%d\n", r.IntN(i))
		}
	}
	wf, err := text.Read([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	var nodes []graphml.NewNode
	for i, n := range wf.Nodes {
		nodes = append(nodes, graphml.NewNode{ID: fmt.Sprintf("n%d", i), Name: n.Key, Label: *n.Command, Attrs: n.Attrs})
	}
	var edges []graphml.NewEdge
	for _, e := range wf.Edges {
		edges = append(edges, graphml.NewEdge{Source: e.Source.Key, Target: e.Target.Key, Type: e.Type, When: e.When})
	}
	if p.base, err = graphml.CreateGraph(nodes, edges, map[string]string{"jobs": "2"}); err != nil {
		t.Fatal(err)
	}
	at := r.Perm(count)
	p.both = p.base
	base := parsedGraph(t, p.base)
	for side := range 2 {
		op := randomOp(r, side, at[side], base)
		p.sides[side] = applied(t, p.base, op)
		p.both = applied(t, p.both, op)
	}
	return p
}

// randomOp returns an edit of node number n of base. The edits of the two sides of a pair touch different things.
func randomOp(r *rand.Rand, side, n int, base *graph.Graph) func(*graph.Graph) graph.Op {
	id, value := fmt.Sprintf("n%d", n), fmt.Sprint(r.IntN(100)+10)
	set := func(attr, value string) func(*graph.Graph) graph.Op {
		return func(*graph.Graph) graph.Op { return graph.SetNode{ID: id, Attr: attr, Value: value} }
	}
	switch r.IntN(10) {
	case 0:
		return set("label", "make "+value)
	case 1:
		return set("retries", value)
	case 2:
		return set("name", "renamed"+value+[]string{"a", "b"}[side])
	case 3:
		return set([]string{"env", "timeout"}[side], []string{"A=" + value, value + "s"}[side])
	case 4:
		return func(*graph.Graph) graph.Op {
			return graph.SetGraph{Attr: []string{"jobs", "cwd"}[side], Value: value}
		}
	case 5:
		return set("x", value)
	case 6: // a node behind it
		return func(*graph.Graph) graph.Op {
			fresh := fmt.Sprintf("new-%d-%s", side, value)
			return graph.Batch{Ops: []graph.Op{
				graph.AddNode{Node: graph.NodeSpec{ID: fresh, Key: graph.NewKey, Name: fresh, Label: "true", HasLabel: true}},
				graph.AddEdge{Key: graph.NewKey, ID: fresh, Source: id, Target: fresh}}}
		}
	case 7: // its edges
		return func(g *graph.Graph) graph.Op {
			var ops []graph.Op
			for _, e := range g.Node(id).In {
				ops = append(ops, graph.SetEdge{Key: e.Key, Attr: "when", Value: "done"})
			}
			return graph.Batch{Ops: ops}
		}
	case 8: // the node, if nothing follows it
		if len(base.Node(id).Out) > 0 {
			return set("mem", value+"G")
		}
		return func(*graph.Graph) graph.Op { return graph.RemoveNode{ID: id} }
	}
	return func(g *graph.Graph) graph.Op {
		var ops []graph.Op
		for _, e := range g.Node(id).In {
			ops = append(ops, graph.RemoveEdge{Key: e.Key})
		}
		return graph.Batch{Ops: ops}
	}
}

// applied returns a workfile with an edit.
func applied(t *testing.T, data []byte, op func(*graph.Graph) graph.Op) []byte {
	t.Helper()
	doc, g, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, done, err := g.Apply(op(g))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Apply(done); err != nil {
		t.Fatal(err)
	}
	return bytes.Join(doc.Render(), nil)
}

package difference

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"wf/graph"
)

// build makes a graph from lines: "id in CONTAINER key=value …" for nodes, "a -> b key=value …" for edges, "graph key=value …".
func build(t testing.TB, text string) *graph.Graph {
	t.Helper()
	var nodes []graph.NodeSpec
	var edges []graph.EdgeSpec
	attrs := map[string]string{}
	at := map[string]int{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		values := map[string]string{}
		for len(words) > 0 && strings.Contains(words[len(words)-1], "=") {
			key, value, _ := strings.Cut(words[len(words)-1], "=")
			values[key], words = value, words[:len(words)-1]
		}
		take := func(key string) string { value := values[key]; delete(values, key); return value }
		switch {
		case len(words) == 0:
		case words[0] == "graph":
			attrs = values
		case len(words) == 3 && words[1] == "->":
			e := graph.EdgeSpec{Key: graph.NewKey, Source: at[words[0]], Target: at[words[2]], ID: take("id"), Type: take("edge_type"), Status: take("status")}
			e.Extra = values
			edges = append(edges, e)
		default:
			n := graph.NodeSpec{ID: words[0], Key: graph.NewKey, Parent: -1, Label: take("label"), Name: take("name"), Status: take("status"),
				X: take("x"), Y: take("y"), Container: take("container") != ""}
			n.HasLabel = n.Label != ""
			if len(words) == 3 {
				n.Parent = at[words[2]]
			}
			n.Extra = values
			at[n.ID] = len(nodes)
			nodes = append(nodes, n)
		}
	}
	g, err := graph.Build(nodes, edges, attrs)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// describe lists what differs.
func describe(d *Difference) string {
	var b strings.Builder
	values := func(list []Value) {
		for _, v := range list {
			fmt.Fprintf(&b, " %s:%s>%s", v.Name, text(v.Before), text(v.After))
		}
		b.WriteByte('\n')
	}
	for _, n := range d.Nodes {
		switch {
		case n.Before == nil:
			b.WriteString("+" + n.After.ID)
		case n.After == nil:
			b.WriteString("-" + n.Before.ID)
		default:
			b.WriteString("~" + n.After.ID)
		}
		values(n.Values)
	}
	for _, e := range d.Edges {
		switch {
		case e.Before == nil:
			b.WriteString("+" + e.After.Source.ID + ">" + e.After.Target.ID)
		case e.After == nil:
			b.WriteString("-" + e.Before.Source.ID + ">" + e.Before.Target.ID)
		default:
			b.WriteString("~" + e.After.Source.ID + ">" + e.After.Target.ID)
		}
		values(e.Values)
	}
	if len(d.Graph) > 0 {
		b.WriteString("graph")
		values(d.Graph)
	}
	return b.String()
}

func TestDifferences(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing":                      {"a label=x status=ran\nb label=y\na -> b status=to_run", "a label=x x=5\nb label=y status=fail\na -> b", ""},
		"a command":                    {"a label=x", "a label=y", "~a label:x>y\n"},
		"an attribute":                 {"a label=x retries=1", "a label=x timeout=3", "~a retries:1> timeout:>3\n"},
		"an id in an attribute":        {"a label=x id=1", "a label=x id=2", ""},
		"an added and a removed node":  {"a label=x name=n", "b label=x", "+b label:>x\n-a label:x> name:n>\n"},
		"another id, the same name":    {"a label=x name=n\nb label=b\na -> b", "c label=y name=n\nb label=b\nc -> b", "~c label:x>y\n"},
		"a name that is used twice":    {"a label=x name=n\nb label=x name=n", "c label=x name=n", "+c label:>x name:>n\n-a label:x> name:n>\n-b label:x> name:n>\n"},
		"edges":                        {"a\nb\nc\na -> b\nb -> c when=x", "a\nb\nc\na -> c\nb -> c when=y edge_type=non-blocking", "+a>c\n~b>c edge_type:>non-blocking when:x>y\n-a>b\n"},
		"several edges between two":    {"a\nb\na -> b when=1\na -> b when=2", "a\nb\na -> b when=2\na -> b when=3", "~a>b when:1>3\n"},
		"the usual type, written":      {"a\nb\na -> b", "a\nb\na -> b edge_type=blocking", ""},
		"the graph":                    {"graph jobs=1 cwd=/", "graph jobs=2 wrapper=w", "graph cwd:/> jobs:1>2 wrapper:>w\n"},
		"another container":            {"c container=1\nd container=1\na in c label=x", "c container=1\nd container=1\na in d label=x", "~a container:c>d\n"},
		"a container of the same name": {"c container=1 name=n\na in c label=x", "d container=1 name=n\na in d label=x", ""},
		"a command becomes a container": {"a label=x", "a container=1\nb in a label=x",
			"~a kind:>container label:x>\n+b container:>a label:>x\n"},
	} {
		if got := describe(Of(build(t, c.before), build(t, c.after))); got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
}

// TestEditGivesTheOtherVersion checks with random workflows that the edit removes every difference, keeps statuses, and can be
// undone.
func TestEditGivesTheOtherVersion(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		before, after := build(t, random(r, "ran")), build(t, random(r, "fail"))
		was := dump(before)
		statuses := map[string]string{}
		d := Of(before, after)
		for _, n := range before.Nodes() {
			if d.later[n] != nil {
				statuses[n.ID] = n.Status.String()
			}
		}
		edit, _ := d.Edit()
		inverse, _, err := before.Apply(edit)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d := Of(before, after); !d.Empty() || d.Moved > 0 {
			t.Fatalf("seed %d: left over (%d moved):\n%s", seed, d.Moved, describe(d))
		}
		if again, _ := Of(before, after).Edit(); len(again.Ops) > 0 {
			t.Fatalf("seed %d: a second edit would do %v", seed, again.Ops)
		}
		for _, n := range before.Nodes() {
			if n.Status.String() != statuses[n.ID] {
				t.Fatalf("seed %d: node %s has status %q, had %q", seed, n.ID, n.Status, statuses[n.ID])
			}
		}
		if _, _, err := before.Apply(inverse); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := dump(before); !reflect.DeepEqual(got, was) {
			t.Fatalf("seed %d: undo gives\n%v\nwant\n%v", seed, got, was)
		}
	}
}

// random returns the text of a small workflow.
func random(r *rand.Rand, status string) string {
	var b strings.Builder
	maybe := func(text string) string {
		if r.IntN(2) == 0 {
			return " " + text
		}
		return ""
	}
	value := func() string { return strconv.Itoa(r.IntN(3)) }
	ids := []string{"a", "b", "c", "d", "e", "f"}
	r.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	ids = ids[:2+r.IntN(5)]
	var containers []string
	for _, id := range ids {
		b.WriteString(id)
		if len(containers) > 0 && r.IntN(2) == 0 {
			b.WriteString(" in " + containers[r.IntN(len(containers))])
		}
		if r.IntN(3) == 0 {
			containers = append(containers, id)
			b.WriteString(" container=1")
		} else {
			b.WriteString(maybe("label=" + value()))
		}
		b.WriteString(maybe("name=n"+value()) + maybe("retries="+value()) + maybe("x="+value()) + maybe("status="+status) + "\n")
	}
	for range r.IntN(8) {
		fmt.Fprintf(&b, "%s -> %s%s%s%s\n", ids[r.IntN(len(ids))], ids[r.IntN(len(ids))], maybe("when="+value()), maybe("edge_type=non-blocking"), maybe("status=to_run"))
	}
	return b.String() + "graph" + maybe("jobs="+value()) + maybe("cwd="+value()) + "\n"
}

// dump returns all of a graph, in its order.
func dump(g *graph.Graph) []string {
	list := []string{fmt.Sprint(g.Attrs())}
	for _, n := range g.Nodes() {
		parent := ""
		if n.Parent != nil {
			parent = n.Parent.ID
		}
		list = append(list, fmt.Sprint(n.Key, n.ID, n.Name, n.Label, n.X, n.Y, parent, n.Status, n.Container, n.NoCommand, n.Extra))
	}
	for _, e := range g.Edges() {
		list = append(list, fmt.Sprint(e.Key, e.ID, e.Source.ID, e.Target.ID, e.Type, e.Mark, e.Extra))
	}
	return list
}

// TestLargeWorkflows bounds the work for workflows in which everything differs.
func TestLargeWorkflows(t *testing.T) {
	var before, after strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&before, "n%d label=x%d\n", i, i)
		fmt.Fprintf(&after, "n%d label=y%d\n", i, i)
	}
	for i := range 10_000 {
		fmt.Fprintf(&before, "n%d -> n%d\n", i, (i+1)%10_000)
		fmt.Fprintf(&after, "n%d -> n%d\n", i, (i+2)%10_000)
	}
	from, to := build(t, before.String()), build(t, after.String())
	d := Of(from, to)
	if len(d.Nodes) != 10_000 || len(d.Edges) != 20_000 {
		t.Fatalf("%d nodes, %d edges", len(d.Nodes), len(d.Edges))
	}
	edit, anew := d.Edit()
	if _, _, err := from.Apply(edit); err != nil || anew != 0 {
		t.Fatal(anew, err)
	}
	if !Of(from, to).Empty() {
		t.Error("something differs")
	}
}

package workfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
	"wf/graph"
	"wf/scheduler/flow"
)

// flowFile returns a workfile of edges, "a>b" or "a>b failure" with a condition or "a>b ~" for a non-blocking one; and of
// containers, "c=a,b" or "c times=a,b" with an attribute that has the value 2. A container comes behind those in it.
func flowFile(elements ...string) []byte {
	nodes, inside, attrs, order := map[string]bool{}, map[string][]string{}, map[string]string{}, []string(nil)
	node := func(name string) string {
		if !nodes[name] {
			nodes[name], order = true, append(order, name)
		}
		return name
	}
	var edges strings.Builder
	for _, e := range elements {
		if name, list, ok := strings.Cut(e, "="); ok {
			name, attrs[name], _ = strings.Cut(name, " ")
			if name, attr, has := strings.Cut(e[:strings.Index(e, "=")], " "); has {
				attrs[name] = attr
			}
			for member := range strings.SplitSeq(list, ",") {
				inside[name] = append(inside[name], node(member))
			}
			node(name)
			continue
		}
		ends, when, _ := strings.Cut(e, " ")
		source, target, _ := strings.Cut(ends, ">")
		fmt.Fprintf(&edges, `<edge id="%s" source="%s" target="%s">`, ends, node(source), node(target))
		switch when {
		case "":
		case "~":
			edges.WriteString(`<data key="t">non-blocking</data>`)
		default:
			fmt.Fprintf(&edges, `<data key="w">%s</data>`, when)
		}
		edges.WriteString("</edge>\n")
	}
	texts, placed := map[string]string{}, map[string]bool{}
	for _, name := range order {
		texts[name] = fmt.Sprintf(`<node id="%s"><data key="l">%[1]s</data></node>`+"\n", name)
		if len(inside[name]) > 0 {
			texts[name] = fmt.Sprintf(`<node id="%s" yfiles.foldertype="group"><graph>`, name)
			for _, member := range inside[name] {
				texts[name], placed[member] = texts[name]+texts[member], true
			}
			texts[name] += "</graph>"
			if attrs[name] != "" {
				texts[name] += fmt.Sprintf(`<data key="%s">2</data>`, attrs[name])
			}
			texts[name] += "</node>\n"
		}
	}
	text := `<graphml><key id="l" for="node" attr.name="label"/><key id="times" for="node" attr.name="times"/><key id="cpus" for="node" attr.name="cpus"/>` +
		`<key id="s" for="node" attr.name="status"/><key id="w" for="edge" attr.name="when"/><key id="t" for="edge" attr.name="edge_type"/><graph>` + "\n"
	for _, name := range order {
		if !placed[name] {
			text += texts[name]
		}
	}
	return []byte(text + edges.String() + "</graph></graphml>\n")
}

// shape describes containers, edges and attributes of a workflow, with names in place of ids.
func shape(f *File) string {
	var parts []string
	for _, n := range f.g.Nodes() {
		if n.Container {
			var inside []string
			for _, m := range f.g.Nodes() {
				if m.Parent == n {
					inside = append(inside, f.Handle(m))
				}
			}
			parts = append(parts, fmt.Sprintf("%s=%s", f.Handle(n), strings.Join(inside, ",")))
		}
		if cpus := n.Extra["cpus"]; cpus != "" {
			parts = append(parts, f.Handle(n)+" cpus "+cpus)
		}
	}
	for _, e := range f.g.Edges() {
		text := f.Handle(e.Source) + ">" + f.Handle(e.Target)
		if e.Type == graph.NonBlocking {
			text += " ~"
		}
		if when := whenOf(e); when != "" {
			text += " " + when
		}
		parts = append(parts, text)
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

func twice() []api.Setting { return []api.Setting{{Key: "times", Value: "2"}} }

// A groupCase is an edit, and the shape that it gives to a file, or the start of an error.
type groupCase struct {
	name string
	file []byte
	edit api.Edit
	want string
}

func groupCases() []groupCase {
	group := func(name string, nodes ...string) api.Edit {
		return api.Edit{Op: api.OpGroup, Name: name, Nodes: nodes}
	}
	loop := func(name string, nodes ...string) api.Edit {
		return api.Edit{Op: api.OpGroup, Name: name, Nodes: nodes, Set: twice()}
	}
	move := func(into string, nodes ...string) api.Edit { return api.Edit{Op: api.OpMove, In: into, Nodes: nodes} }
	ungroup := func(nodes ...string) api.Edit { return api.Edit{Op: api.OpUngroup, Nodes: nodes} }
	return []groupCase{
		{"a group keeps crossing edges", flowFile("a>b", "b>d", "a>x", "x>d"), group("g", "b", "x"), "a>b; a>x; b>d; g=b,x; x>d"},
		{"also around another node", flowFile("a>b", "b>d"), group("g", "a", "d"), "a>b; b>d; g=a,d"},
		{"without a name", flowFile("a>b"), group("", "a", "b"), "a>b; group=a,b"},
		{"a loop gets them", flowFile("a>b", "b>d", "d>e"), loop("c", "b", "d"), "a>c; b>d; c=b,d; c>e"},
		{"a loop without a name", flowFile("a>b"), loop("", "a"), "loop=a; loop>b"},
		{"two become one", flowFile("a>b", "a>d", "b>e", "d>e"), loop("c", "b", "d"), "a>c; c=b,d; c>e"},
		{"conditions stay", flowFile("a>b failure", "b>e done", "b>f ~"), loop("c", "b"), "a>c failure; c=b; c>e done; c>f ~"},
		{"not with a node between", flowFile("a>b", "b>d"), loop("c", "a", "d"), "b lies between the nodes: a -> b -> d"},
		{"not with several between", flowFile("a>x ~", "x>y", "y>d", "q>y"), loop("c", "a", "d"), "x, y lie between the nodes: a -> x -> y -> d"},
		{"not with a choice of the command", flowFile("a>b exit:3", "a>d else"), loop("c", "a"), "edge a -> b has the condition exit:3"},
		{"not with two conditions", flowFile("a>b", "a>d failure"), loop("c", "b", "d"), "edges with different conditions would lead from a to c"},
		{"not from two containers", flowFile("g=a", "b>d"), group("h", "a", "b"), "the nodes lie in different containers"},
		{"a container and a node in it", flowFile("g=a,b", "d>e"), group("h", "g", "a", "d"), "d>e; g=a,b; h=g,d"},
		{"a name that is taken", flowFile("a>b"), group("b", "a"), `"b" is the id of node b`},
		{"a misspelt attribute", flowFile("a>b"), api.Edit{Op: api.OpGroup, Nodes: []string{"a"}, Set: []api.Setting{{Key: "for_each", Value: "2"}}}, "for_each"},

		{"into a group", flowFile("g=a", "a>b", "b>d"), move("g", "b"), "a>b; b>d; g=a,b"},
		{"into a loop", flowFile("c times=a", "c>b", "b>d"), move("c", "d"), "this would close a cycle of blocking edges: b -> c -> b"},
		{"into a loop that waits for it", flowFile("c times=a,d", "b>c", "a>d"), move("c", "b"), "a>d; b>a; c=a,d,b"},
		{"into a loop that it waits for", flowFile("c times=a,d", "c>b done", "b>e", "x>c"), move("c", "b"), "a>b done; c=a,d,b; c>e; d>b done; x>c"},
		{"into a container around that", flowFile("h=a", "g=h,d", "g>b"), move("h", "b"), "edge g -> b would connect a container with a node in it"},
		{"into a container beside itself", flowFile("g=a", "g>b", "b>d", "d>g ~"), move("g", "b"), "a>b; b>d; d>g ~; g=a,b"},
		{"into a loop, with its edge", flowFile("c times=a", "b>d"), move("c", "b"), "c=a,b; c>d"},
		{"out of a loop", flowFile("c times=a,b", "a>b", "x>c", "c>y"), move("", "b"), "c=a; c>b; c>y; x>c"},
		{"out of two", flowFile("h=a,b", "g=h,d", "a>d"), move("", "a"), "a>d; g=h,a,d; h=b"},
		{"nowhere", flowFile("a>b"), move("", "a"), "node a lies in no container"},
		{"into a command", flowFile("a>b"), move("b", "a"), "node b is a command"},
		{"into itself", flowFile("h=a", "g=h"), move("h", "g"), "container g cannot be moved into h"},
		{"where it is", flowFile("g=a", "a>b"), move("g", "a"), "a>b; g=a"},
		{"from one loop into another", flowFile("c times=a,b", "d times=e", "a>b"), move("d", "b"), "c=a; c>d; d=e,b"},

		{"a group's edges", flowFile("g=a,b,d", "a>b", "a>d", "x>g", "g>y failure"), ungroup("g"), "a>b; a>d; b>y failure; d>y failure; x>a"},
		{"an edge that is there already", flowFile("g=a,b", "x>g", "x>a", "g>y ~"), ungroup("g"), "a>y ~; b>y ~; x>a; x>b"},
		{"a loop", flowFile("c times=a,b", "a>b", "x>c", "c>y done"), ungroup("c"), "a>b; b>y done; x>a"},
		{"both at once", flowFile("h=a,b", "g=h,d", "x>h", "x>g"), ungroup("g", "h"), "x>a; x>b; x>d"},
		{"an empty one", flowFile("g=a", "h=g", "x>y"), ungroup("h"), "g=a; x>y"},
		{"a command", flowFile("a>b"), ungroup("a"), "node a is a command"},
		{"what it says for all", bytes.Replace(flowFile("g=a,b", "x>y"), []byte("</graph></node>"), []byte(`</graph><data key="cpus">4</data></node>`), 1), ungroup("g"), "a cpus 4; b cpus 4; x>y"},
	}
}

// TestGroupMoveUngroup checks what becomes of containers and edges, and that undo restores every byte.
func TestGroupMoveUngroup(t *testing.T) {
	for _, tt := range groupCases() {
		t.Run(tt.name, func(t *testing.T) {
			f := bareFile(t, tt.file)
			_, err := f.edit(api.Author{}, api.EditRequest{Edits: []api.Edit{tt.edit}}, nil)
			if err != nil {
				if !strings.HasPrefix(err.Error(), tt.want) {
					t.Fatalf("%v\nnot %s", err, tt.want)
				}
				var refused *api.Error
				if !errors.As(err, &refused) {
					t.Errorf("%v is no refusal", err)
				}
			} else if got := shape(f); got != tt.want {
				t.Errorf("%s\nnot %s", got, tt.want)
			}
			if _, problems := flow.Read(f.g); len(problems) > 0 {
				t.Errorf("%+v", problems)
			}
			for len(f.edits.undo) > 0 {
				if _, err := f.undoLast(); err != nil {
					t.Fatal(err)
				}
			}
			if got := bytes.Join(f.doc.Render(), nil); !bytes.Equal(got, tt.file) {
				t.Errorf("after undo, the file is\n%s", got)
			}
		})
	}
}

// undoLast undoes the latest edit without a loop.
func (f *File) undoLast() (api.EditResult, error) {
	return f.edits.turn(&f.edits.undo, &f.edits.redo, "undo", api.Author{})
}

// TestMovedStatuses checks that a node keeps its status in a group, and loses it in a sub-flow, unless a run goes on with it.
func TestMovedStatuses(t *testing.T) {
	for _, tt := range []struct {
		set  []api.Setting
		busy bool
		want graph.Status
	}{{nil, false, graph.Ran}, {twice(), false, graph.Idle}, {twice(), true, graph.Ran}} {
		f := bareFile(t, flowFile("a>b"))
		a := f.g.Node("a")
		f.g.SetStatus(a, graph.Ran)
		if tt.busy {
			f.cfg.Host.(*fakeHost).busy = map[string]string{"a": "1"}
		}
		r, err := f.edit(api.Author{}, api.EditRequest{Edits: []api.Edit{{Op: api.OpGroup, Nodes: []string{"a"}, Set: tt.set}}}, nil)
		if err != nil || a.Status != tt.want || (len(r.Notes) > 0) != (tt.want == graph.Idle) {
			t.Errorf("%+v: %v, %v, %q", tt, err, a.Status, r.Notes)
		}
		if _, err := f.undoLast(); err != nil || a.Status != graph.Ran {
			t.Errorf("%+v: after undo %v, %v", tt, err, a.Status)
		}
	}
}

// TestGroupThenUngroup checks for random graphs that a group can disappear again without a change of the meaning, also after the
// file was closed.
func TestGroupThenUngroup(t *testing.T) {
	files := filesOfAll(t)
	names := rapid.SampledFrom(sortedNames(files))
	rapid.Check(t, func(t *rapid.T) {
		f := bareFile(t, files[names.Draw(t, "file")])
		if len(f.g.Nodes()) == 0 {
			return
		}
		_, problems := flow.Read(f.g)
		before, beside := f.contents(), f.g.Nodes()[rapid.IntRange(0, len(f.g.Nodes())-1).Draw(t, "beside")]
		e := api.Edit{Op: api.OpGroup, Name: "box"}
		for _, n := range f.g.Nodes() {
			if n.Parent == beside.Parent && (n == beside || rapid.Bool().Draw(t, "too")) {
				e.Nodes = append(e.Nodes, "id:"+n.ID)
			}
		}
		if _, err := f.edit(api.Author{}, api.EditRequest{Edits: []api.Edit{e}}, nil); err != nil {
			t.Skip(err.Error()) // a graph that groups wrongly already
		}
		if rapid.Bool().Draw(t, "close") {
			f = bareFile(t, bytes.Join(f.doc.Render(), nil))
		}
		if _, now := flow.Read(f.g); len(now) != len(problems) {
			t.Fatalf("%+v", now)
		}
		if _, err := f.edit(api.Author{}, api.EditRequest{Edits: []api.Edit{{Op: api.OpUngroup, Nodes: []string{"box"}}}}, nil); err != nil {
			t.Fatal(err)
		}
		again := bareFile(t, bytes.Join(f.doc.Render(), nil))
		for _, f := range []*File{f, again} {
			if got := f.contents(); got != before {
				t.Fatalf("%s\nnot\n%s", got, before)
			}
		}
	})
}

func sortedNames(files map[string][]byte) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

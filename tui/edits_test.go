package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"wf/api"
	"wf/tui/dialog"
	"wf/tui/drawing"
	"wf/tui/editor"
)

// small returns a workfile with a diamond: a -> b, c; b -> d; c ~> d; d -> e.
func small() api.Status {
	s := api.Status{Workfile: "/data/proj/pipeline.graphml"}
	for _, name := range strings.Fields("a b c d e") {
		s.Nodes = append(s.Nodes, api.NodeStatus{ID: "id-" + name, Name: name, Command: "echo " + name, State: api.StateIdle})
	}
	for _, e := range strings.Fields("a>b a>c b>d c~d d>e") {
		kind := map[byte]string{'>': "blocking", '~': "non-blocking"}[e[1]]
		s.Edges = append(s.Edges, api.EdgeStatus{Key: len(s.Edges), Source: "id-" + e[:1], Target: "id-" + e[2:], Type: kind})
	}
	return s
}

// at returns a model of the small workfile with a selected node.
func at(t *testing.T, name string) *model {
	t.Helper()
	m := testModel(110, 30, small())
	m.doc.picture.goTo(m.doc.flow.Index["id-"+name])
	if n := m.doc.selectedNode(); n == nil || n.Name != name {
		t.Fatalf("%v is selected, not %s", n, name)
	}
	return m
}

// worded describes edits: "add-edge a b non-blocking".
func worded(edits []api.Edit) string {
	var lines []string
	for _, e := range edits {
		line := strings.Join(append(append([]string{e.Op}, e.Nodes...), e.Source, e.Target, e.Key, e.Value, e.Label, strings.Join(e.After, ","), e.Type), " ")
		lines = append(lines, strings.Join(strings.Fields(strings.ReplaceAll(line, "id-", "")), " "))
	}
	return strings.Join(lines, "; ")
}

// TestNewNodeFollowsTheSelection: The test checks the typed command and the predecessors of the new node.
func TestNewNodeFollowsTheSelection(t *testing.T) {
	m := at(t, "b")
	press(m, "a", "x", " ", "y")
	d := m.dialogs[0].(*newNodePrompt)
	if got := worded(d.edits(d.Line.String())); got != "add-node x y b" {
		t.Error(got)
	}
	press(m, "ctrl+n")
	if got := worded(d.edits(d.Line.String())); got != "add-node x y" {
		t.Error(got)
	}
	press(m, "ctrl+n", "esc", "space", "a")
	d = m.dialogs[0].(*newNodePrompt)
	if m.doc.picture.selected = m.doc.picture.find("id-e"); worded(d.edits("z")) != "add-node z b" {
		t.Errorf("the marked node is not what it follows: %s", worded(d.edits("z")))
	}
	without := small() // another client deletes b meanwhile
	without.Nodes = slices.Delete(without.Nodes, 1, 2)
	m.Update(news{m.link.feed, batch{snapshot: &api.Snapshot{Status: without}}})
	if got := worded(d.edits("z")); got != "add-node z" {
		t.Error(got)
	}
}

// TestConnectorChoosesTargets: Arrows and letters choose targets, cycles are refused with the names of their nodes,
// and types of edges can be changed.
func TestConnectorChoosesTargets(t *testing.T) {
	for _, x := range []struct {
		from  string
		keys  string
		wrong string
		edits string
	}{
		{"a", "e", "", "add-edge a e blocking"},
		{"a", "b", "this edge exists already", ""},
		{"a", "b tab", "", "type a b non-blocking"},
		{"e", "a", "a cycle: a -> b -> d -> e -> a. Tab: make it non-blocking", ""},
		{"e", "a tab", "", "add-edge e a non-blocking"},
		{"d", "c", "", "add-edge d c blocking"}, // with c ~> d this is not a cycle of blocking edges
		{"c", "d tab", "this edge exists already", ""},
		{"c", "d", "", "type c d blocking"},
		{"a", "z z", "no node matches", ""},
		{"b", "", "a cycle: b -> b. Tab: make it non-blocking", ""},
		{"b", "right", "this edge exists already", ""},
	} {
		t.Run(x.from+" "+x.keys, func(t *testing.T) {
			m := at(t, x.from)
			m.doc.picture.view, m.doc.picture.chosen = drawing.Chart, true
			m.refresh()
			press(m, "c")
			press(m, strings.Fields(x.keys)...)
			d := m.dialogs[0].(*connector)
			if got := d.wrong(); got != x.wrong {
				t.Errorf("wrong: %q, want %q", got, x.wrong)
			}
			if x.wrong == "" {
				if got := worded(d.edits()); got != x.edits {
					t.Errorf("edits %q, want %q", got, x.edits)
				}
				return
			}
			if press(m, "enter"); len(m.dialogs) != 1 {
				t.Error("it was connected all the same")
			}
			if press(m, "esc"); m.doc.selectedNode() == nil || m.doc.selectedNode().Name != x.from {
				t.Error("the selection did not come back")
			}
		})
	}
}

// TestHiddenNodeCanBeConnectedByName: A filter does not hide a target from a search by name.
func TestHiddenNodeCanBeConnectedByName(t *testing.T) {
	m := at(t, "b")
	press(m, "/", "b", "enter", "c", "e")
	d := m.dialogs[0].(*connector)
	if got := worded(d.edits()); got != "add-edge b e blocking" || d.wrong() != "" {
		t.Errorf("%q, wrong: %q", got, d.wrong())
	}
}

// TestRequestsWaitForEarlierAnswers: A request waits for the answer to the previous one, and none is lost.
func TestRequestsWaitForEarlierAnswers(t *testing.T) {
	m := at(t, "a")
	var sent []int
	var cmds []tea.Cmd
	for i := range 3 {
		cmds = append(cmds, m.inTurn(func() tea.Msg { sent = append(sent, i); return notice{fmt.Sprint(i), false} }))
	}
	if cmds[1] != nil || cmds[2] != nil {
		t.Fatal("requests are sent together")
	}
	for next := cmds[0]; next != nil; {
		next = m.handle(next())
		if m.toast.text != fmt.Sprint(len(sent)-1) {
			t.Errorf("after %v: %q", sent, m.toast.text)
		}
	}
	if !slices.Equal(sent, []int{0, 1, 2}) || m.edits.busy {
		t.Errorf("sent %v", sent)
	}
}

// TestBridgesKeepTheOrderOfNeighbours: The order of the neighbours stays when nodes between them are deleted.
func TestBridgesKeepTheOrderOfNeighbours(t *testing.T) {
	for nodes, want := range map[string]string{
		"b": "add-edge a d blocking", "c": "add-edge a d non-blocking", "b c": "add-edge a d blocking",
		"a": "", "e": "", "d": "add-edge b e blocking; add-edge c e non-blocking", "b c d": "add-edge a e blocking",
	} {
		m := at(t, "a")
		var gone []int
		for _, name := range strings.Fields(nodes) {
			gone = append(gone, m.doc.flow.Index["id-"+name])
		}
		if got := worded(bridges(&m.doc.flow, gone)); got != want {
			t.Errorf("without %s: %q, want %q", nodes, got, want)
		}
	}
}

// TestBridgesKeepTheOrderInAnyGraph: In any graph, nodes that had to wait for each other still have to.
func TestBridgesKeepTheOrderInAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "nodes")
		s := api.Status{}
		for i := range n {
			s.Nodes = append(s.Nodes, api.NodeStatus{ID: fmt.Sprint(i), Name: fmt.Sprint(i)})
		}
		for i := range rapid.IntRange(0, 2*n).Draw(t, "edges") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if from < to { // a valid workfile has no cycle of blocking edges
				s.Edges = append(s.Edges, api.EdgeStatus{Key: i, Source: fmt.Sprint(from), Target: fmt.Sprint(to), Type: "blocking"})
			}
		}
		m := testModel(100, 30, s)
		gone := map[int]bool{}
		var list []int
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n-1, rapid.ID).Draw(t, "gone") {
			gone[i], list = true, append(list, i)
		}
		after := s
		after.Edges = nil
		for _, e := range s.Edges {
			if !gone[m.doc.flow.Index[e.Source]] && !gone[m.doc.flow.Index[e.Target]] {
				after.Edges = append(after.Edges, e)
			}
		}
		for i, e := range bridges(&m.doc.flow, list) {
			after.Edges = append(after.Edges, api.EdgeStatus{Key: 100 + i, Source: e.Source, Target: e.Target, Type: e.Type})
		}
		b := testModel(100, 30, after)
		for from := range n {
			for to := range n {
				if !gone[from] && !gone[to] && (m.doc.flow.Path(from, to) != nil) != (b.doc.flow.Path(from, to) != nil) {
					t.Fatalf("%d waits for %d before or after, not both", to, from)
				}
			}
		}
	})
}

// TestDeletingManyNodesNeedsYes: The first choice does nothing, and deleting many nodes requires the typed word yes.
func TestDeletingManyNodesNeedsYes(t *testing.T) {
	m := at(t, "b")
	press(m, "D")
	d := m.dialogs[0].(*dialog.Menu)
	var lines []string
	for _, c := range d.Choices {
		lines = append(lines, c.Key+" "+c.Label)
	}
	want := "n cancel, d delete b and its 2 edges, b delete b, connect the neighbours, e only 2 edges, 1 only the edge a → b, 2 only the edge b → d"
	if got := strings.Join(lines, ", "); got != want {
		t.Errorf("the menu has\n%s, want\n%s", got, want)
	}
	if d.Choices[0].Do != nil || d.At != 0 {
		t.Error("Enter does something")
	}
	m = testModel(110, 30, pipeline(3))
	m.doc.picture.view, m.doc.picture.chosen = drawing.List, true
	m.refresh()
	press(m, "g", "space", "space", "space", "space", "space", "space", "D", "d")
	p, ok := m.dialogs[0].(*dialog.Prompt)
	if !ok || p.Label != "delete 6 nodes? type yes:" {
		t.Fatalf("%+v", m.dialogs)
	}
	if press(m, "y", "enter"); m.toast.text != "nothing was deleted" {
		t.Errorf("after y: %q", m.toast.text)
	}
	if press(m, "D", "d", "y", "e", "s", "enter"); m.toast.text != "" || len(m.doc.picture.markedNodes()) != 0 {
		t.Errorf("after yes: %q", m.toast.text)
	}
}

// TestFormEditsOnlyChangedFields: Each edit contains the value that the user saw, and a change by another client is
// shown.
func TestFormEditsOnlyChangedFields(t *testing.T) {
	m := at(t, "b")
	d := newForm(api.NodeStatus{ID: "id-b", Name: "b", Command: "echo b\n", Attrs: map[string]string{"group": "g"}})
	m.open(d)
	if len(d.edits()) != 0 {
		t.Errorf("untouched: %s", worded(d.edits()))
	}
	press(m, "n", "tab", "x", "tab", "backspace")
	if got := worded(d.edits()); got != "set b name n; unset b group" || *d.edits()[1].Was != "g" {
		t.Errorf("edits %s", got)
	}
	d.rebase(api.NodeStatus{ID: "id-b", Name: "theirs", Command: "echo c", Attrs: map[string]string{"name": "theirs", "group": "g"}})
	if got := frame(m); !strings.Contains(got, "somebody else: theirs") || !strings.Contains(got, "echo c") {
		t.Errorf("after a conflict:\n%s", got)
	}
	if e := d.edits(); worded(e) != "set b name n; unset b group" || *e[0].Was != "theirs" {
		t.Errorf("after a conflict: %s", worded(e))
	}
}

// TestEditsOfOthersAreShown: Edits of other clients are reported, edits of this client are not reported twice, and a
// snapshot in between loses none.
func TestEditsOfOthersAreShown(t *testing.T) {
	var b batch
	b.take(api.Frame{Events: []api.Event{{Type: api.GraphUpdated, Structure: true, Op: "edit", Client: "u2", Message: "set name of trim"}}})
	b.take(api.Frame{Snapshot: &api.Snapshot{Status: small()}})
	m := at(t, "a")
	m.Update(news{m.link.feed, b})
	if m.toast.text != "client u2 renamed trim" || b.empty() {
		t.Errorf("said %q", m.toast.text)
	}
	b = batch{}
	b.take(api.Frame{Events: []api.Event{{Type: api.GraphUpdated, Structure: true, Op: "edit", Client: "c9", User: "bob\x1b[2J", Message: "set name of trim"}}})
	m.Update(news{m.link.feed, b})
	if !strings.HasPrefix(m.toast.text, "bob") || !strings.HasSuffix(m.toast.text, " renamed trim") || strings.ContainsRune(m.toast.text, 0x1b) {
		t.Errorf("said %q", m.toast.text)
	}
	for range 100 {
		b.take(api.Frame{Events: []api.Event{{Type: api.GraphUpdated, Structure: true, Op: "undo", Client: "u3", Message: "set a; set b; set c; set d; set e"}}})
	}
	m.Update(news{m.link.feed, b})
	if len(b.edits) != mostKept || m.toast.text != "client u3 undid: set a, set b, set c, and 2 more changes" {
		t.Errorf("said %q of %d", m.toast.text, len(b.edits))
	}
}

// TestHeaderCountsEditsDuringARun: The header counts edits during a run until the run is over.
func TestHeaderCountsEditsDuringARun(t *testing.T) {
	m := testModel(140, 30, pipeline(3))
	m.doc.changed = changed{"42", countChanges(&api.Changes{Commands: []string{"a"}, EdgesAdded: make([]api.EdgeChange, 2)})}
	if got := frame(m); !strings.Contains(got, "edited since run 42 began: 3 changes (next run)") {
		t.Errorf("during the run:\n%s", got)
	}
	m.Update(news{m.link.feed, batch{events: []api.Event{{Type: api.RunComplete, Run: "42", Time: noon}}}})
	if got := frame(m); strings.Contains(got, "edited since") {
		t.Errorf("after the run:\n%s", got)
	}
}

// TestDraftSurvivesTheEditor: A text is written to a file for the editor and read back, whatever the editor does. A
// mistake is explained above the text.
func TestDraftSurvivesTheEditor(t *testing.T) {
	m := at(t, "b")
	m.opt.Drafts = filepath.Join(t.TempDir(), "edits")
	var saved []string
	d := &draft{title: "it", text: "echo 'it''s'\n"}
	d.save = func(text string) tea.Msg {
		saved = append(saved, text)
		return rejected{d, errEmpty}
	}
	m.handle(m.handle(compose{d})())
	if d.path == "" {
		t.Fatal("the text is not on disk")
	}
	m.handle(d.save(d.text))
	if press(m, "esc"); len(m.dialogs) != 0 || m.toast.text != "nothing was saved; the text is kept in "+d.path {
		t.Errorf("after Esc: %q", m.toast.text)
	}
	m.handle(d.save(d.text))
	press(m, "enter")
	if d.text != "#wf: the text is empty: nothing was changed\necho 'it''s'\n" || editor.Bare(d.text) != saved[0] {
		t.Errorf("the editor opens %q", d.text)
	}
}

// TestTypedCommandReturnsWhenTheDiskFails: A typed command is shown again if it cannot be written for the editor.
func TestTypedCommandReturnsWhenTheDiskFails(t *testing.T) {
	m := at(t, "b")
	m.opt.Drafts = "/dev/null/edits"
	press(m, "a", "x")
	cmd := m.key(keyPress("ctrl+e"))
	m.handle(cmd())
	if d, ok := m.dialogs[0].(*newNodePrompt); !ok || d.Line.String() != "x" || !m.toast.bad {
		t.Errorf("%+v, said %q", m.dialogs, m.toast.text)
	}
}

// TestEveryWorkforceFunctionHasAnActionOrReason: The named actions exist.
func TestEveryWorkforceFunctionHasAnActionOrReason(t *testing.T) {
	keys := registry()
	for _, f := range parity {
		if len(f.actions) == 0 && f.note == "" {
			t.Errorf("%s: neither a key nor a reason", f.what)
		}
		for _, name := range f.actions {
			if !slices.ContainsFunc(keys, func(a action) bool { return a.name == name }) {
				t.Errorf("%s: no action %q", f.what, name)
			}
		}
	}
}

package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/tui/dialog"
)

// TestContainerOfMarkedNodes checks the edit that the form makes, that it stays open while the edit is refused, and what is
// selected afterwards.
func TestContainerOfMarkedNodes(t *testing.T) {
	m := at(t, "b")
	if got := frame(m); strings.Contains(got, "container") {
		t.Errorf("the footer offers a container of nothing:\n%s", got)
	}
	press(m, "space")
	if got := frame(m); !strings.Contains(got, "M container") {
		t.Errorf("the footer does not offer a container of marked nodes:\n%s", got)
	}
	m.doc.picture.goTo(m.doc.flow.Index["id-d"])
	press(m, "space", "M")
	d := m.dialogs[0].(*containerForm)
	press(m, "s", "t", "e", "p", "tab", "tab", "3")
	e := d.edit()
	if e.Op != api.OpGroup || e.Name != "step" || !slices.Equal(e.Nodes, []string{"id-b", "id-d"}) || !slices.Equal(e.Set, []api.Setting{{Key: "times", Value: "3"}}) {
		t.Errorf("the edit is %+v", e)
	}
	press(m, "tab", "x", "enter")
	if len(m.dialogs) != 1 || d.problem != "nodes are repeated in one way: clear times or while" {
		t.Errorf("two ways: %q", d.problem)
	}
	press(m, "backspace")
	m.handle(d.made(edited{err: errors.New("c lies between the nodes")}))
	if len(m.dialogs) != 1 || !strings.Contains(frame(m), "c lies between the nodes") || len(m.doc.picture.markedNodes()) != 2 {
		t.Errorf("a refusal is not shown:\n%s", frame(m))
	}
	with := small() // the daemon has made it
	with.Nodes = append(with.Nodes, api.NodeStatus{ID: "id-step", Name: "step", Container: true, SubFlow: "times"})
	for i := range with.Nodes[:5] {
		if id := with.Nodes[i].ID; id == "id-b" || id == "id-d" {
			with.Nodes[i].Parent = "id-step"
		}
	}
	m.Update(news{m.link.feed, batch{snapshot: &api.Snapshot{Status: with}}})
	m.handle(d.made(edited{result: api.EditResult{Added: []string{"id-step"}, Text: "made container step of b, d"}}))
	if len(m.dialogs) != 0 || len(m.doc.picture.markedNodes()) != 0 || m.doc.editedNode() == nil || m.doc.editedNode().Name != "step" {
		t.Errorf("%d dialogs, %v marked, %+v selected", len(m.dialogs), m.doc.picture.markedNodes(), m.doc.editedNode())
	}
	if msg, ok := m.menus().ungroup().(edit); !ok || worded(msg.edits) != "ungroup step" {
		t.Errorf("the container is dissolved by %+v", msg)
	}
	m.doc.picture.goTo(m.doc.flow.Index["id-b"])
	if msg, ok := m.menus().ungroup().(edit); !ok || worded(msg.edits) != "ungroup step" {
		t.Errorf("the container of a node is dissolved by %+v", msg)
	}
	m.doc.picture.goTo(m.doc.flow.Index["id-a"])
	if msg, ok := m.menus().ungroup().(notice); !ok || !strings.Contains(msg.text, "select a container") {
		t.Errorf("a command is dissolved by %+v", msg)
	}
}

// TestMoveOffersContainers checks where nodes can move to.
func TestMoveOffersContainers(t *testing.T) {
	m := at(t, "b")
	if msg, ok := m.menus().moveNodes().(notice); !ok || !strings.Contains(msg.text, "there is no container") {
		t.Errorf("without a container: %+v", msg)
	}
	with := small()
	with.Nodes = append(with.Nodes, api.NodeStatus{ID: "id-g", Name: "g", Container: true}, api.NodeStatus{ID: "id-h", Name: "h", Container: true})
	with.Nodes[0].Parent = "id-g"
	m = testModel(110, 30, with)
	for name, want := range map[string]string{
		"a": "out of the container: wf edit move a --out --file pipeline.graphml; into g: wf edit move a --into g --file pipeline.graphml; into h: wf edit move a --into h --file pipeline.graphml",
		"b": "into g: wf edit move b --into g --file pipeline.graphml; into h: wf edit move b --into h --file pipeline.graphml",
	} {
		m.doc.picture.unmarkAll()
		m.doc.picture.goTo(m.doc.flow.Index["id-"+name])
		msg := m.menus().moveNodes().(openDialog)
		var got []string
		for _, c := range msg.Dialog.(*dialog.Chooser).Choices {
			got = append(got, c.Label+": "+c.Detail)
			if e := c.Do.(edit).edits[0]; e.Op != api.OpMove || (e.In == "") != strings.HasPrefix(c.Label, "out") {
				t.Errorf("%s does %+v", c.Label, e)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %s\nnot %s", name, strings.Join(got, "; "), want)
		}
	}
}

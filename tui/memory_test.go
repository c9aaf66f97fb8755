package tui

import (
	"reflect"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/drawing"
	"wf/tui/logview"
)

// shelf is a Memory that stores views in a map.
type shelf map[string]SavedView

func (s shelf) Recall(id string) SavedView  { return s[id] }
func (s shelf) Keep(id string, v SavedView) { s[id] = v }

// session opens the pipeline like the program.
func session(s shelf) *model {
	m := newModel(Options{Path: "/data/x", Memory: s})
	m.openFile("/data/x")
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 30})
	m.Update(opened{asked: m.link, link: &link{path: "/data/x", id: "ab", feed: newFeed()}, view: m.opt.recall("ab")})
	m.Update(news{m.link.feed, batch{snapshot: &api.Snapshot{Status: pipeline(12)}}})
	m.draw()
	return m
}

// TestViewIsRestoredAndStoredOnlyWhenChanged: View, zoom, open stages, panes and the display of logs are restored,
// and only changes are stored.
func TestViewIsRestoredAndStoredOnlyWhenChanged(t *testing.T) {
	s := shelf{}
	m := session(s)
	first := m.doc.picture.view
	m.close()
	if s["ab"].View != first.String() {
		t.Errorf("what was chosen at first is not kept: %+v", s["ab"])
	}
	m = session(s)
	m.doc.picture.view, m.doc.picture.zoom = drawing.Chart, drawing.Stages
	m.refresh()
	m.doc.picture.goTo(m.doc.flow.Index["id-align_S004"])
	m.doc.picture.zoom = drawing.Stages
	m.refresh()
	press(m, "enter", "2", "w", "s", "t", "i", "1", "v", "v", "z", "z", "t")
	m.panes.drag(m.body(), 48, 3)
	want := savedViewOf(&m.doc, &m.panes, &m.side)
	_, cmd := m.Update(tea.MouseReleaseMsg{})
	if drain(cmd); !reflect.DeepEqual(s["ab"], want) {
		t.Errorf("before it is left, %+v is kept", s["ab"])
	}
	if want.View != "graph" || want.Size != 1 || !want.Plainly || len(want.Open) != 1 || want.Split != 0.4 || !want.Inspect || !want.CutLines || want.Stream != logview.Stdout || !want.Times {
		t.Fatalf("it is looked at with %+v", want)
	}
	m.close()
	m = session(s)
	if got := savedViewOf(&m.doc, &m.panes, &m.side); !reflect.DeepEqual(got, want) {
		t.Errorf("found %+v, left %+v", got, want)
	}
	delete(s, "ab")
	if m.close(); len(s) != 0 {
		t.Error("what was not changed is written")
	}
}

// TestInvalidViewIsIgnored: No content of a stored view does any harm.
func TestInvalidViewIsIgnored(t *testing.T) {
	m := session(shelf{"ab": {View: "cube", Size: 99, Open: []string{"", "gone"}, Split: 7, Stream: "stdin"}})
	m.View()
	if got := savedViewOf(&m.doc, &m.panes, &m.side); got.Size != 0 || got.Split != mostSplit || got.Stream != "" || len(got.Open) != 0 || got.View == "cube" {
		t.Errorf("it is looked at with %+v", got)
	}
	m.close()
}

// drain runs the parts of a command that end immediately.
func drain(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			drain(c)
		}
	}
}

package tui

import (
	"maps"
	"reflect"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/tui/drawing"
)

// A SavedView describes the view of a workfile: drawing, zoom, open stages, panes. It is restored when the workfile is
// opened again. Unknown values are ignored.
type SavedView struct {
	View     string   `json:"view"`              // "graph", "list"; "" = never chosen
	Size     int      `json:"size,omitempty"`    // of the boxes of the graph
	Plainly  bool     `json:"plainly,omitempty"` // without a lens
	Open     []string `json:"open,omitempty"`    // keys of the stages that are open
	Split    float64  `json:"split,omitempty"`   // share of the drawing; 0 = depends on the terminal
	Plain    bool     `json:"plain,omitempty"`   // without an overview
	Inspect  bool     `json:"inspect,omitempty"` // reasons instead of the log
	CutLines bool     `json:"cut_lines,omitempty"`
	Times    bool     `json:"times,omitempty"`  // of the lines of the log
	Stream   string   `json:"stream,omitempty"` // "stdout", "stderr"; "" = both
}

// A viewMemory is the state of storing the view of the open workfile.
type viewMemory struct {
	known SavedView // what is stored
	moved bool      // changed by this process
}

// A Memory stores views by workspace. Its methods may be called from any goroutine. Errors are not reported:
// nothing depends on a stored view.
type Memory interface {
	Recall(workspace string) SavedView
	Keep(workspace string, s SavedView)
}

// mostOpen is the maximum number of open stages that are stored.
const mostOpen = 200

// The least and the greatest share of the drawing.
const (
	leastSplit = 0.2
	mostSplit  = 0.8
)

// savedViewOf returns the present view of a workfile.
func savedViewOf(doc *document, panes *panes, side *side) SavedView {
	s := SavedView{Size: int(doc.picture.zoom), Plainly: !doc.picture.lens, Split: panes.split, Plain: panes.noOverview, Inspect: side.inspect, CutLines: side.log.Cut, Times: side.log.Times, Stream: side.log.Stream()}
	if doc.picture.chosen {
		s.View = doc.picture.view.String()
	}
	for _, key := range slices.Sorted(maps.Keys(doc.picture.expanded)) {
		if _, there := doc.flow.Index[key]; there && doc.picture.expanded[key] && len(s.Open) < mostOpen {
			s.Open = append(s.Open, key)
		}
	}
	return s
}

// restore applies a stored view to a workfile.
func (s SavedView) restore(doc *document, panes *panes, side *side) {
	for _, view := range []drawing.View{drawing.Chart, drawing.List} {
		if view.String() == s.View {
			doc.picture.view, doc.picture.chosen = view, true
		}
	}
	if s.Size >= 0 && s.Size <= int(drawing.Stages) {
		doc.picture.zoom = drawing.Zoom(s.Size)
	}
	doc.picture.lens = !s.Plainly
	for _, key := range s.Open[:min(len(s.Open), mostOpen)] {
		doc.picture.expanded[key] = true
	}
	if s.Split > 0 {
		panes.split = min(max(s.Split, leastSplit), mostSplit)
	}
	side.log.SetStream(s.Stream)
	panes.noOverview, side.inspect, side.log.Cut, side.log.Times = s.Plain, s.Inspect, s.CutLines, s.Times
}

// recall returns the stored view of a workspace. It may read a file.
func (o *Options) recall(workspace string) SavedView {
	if o.Memory == nil {
		return SavedView{}
	}
	return o.Memory.Recall(workspace)
}

// keepView returns a function that stores the view of the open workfile and may write a file, or nil if the
// view has not changed. last is set when the workfile is left: then it stores once more, because an earlier
// write may come late.
func (m *model) keepView(last bool) func() {
	if m.opt.Memory == nil || m.link == nil || m.link.id == "" || m.doc.nothingOpen() {
		return nil
	}
	s := savedViewOf(&m.doc, &m.panes, &m.side)
	if reflect.DeepEqual(s, m.savedViews.known) && !(last && m.savedViews.moved) {
		return nil
	}
	memory, id := m.opt.Memory, m.link.id
	m.savedViews.known, m.savedViews.moved = s, true
	return func() { memory.Keep(id, s) }
}

// storeView stores the view after a key or a mouse button, so that it survives the loss of the terminal.
func (m *model) storeView(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseReleaseMsg:
		if keep := m.keepView(false); keep != nil {
			return func() tea.Msg {
				keep()
				return nil
			}
		}
	}
	return nil
}

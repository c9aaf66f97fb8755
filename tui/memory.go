package tui

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/tui/drawing"
)

// A Sight is how a workfile is displayed: view, zoom, open stages, panes. It is restored when the workfile is opened
// again. Unknown values are ignored.
type Sight struct {
	View     string   `json:"view"` // "stages", "graph", "list"; "" = never chosen
	Zoom     int      `json:"zoom,omitempty"`
	Open     []string `json:"open,omitempty"`    // keys of the stages that are open
	Split    float64  `json:"split,omitempty"`   // share of the drawing; 0 = depends on the terminal
	Plain    bool     `json:"plain,omitempty"`   // without an overview
	Inspect  bool     `json:"inspect,omitempty"` // reasons instead of the log
	CutLines bool     `json:"cut_lines,omitempty"`
	Stream   string   `json:"stream,omitempty"` // "stdout", "stderr"; "" = both
}

// A sightMemory is the state of storing the sight of the open workfile.
type sightMemory struct {
	known Sight // the stored sight
	moved bool  // the user has changed it
}

// A Memory stores sights by workspace. Its methods may be called from any goroutine. They ignore errors, because a
// sight is not important.
type Memory interface {
	Recall(workspace string) Sight
	Keep(workspace string, s Sight)
}

// mostOpen is the maximum number of open stages that are stored.
const mostOpen = 200

// The smallest and the largest share of the drawing.
const (
	leastSplit = 0.2
	mostSplit  = 0.8
)

// sightOf returns how a workfile is displayed.
func sightOf(doc *document, panes *panes, side *side) Sight {
	s := Sight{Zoom: int(doc.picture.zoom), Split: panes.split, Plain: panes.noOverview, Inspect: side.inspect, CutLines: side.log.Cut, Stream: side.log.Stream()}
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

// restore displays a workfile as the sight describes.
func (s Sight) restore(doc *document, panes *panes, side *side) {
	for _, view := range []drawing.View{drawing.Stages, drawing.Layers, drawing.List} {
		if view.String() == s.View {
			doc.picture.view, doc.picture.chosen = view, true
		}
	}
	if s.Zoom >= 0 && s.Zoom <= int(drawing.Map) {
		doc.picture.zoom = drawing.Zoom(s.Zoom)
	}
	for _, key := range s.Open[:min(len(s.Open), mostOpen)] {
		doc.picture.expanded[key] = true
	}
	if s.Split > 0 {
		panes.split = min(max(s.Split, leastSplit), mostSplit)
	}
	side.log.SetStream(s.Stream)
	panes.noOverview, side.inspect, side.log.Cut = s.Plain, s.Inspect, s.CutLines
}

// recall returns the stored sight of a workspace. It may read a file.
func (o *Options) recall(workspace string) Sight {
	if o.Memory == nil {
		return Sight{}
	}
	return o.Memory.Recall(workspace)
}

// keepSight returns a function that stores the sight of the open workfile and may write a file, or nil if the sight
// has not changed. last is set when the user leaves the workfile: the sight is then stored again, because an earlier
// write may finish late.
func (m *model) keepSight(last bool) func() {
	if m.opt.Memory == nil || m.link == nil || m.link.id == "" || m.doc.nothingOpen() {
		return nil
	}
	s := sightOf(&m.doc, &m.panes, &m.side)
	if same(s, m.sights.known) && !(last && m.sights.moved) {
		return nil
	}
	memory, id := m.opt.Memory, m.link.id
	m.sights.known, m.sights.moved = s, true
	return func() { memory.Keep(id, s) }
}

// memorize stores the sight after a key or a mouse button, so that it survives the loss of the terminal.
func (m *model) memorize(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.MouseReleaseMsg:
		if keep := m.keepSight(false); keep != nil {
			return func() tea.Msg {
				keep()
				return nil
			}
		}
	}
	return nil
}

func same(a, b Sight) bool {
	open := slices.Equal(a.Open, b.Open)
	a.Open, b.Open = nil, nil
	return open && a.View == b.View && a.Zoom == b.Zoom && a.Split == b.Split && a.Plain == b.Plain && a.Inspect == b.Inspect &&
		a.CutLines == b.CutLines && a.Stream == b.Stream
}

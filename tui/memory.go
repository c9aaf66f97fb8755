package tui

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wf/tui/drawing"
)

// A Sight is how somebody looks at a workfile: what they find again when they come back to it. Words and
// numbers that mean nothing here are as good as none.
type Sight struct {
	View     string   `json:"view"` // "stages", "graph", "list"; "" = it was never chosen
	Zoom     int      `json:"zoom,omitempty"`
	Open     []string `json:"open,omitempty"`    // keys of the stages that are open
	Split    float64  `json:"split,omitempty"`   // share of the drawing; 0 = as the terminal asks for
	Plain    bool     `json:"plain,omitempty"`   // without an overview
	Inspect  bool     `json:"inspect,omitempty"` // reasons instead of the log
	CutLines bool     `json:"cut_lines,omitempty"`
	Stream   string   `json:"stream,omitempty"` // "stdout", "stderr"; "" = both
}

// A Memory keeps sights between sessions, by workspace. Its methods may be called from any goroutine. What
// it cannot keep or find is forgotten: nothing depends on it.
type Memory interface {
	Recall(workspace string) Sight
	Keep(workspace string, s Sight)
}

// mostOpen bounds the stages whose being open is kept.
const mostOpen = 200

// The least and the greatest share of the drawing.
const (
	leastSplit = 0.2
	mostSplit  = 0.8
)

// sight is how the workfile is looked at now.
func (m *model) sight() Sight {
	s := Sight{Zoom: int(m.picture.zoom), Split: m.split, Plain: m.plainView, Inspect: m.inspect, CutLines: m.log.Cut, Stream: m.log.Stream()}
	if m.picture.chosen {
		s.View = m.picture.view.String()
	}
	for _, key := range slices.Sorted(maps.Keys(m.picture.expanded)) {
		if _, there := m.flow.index[key]; there && m.picture.expanded[key] && len(s.Open) < mostOpen {
			s.Open = append(s.Open, key)
		}
	}
	return s
}

// look looks at the workfile in a certain way.
func (m *model) look(s Sight) {
	for _, view := range []drawing.View{drawing.Stages, drawing.Layers, drawing.List} {
		if view.String() == s.View {
			m.picture.view, m.picture.chosen = view, true
		}
	}
	if s.Zoom >= 0 && s.Zoom <= int(drawing.Map) {
		m.picture.zoom = drawing.Zoom(s.Zoom)
	}
	for _, key := range s.Open[:min(len(s.Open), mostOpen)] {
		m.picture.expanded[key] = true
	}
	if s.Split > 0 {
		m.split = min(max(s.Split, leastSplit), mostSplit)
	}
	m.log.SetStream(s.Stream)
	m.plainView, m.inspect, m.log.Cut = s.Plain, s.Inspect, s.CutLines
}

// recall is what is known of a workspace. It may read a file.
func (o *Options) recall(workspace string) Sight {
	if o.Memory == nil {
		return Sight{}
	}
	return o.Memory.Recall(workspace)
}

// keepSight returns what keeps how the open workfile is looked at, nil if that has not changed; it may
// write a file. last is for a workfile that is left: if any of what was written before came late, what
// comes last is right.
func (m *model) keepSight(last bool) func() {
	if m.opt.Memory == nil || m.link == nil || m.link.id == "" || !m.flow.known {
		return nil
	}
	s := m.sight()
	if same(s, m.known) && !(last && m.moved) {
		return nil
	}
	memory, id := m.opt.Memory, m.link.id
	m.known, m.moved = s, true
	return func() { memory.Keep(id, s) }
}

// memorize keeps how the workfile is looked at after a key or a turn of the mouse, so that it is not lost
// when the terminal is.
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

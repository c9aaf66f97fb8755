package tui

import (
	"wf/tui/cells"
)

// footer draws the last row: the latest note or, if there is none, the keys that are useful here.
func (m *model) footer(a cells.Area) {
	if m.toast.text != "" {
		st := cells.Note
		if m.toast.bad {
			st = cells.Bad
		}
		a.Put(1, 0, cells.Clip(m.toast.text, a.Width-2, m.opt.ASCII), st)
		return
	}
	m.hints(a)
}

// hints draws the first key of the actions that have a hint.
func (m *model) hints(a cells.Area) {
	x := 1
	m.term.spots = m.term.spots[:0]
	var late []*action // the keys for leaving and help are always visible
	room := a.Width
	for i := range m.keys {
		act := &m.keys[i]
		if act.group == groupAll && act.hinted(m) {
			late = append(late, act)
			room -= cells.Columns(act.keyHint(m.opt.ASCII)) + cells.Columns(act.hintText(m)) + 3
		}
	}
	put := func(act *action, room int) bool {
		key, hint, st := act.keyHint(m.opt.ASCII), act.hintText(m), cells.Plain
		if x+cells.Columns(key)+1+cells.Columns(hint)+2 > room {
			return false
		}
		if act.isOn(m) {
			st = cells.Note
		}
		from := x
		x = a.Put(x, 0, key, cells.Key)
		x = a.Put(x+1, 0, hint, st) + 2
		m.term.spots = append(m.term.spots, hintSpot{from, x - 1, act})
		return true
	}
	for i := range m.keys { // what is switched on is always visible, too
		if act := &m.keys[i]; act.isOn(m) && act.hinted(m) {
			put(act, room)
		}
	}
	for i := range m.keys {
		if act := &m.keys[i]; act.group != groupAll && !act.isOn(m) && act.hinted(m) && !put(act, room) {
			break
		}
	}
	for _, act := range late {
		put(act, a.Width+2)
	}
}

// hinted reports whether the footer shows an action: its first key must do this action here.
func (a *action) hinted(m *model) bool {
	if !a.pressing(m) || len(m.doc.flow.Nodes) == 0 && m.page == mainPage && a.forNodes() {
		return false
	}
	return a.hint != "" && len(a.keys) > 0 && m.action(a.keys[0]) == a
}

// keyHint returns the first key of an action, or "".
func (a *action) keyHint(ascii bool) string {
	if len(a.keys) == 0 {
		return ""
	}
	return keyName(a.keys[0], ascii)
}

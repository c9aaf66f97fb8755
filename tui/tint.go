package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/drawing"
	"wf/tui/words"
)

// A tint is what the names of nodes are coloured by.
type tint uint8

const (
	noTint tint = iota
	byTime
	byPath // the critical path
	tints
)

// heat are the steps of the tint by time: each stands for a share of the longest time that is half of the one after it.
const heat = 5

// heatColors are the colours of the steps, in the palette of 256 colours; the palettes of the interface replace them where a terminal has fewer.
var heatColors = [heat]int{33, 44, 220, 208, 196}

// pathColor is the colour of the critical path.
const pathColor = 208

// A lens is how the drawing is coloured besides the states, and what that needs.
type lens struct {
	tint   tint
	record record
	steps  []uint8 // by node: its step, from 1; 0 = it has not run
	ascii  bool
	plan   planned
	texts  []tinted // by node
}

// nextTint goes from no tint to the one by time, then to the critical path.
func nextTint(m *model) tea.Msg {
	l := &m.doc.lens
	l.tint = (l.tint + 1) % tints
	switch l.tint {
	case byTime:
		return notice{"tint by time: each step is twice the one before, the last one is the longest", false}
	case byPath:
		return notice{"tint by the critical path: what decided how long the run took", false}
	}
	return notice{"no tint", false}
}

// heading returns the part of the header about the tint, or "".
func (l *lens) heading() string {
	switch l.tint {
	case byTime:
		return "tint: time"
	case byPath:
		return "tint: critical path"
	}
	return ""
}

// apply gives the nodes of a drawing the signs of the tint, after their texts have been computed from their states.
func (l *lens) apply(f *runview.Workfile, p *picture, now time.Time) {
	if l.plan.fates != nil {
		l.plan.apply(f, p)
		return
	}
	if l.tint == noTint {
		return
	}
	l.steps = steps(f, now)
	if len(l.texts) != len(f.Nodes) {
		l.texts = make([]tinted, len(f.Nodes))
	}
	for i := range f.Nodes {
		n, to := &f.Nodes[i], &p.graph.Nodes[i]
		sign := l.sign(n, i, l.ascii)
		if sign == "" {
			continue
		}
		p.described[i] = textSource{} // computed again without the sign
		text := &l.texts[i]
		if from := textSourceOf(n); from != text.from || sign != text.sign || countsDown(n) {
			*text = tinted{from, sign, sign + " " + detail(n, now), shortTime(n, now)}
			if !l.ascii { // a word needs the room of the time
				text.time = withSign(sign, text.time)
			}
		}
		to.Detail, to.Time = text.detail, text.time
	}
}

// withSign puts a sign before a short time, with a blank if there is room for it.
func withSign(sign, time string) string {
	if cells.Columns(sign)+1+cells.Columns(time) <= shortRoom {
		return sign + " " + time
	}
	return sign + time
}

// A tinted has the texts of a node with a sign, and what they were made from.
type tinted struct {
	from               textSource
	sign, detail, time string
}

// sign returns the sign of a node, so that the tint needs no colours.
func (l *lens) sign(n *api.NodeStatus, i int, ascii bool) string {
	switch {
	case l.tint == byPath && l.record.isCritical(n):
		return cells.Either(ascii, "critical", words.SignCritical.Glyph)
	case l.tint == byTime && l.steps[i] > 0:
		return words.HeatSign(int(l.steps[i])-1, ascii)
	}
	return ""
}

// steps returns the step of each node: heat for the longest time and down to half of it, one less for half of that, and so on.
func steps(f *runview.Workfile, now time.Time) []uint8 {
	longest := time.Duration(0)
	took := make([]time.Duration, len(f.Nodes))
	for i := range f.Nodes {
		took[i] = tookOf(&f.Nodes[i], now)
		longest = max(longest, took[i])
	}
	out := make([]uint8, len(f.Nodes))
	for i, d := range took {
		if d > 0 {
			out[i] = step(d, longest)
		}
	}
	return out
}

// step returns the step of a time, from 1 to heat.
func step(d, longest time.Duration) uint8 {
	at := heat
	for limit := longest / 2; at > 1 && d <= limit; limit /= 2 {
		at--
	}
	return uint8(at)
}

// tookOf returns how long the latest execution of a node took, or has taken so far; 0 = it has not run.
func tookOf(n *api.NodeStatus, now time.Time) time.Duration {
	switch {
	case n.State == api.StateRunning && n.Started != nil:
		return max(now.Sub(*n.Started), time.Millisecond)
	case n.DurationMS != nil && n.State != api.StateIdle:
		return max(time.Duration(*n.DurationMS)*time.Millisecond, time.Millisecond)
	}
	return 0
}

// paint colours the names of the nodes and stages that were drawn into a. A stage has the look of its most notable node.
func (l *lens) paint(a cells.Area, p *picture, f *runview.Workfile) {
	if l.tint == noTint && l.plan.fates == nil {
		return
	}
	notable := map[drawing.Item]int{}
	for y := range min(a.Height, p.grid.Height) {
		for x, from := range p.grid.Row(y)[:min(a.Width, p.grid.Width)] {
			if from.Item.Kind == drawing.None || from.Item.Kind == drawing.ARow || from.Style.Ink != drawing.InkText || from.Style.Mods&drawing.Line != 0 {
				continue
			}
			i, known := notable[from.Item]
			if !known {
				i = l.notable(p.layout.Nodes(from.Item), f)
				notable[from.Item] = i
			}
			if i >= 0 {
				c := a.At(x, y)
				c.Style = l.style(c.Style, &f.Nodes[i], i)
			}
		}
	}
}

// notable returns the node that decides how an item looks, or -1.
func (l *lens) notable(nodes []int, f *runview.Workfile) int {
	best, most := -1, -1
	for _, i := range nodes {
		if i >= len(f.Nodes) || i >= max(len(l.steps), len(l.plan.fates)) {
			return -1
		}
		if rank := l.rank(&f.Nodes[i], i); rank > most {
			best, most = i, rank
		}
	}
	return best
}

// rank says how notable a node is.
func (l *lens) rank(n *api.NodeStatus, i int) int {
	switch {
	case i < len(l.plan.fates):
		return map[fate]int{willRun: 3, mayRun: 2, isKept: 1}[l.plan.fates[i]]
	case l.tint == byTime:
		return int(l.steps[i])
	case l.record.isCritical(n):
		return 1
	}
	return 0
}

// style returns the style of the name of a node.
func (l *lens) style(st cells.Style, n *api.NodeStatus, i int) cells.Style {
	switch {
	case i < len(l.plan.fates):
		return l.plan.style(st, i)
	case i >= len(l.steps):
		return st
	case l.tint == byTime && l.steps[i] > 0:
		st.FG = cells.Palette(heatColors[l.steps[i]-1])
	case l.tint == byPath && l.record.isCritical(n):
		st.FG = cells.Palette(pathColor)
		st = st.With(cells.Bold)
	default:
		st = st.With(cells.Dim)
	}
	return st
}

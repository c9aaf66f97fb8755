package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/drawing"
	"wf/tui/timeline"
	"wf/tui/words"
)

// Widths of the strip of times beside the list, in columns: the least width of a pane that has one, and of the list and the strip themselves.
const (
	stripPane  = 72
	leastList  = 44
	leastStrip = 24
)

// toggleStrip shows or hides the strip of times.
func toggleStrip(m *model) tea.Msg {
	m.doc.noStrip = !m.doc.noStrip
	switch {
	case m.doc.noStrip:
		return notice{"the strip of times is hidden", false}
	case m.doc.picture.view != drawing.List:
		return notice{"the strip of times is beside the list: v changes the view", false}
	case m.term.areas.drawing.Width < stripPane:
		return notice{"the pane is too narrow for the strip of times: + gives it the whole screen", false}
	}
	return nil
}

// hasStrip reports whether a drawing of a width has a strip of times.
func hasStrip(d *document, width int) bool {
	return !d.noStrip && d.picture.view == drawing.List && width >= stripPane && shownRun(d) != nil
}

// divideStrip divides the area of the drawing into that of the list, and that of the strip beside it, which may be empty. The
// first row of both is the one of the time axis.
func divideStrip(d *document, a cells.Area) (list, strip cells.Area) {
	if !hasStrip(d, a.Width) || a.Height < 3 {
		return a, cells.Area{}
	}
	width := max(leastList, a.Width*11/20)
	return a.Part(0, 1, width, a.Height-1), a.Part(width+1, 0, a.Width-width-2, a.Height)
}

// requestRecord asks for the executions of the run that is shown, if something on the screen needs them.
func requestRecord(m *model) tea.Msg {
	if !m.link.connected() || m.doc.nothingOpen() || m.page != mainPage {
		return nil
	}
	l := &m.doc.lens
	if l.tint != byPath && !hasStrip(&m.doc, m.term.areas.drawing.Width) {
		return nil
	}
	return l.record.next(&m.doc, m.now)
}

// drawStrip draws the time axis and, for each row of the list beside it, when it ran.
func drawStrip(a cells.Area, doc *document, now time.Time) {
	run := shownRun(doc)
	end, grows := now, true
	if run.Ended != nil {
		end, grows = *run.Ended, false
	} else if left, ok := doc.flow.Remaining(run, now); ok && doc.earlier == nil {
		end = end.Add(left)
	}
	scale := timeline.NewScale(run.Started, end, a.Width, grows)
	scale.Axis(a.Row(0))
	for y := 1; y < a.Height; y++ {
		item := doc.picture.layout.At(drawing.Point{Y: doc.picture.from.Y + y - 1})
		scale.Draw(a.Row(y), barsOf(doc, item, run.Run, now))
	}
}

// barsOf returns when the node of a row ran in a run, until now.
func barsOf(d *document, item drawing.Item, run string, now time.Time) []timeline.Bar {
	var n *api.NodeStatus
	switch item.Kind {
	case drawing.ANode:
		n = &d.shown().Nodes[item.Index]
	case drawing.ARow:
		n = d.picture.inner[item.Index].node
	}
	if n == nil || n.Run != run {
		return nil
	}
	r := &d.lens.record
	var bars []timeline.Bar
	if r.run == run {
		for i := range r.execs[n.ID] {
			x := &r.execs[n.ID][i]
			if x.Execution < n.Executions || x.Execution == n.Executions && n.Started == nil {
				bars = append(bars, barOf(x, now))
			}
		}
		if s, known := r.inner[n.Name]; known && n.SubFlow != "" && !s.from.After(now) {
			return append(bars, bar(api.State(n.Counted()), s.from, earliest(s.to, now)))
		}
	}
	if n.Started == nil {
		return bars
	}
	end := now
	if n.DurationMS != nil && n.State != api.StateRunning {
		end = n.Started.Add(time.Duration(*n.DurationMS) * time.Millisecond)
	}
	last := bar(n.Counted(), *n.Started, end)
	if r.run == run {
		for _, x := range r.execs[n.ID] {
			if x.Execution == n.Executions && x.WaitMS != nil {
				last.Ready = n.Started.Add(-time.Duration(*x.WaitMS) * time.Millisecond)
			}
		}
	}
	return append(bars, last)
}

// earliest returns a time, or now if it is zero or later.
func earliest(t, now time.Time) time.Time {
	if t.IsZero() || t.After(now) {
		return now
	}
	return t
}

// barOf returns the bar of an execution.
func barOf(x *api.Execution, now time.Time) timeline.Bar {
	state := api.StateRunning
	end := endOf(x)
	if x.Over {
		state = api.StateFailed
		switch {
		case x.OK:
			state = api.StateOK
		case x.Reason == api.ReasonCancelled:
			state = api.StateCancelled
		case x.Handled:
			state = api.StateHandled
		}
	}
	from := end
	if x.Started != nil {
		from = *x.Started
	}
	b := bar(state, from, earliest(end, now))
	if x.WaitMS != nil {
		b.Ready = from.Add(-time.Duration(*x.WaitMS) * time.Millisecond)
	}
	return b
}

// bar returns a bar in the look of a state.
func bar(state api.State, from, to time.Time) timeline.Bar {
	st := stateStyle(state)
	st.Attrs &^= cells.Bold
	return timeline.Bar{From: from, To: to, Style: st, Sign: words.LookOf(state).ASCII, Waits: words.LookOf(api.StateQueued).ASCII}
}

package tui

import (
	"fmt"
	"time"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/words"
)

// progress draws the row above the keys: the progress of the run. A narrow terminal loses the bar, never the
// counts.
func (m *model) progress(a cells.Area) {
	if m.doc.nothingOpen() || m.page == homePage {
		return
	}
	if problem := m.doc.flow.Status.Problem; problem != "" {
		a.Put(1, 0, cells.Clip(problem, a.Width-2, m.opt.ASCII), cells.Bad)
		return
	}
	run := m.doc.flow.Current()
	if cycle := m.doc.flow.Cycle(); cycle != nil && m.doc.past == nil && !m.doc.running() {
		a.Put(1, 0, cells.Clip(cycleText(&m.doc.flow, cycle)+", all blocking: runs refuse it. Delete one of its edges, or connect it as non-blocking", a.Width-2, m.opt.ASCII), cells.Bad)
		return
	}
	if m.doc.past != nil {
		run = &m.doc.past.detail.RunSummary
	}
	if run == nil {
		a.Put(1, 0, cells.Clip("never run"+fromFileText(&m.doc.flow)+": r runs it", a.Width-2, m.opt.ASCII), cells.Dimmed)
		return
	}
	m.runProgress(a, run)
}

// runProgress draws the progress of a run.
func (m *model) runProgress(a cells.Area, run *api.RunSummary) {
	c := m.doc.runCounts(run)
	done, of := progressOf(c)
	x := a.Put(1, 0, fmt.Sprintf("%d/%d", done, of), cells.Strong)
	for _, part := range []struct {
		state api.State
		n     int
	}{{api.StateWaiting, c.Waiting}, {api.StateRetrying, c.Retrying}, {api.StateQueued, c.Queued}, {api.StateRunning, c.Running}, {api.StateFailed, c.Failed}, {api.StateHandled, c.Handled},
		{api.StateBlocked, c.Blocked}, {api.StateCancelled, c.Cancelled}, {api.StateKept, c.Kept}, {api.StateSkipped, c.Skipped}} {
		if part.n > 0 {
			look := words.LookOf(part.state)
			x = a.Put(x, 0, fmt.Sprintf("  %s%d", look.Sign(m.opt.ASCII), part.n), stateStyle(part.state))
		}
	}
	times := m.runTimes(run)
	if x+cells.Columns(times)+2 < a.Width {
		a.Put(a.Width-cells.Columns(times)-1, 0, times, cells.Plain)
	}
	m.bar(a.Part(x+2, 0, a.Width-x-cells.Columns(times)-5, 1), c, of)
}

// runTimes returns how long a run has taken, and an estimate of the rest.
func (m *model) runTimes(run *api.RunSummary) string {
	text := words.SpanMS(run.DurationMS)
	if run.Ended == nil {
		text = clock(m.now.Sub(run.Started))
		switch {
		case run.Stopping:
			text += "  stopping"
		case run.Held != "":
			text += "  held: " + run.Held
		default:
			if run.Short != nil && m.doc.runCounts(run).Queued > 0 {
				text += fmt.Sprintf("  %d at once: wf run -j N for more", run.Short.Running)
			}
			if left, ok := m.doc.flow.Remaining(run, m.now); ok {
				text += "  ~" + roughly(left)
			}
		}
		return text
	}
	return text + "  " + words.ResultWord(run.Result) + " " + words.Ago(*run.Ended, m.now)
}

// least columns of a bar that says something.
const leastBar = 8

// bar draws the done part of a run, with failures in their color.
func (m *model) bar(a cells.Area, c api.Counts, of int) {
	if a.Width < leastBar || of == 0 {
		return
	}
	sign, rest := cells.Either(m.opt.ASCII, "#", "━"), cells.Either(m.opt.ASCII, "-", "─")
	ok, bad := a.Width*c.OK/of, a.Width*(c.OK+c.Failed+c.Cancelled)/of
	if c.Failed+c.Cancelled > 0 && bad == ok {
		bad = min(ok+1, a.Width) // a failure is never too small to be seen
	}
	for x := range a.Width {
		switch {
		case x < ok:
			a.Put(x, 0, sign, cells.Good)
		case x < bad:
			a.Put(x, 0, sign, cells.Bad)
		default:
			a.Put(x, 0, rest, cells.Dimmed)
		}
	}
}

// roughly returns an estimate in words as precise as it is.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return "10s"
	case d < time.Minute:
		return clock(d.Round(5 * time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm", max(1, d.Round(time.Minute)/time.Minute))
	}
	return words.Span(d.Round(10 * time.Minute))
}

// footer draws the last row: the latest note, otherwise the keys that matter here.
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
	var late []*action // leaving and help are always in sight
	room := a.Width
	for i := range m.keys {
		act := &m.keys[i]
		if act.group == groupAll && m.hinted(act) {
			late = append(late, act)
			room -= cells.Columns(act.keyHint(m.opt.ASCII)) + cells.Columns(act.hint) + 3
		}
	}
	put := func(act *action, room int) bool {
		key := act.keyHint(m.opt.ASCII)
		if x+cells.Columns(key)+1+cells.Columns(act.hint)+2 > room {
			return false
		}
		from := x
		x = a.Put(x, 0, key, cells.Key)
		x = a.Put(x+1, 0, act.hint, cells.Plain) + 2
		m.term.spots = append(m.term.spots, hintSpot{from, x - 1, act})
		return true
	}
	for i := range m.keys {
		if act := &m.keys[i]; act.group != groupAll && m.hinted(act) && !put(act, room) {
			break
		}
	}
	for _, act := range late {
		put(act, a.Width+2)
	}
}

// hinted reports whether the footer has an action: its first key must mean it here.
func (m *model) hinted(a *action) bool {
	if !m.pressing(a.hint) || len(m.doc.flow.Nodes) == 0 && m.page == mainPage && a.forNodes() {
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

package tui

import (
	"fmt"
	"time"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/words"
)

// drawProgress draws the row above the keys: the progress of the run. In a narrow terminal it omits the bar, never
// the counts.
func drawProgress(a cells.Area, doc *document, now time.Time) {
	if problem := doc.flow.Status.Problem; problem != "" {
		a.Put(1, 0, cells.Clip(problem, a.Width-2, a.ASCII()), cells.Bad)
		return
	}
	run := doc.flow.Current()
	if cycle := doc.flow.Cycle(); cycle != nil && doc.earlier == nil && !doc.running() {
		a.Put(1, 0, cells.Clip(cycleText(&doc.flow, cycle)+", so no run can start: D deletes one of its edges, c makes it non-blocking", a.Width-2, a.ASCII()), cells.Bad)
		return
	}
	if r, c, ok := doc.earlier.inReplay(); ok {
		drawReplayProgress(a, doc, r, c)
		return
	}
	if doc.earlier != nil {
		run = &doc.earlier.detail.RunSummary
	}
	if run == nil && len(doc.flow.Nodes) == 0 {
		a.Put(1, 0, cells.Clip("nothing to run yet: a adds a node", a.Width-2, a.ASCII()), cells.Dimmed)
		return
	}
	if run == nil {
		a.Put(1, 0, cells.Clip("never run"+fromFileText(&doc.flow)+": r runs it", a.Width-2, a.ASCII()), cells.Dimmed)
		return
	}
	drawRun(a, doc, run, now)
}

// drawRun draws the progress of a run.
func drawRun(a cells.Area, doc *document, run *api.RunSummary, now time.Time) {
	drawCounts(a, doc.runCounts(run), runTimes(doc, run, now))
}

// drawCounts draws the counts of a run, its progress as a bar, and a text about its time.
func drawCounts(a cells.Area, c api.Counts, times string) {
	done, of := progressOf(c)
	x := a.Put(1, 0, fmt.Sprintf("%d/%d", done, of), cells.Strong)
	for _, state := range []api.State{api.StateWaiting, api.StateRetrying, api.StateQueued, api.StateRunning, api.StateFailed, api.StateHandled,
		api.StateBlocked, api.StateCancelled, api.StateKept, api.StateSkipped} {
		if n := c.Of(state); n > 0 {
			x = a.Put(x, 0, fmt.Sprintf("  %s%d", words.LookOf(state).Sign(a.ASCII()), n), stateStyle(state))
		}
	}
	if x+cells.Columns(times)+2 < a.Width {
		a.Put(a.Width-cells.Columns(times)-1, 0, times, cells.Plain)
	}
	drawBar(a.Part(x+2, 0, a.Width-x-cells.Columns(times)-5, 1), c, of)
}

// runTimes returns how long a run has taken, and an estimate of the rest.
func runTimes(doc *document, run *api.RunSummary, now time.Time) string {
	text := words.SpanMS(run.DurationMS)
	if run.Ended == nil {
		text = clock(now.Sub(run.Started))
		switch {
		case run.Stopping:
			text += "  stopping"
		case run.Held != "":
			text += "  held: " + run.Held
		default:
			if run.Short != nil && doc.runCounts(run).Queued > 0 {
				text += fmt.Sprintf("  %d at once: wf run -j N for more", run.Short.Running)
			}
			if left, ok := doc.flow.Remaining(run, now); ok {
				text += "  ~" + roughly(left)
			}
		}
		return text
	}
	return text + "  " + words.ResultWord(run.Result) + " " + words.Ago(*run.Ended, now)
}

// leastBar is the minimum width of a useful bar, in columns.
const leastBar = 8

// drawBar draws the finished part of a run, with failures in their color.
func drawBar(a cells.Area, c api.Counts, of int) {
	if a.Width < leastBar || of == 0 {
		return
	}
	sign := func(state api.State, glyph string) string {
		return cells.Either(a.ASCII(), words.LookOf(state).ASCII, glyph)
	}
	ok, bad := a.Width*c.OK/of, a.Width*(c.OK+c.Failed+c.Cancelled)/of
	if c.Failed+c.Cancelled > 0 && bad == ok {
		bad = min(ok+1, a.Width) // always show a failure
	}
	for x := range a.Width {
		switch {
		case x < ok:
			a.Put(x, 0, sign(api.StateOK, "━"), cells.Good)
		case x < bad:
			a.Put(x, 0, sign(api.StateFailed, "━"), cells.Bad)
		default:
			a.Put(x, 0, sign(api.StateIdle, "─"), cells.Dimmed)
		}
	}
}

// roughly rounds an estimate to a sensible precision.
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

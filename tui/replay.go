package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/words"
)

// A replay is a run that is shown step by step. The zero value is none: the states are those that the run left.
type replay struct {
	run *runview.Replay
	at  int // number of the moment
}

// replayActions are the keys that start a replay and step through it.
func replayActions() []action {
	return []action{
		{groupLook, []string{",", "."}, "replay", "go a step back or forth in the run that is shown, or in the latest one", replayHint, atMain, hasFile,
			func(m *model, key string) tea.Msg { return replayStep(&m.doc, key == ".") }},
	}
}

// replayEnds are the keys that go to the ends of a replay. In the registry they are before those that go to the ends of the drawing.
func replayEnds() []action {
	return []action{
		{groupLook, []string{"home", "end", "g", "G"}, "ends of the replay", "in a replay, go to the beginning or to the end of the run", "", atDrawing, isReplaying,
			func(m *model, key string) tea.Msg {
				m.doc.earlier.goTo(map[bool]int{false: 0, true: len(m.doc.earlier.replay.run.Moments()) - 1}[key == "end" || key == "G"])
				return nil
			}},
	}
}

// isReplaying reports whether a run is shown step by step.
func isReplaying(m *model) bool { return m.doc.earlier != nil && m.doc.earlier.replay.run != nil }

// replayStep goes to the next or to the previous moment of the run that is shown. The first step loads the run: forth begins
// with its start, back with its end.
func replayStep(d *document, forth bool) tea.Msg {
	if e := d.earlier; e != nil && e.replay.run != nil {
		to := e.replay.at - 1
		if forth {
			to = e.replay.at + 1
		}
		if to < 0 || to >= len(e.replay.run.Moments()) {
			return notice{map[bool]string{true: "this is the end of the run", false: "this is the beginning of the run"}[forth], false}
		}
		e.goTo(to)
		return nil
	}
	run := shownRun(d)
	if run == nil {
		return notice{"nothing has run yet", false}
	}
	number := run.Run
	return ask(func(ctx context.Context, ws *client.Workspace) (api.RunDetail, error) {
		return ws.Analysis(ctx, number)
	},
		func(detail api.RunDetail) tea.Msg {
			replayRun(d, detail, forth)
			return nil
		})
}

// replayRun shows a run step by step, from its beginning or from the moment before its end.
func replayRun(d *document, detail api.RunDetail, start bool) {
	d.showEarlier(detail)
	e := d.earlier
	e.replay.run = runview.NewReplay(&d.flow, detail)
	last := len(e.replay.run.Moments()) - 1
	if start {
		last = 0
	} else if detail.Ended != nil {
		last = max(0, last-1) // the end itself was on the screen before
	}
	e.goTo(last)
}

// goTo shows a moment of the replay.
func (e *earlierRun) goTo(at int) {
	e.replay.at = at
	structure := e.flow.Structure
	e.flow = e.replay.run.At(e.moment())
	e.flow.Structure = structure
	for _, instances := range e.flow.InstancesLeft {
		for _, nodes := range instances {
			cleanNodes(nodes)
		}
	}
}

// moment returns the time that the replay shows.
func (e *earlierRun) moment() time.Time { return e.replay.run.Moments()[e.replay.at] }

// heading returns the part of the header about the earlier run.
func (e *earlierRun) heading() string {
	if e.replay.run == nil {
		return "earlier run " + e.run + ": esc goes back to now"
	}
	at := e.moment()
	return fmt.Sprintf("replay of run %s: %s (+%s) step %d of %d, esc ends it", e.run, at.Local().Format(time.TimeOnly), clock(at.Sub(e.detail.Started)),
		e.replay.at+1, len(e.replay.run.Moments()))
}

// inReplay returns the run at the moment of the replay, and its counts. ok is false without a replay.
func (e *earlierRun) inReplay() (run api.RunSummary, c api.Counts, ok bool) {
	if e == nil || e.replay.run == nil {
		return run, c, false
	}
	run = e.detail.RunSummary
	return run, e.flow.Count(run.Run), true
}

// drawReplayProgress draws the progress of the run at the moment of the replay.
func drawReplayProgress(a cells.Area, doc *document, run api.RunSummary, c api.Counts) {
	c.Idle += max(0, run.Nodes-c.Total())
	text := clock(doc.earlier.moment().Sub(run.Started))
	if took := words.SpanMS(run.DurationMS); took != "" {
		text += " of " + took
	}
	drawCounts(a, c, text)
}

// time returns the time that the drawing shows: now, without a replay, or the moment of a replay.
func (e *earlierRun) time(now time.Time) time.Time {
	if e != nil && e.replay.run != nil {
		return e.moment()
	}
	return now
}

// executionIn returns the number of the execution of a node at the moment of the replay; 0 = the latest.
func (e *earlierRun) executionIn(node string) int {
	if e == nil || e.replay.run == nil {
		return 0
	}
	f := &e.flow
	if i, known := f.Index[node]; known {
		return f.Nodes[i].Executions
	}
	for _, instances := range f.InstancesLeft {
		for _, nodes := range instances {
			if i := slices.IndexFunc(nodes, func(n api.NodeStatus) bool { return n.ID == node }); i >= 0 {
				return nodes[i].Executions
			}
		}
	}
	return 0
}

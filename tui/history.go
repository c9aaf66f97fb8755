package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/words"
)

// A runsScreen lists the runs of the open workfile.
type runsScreen struct {
	dialog.List
	known bool
	runs  []api.RunSummary
}

// load asks for the runs.
func (v *runsScreen) load() tea.Msg {
	*v = runsScreen{}
	return ask(func(ctx context.Context, ws *client.Workspace) (api.RunList, error) { return ws.Runs(ctx) },
		func(l api.RunList) tea.Msg {
			v.runs, v.known = l.Runs, true
			return nil
		})
}

// choose shows the workfile with the states that the selected run left, or its current state if the run is active.
func (v *runsScreen) choose(doc *document) tea.Msg {
	if v.At >= len(v.runs) {
		return nil
	}
	r := v.runs[v.At]
	if r.Result == "" {
		doc.leaveEarlier()
		return showPage{mainPage}
	}
	return ask(func(ctx context.Context, ws *client.Workspace) (api.RunDetail, error) { return ws.Run(ctx, r.Run) },
		func(d api.RunDetail) tea.Msg {
			doc.showEarlier(d)
			return showNode{}
		})
}

// draw draws the screen.
func (v *runsScreen) draw(a cells.Area, now time.Time) {
	switch {
	case !v.known:
		a.Put(0, 0, "loading the runs", cells.Dimmed)
		return
	case len(v.runs) == 0:
		a.Put(0, 0, "no runs yet: esc goes back, r starts one", cells.Dimmed)
		return
	}
	columns := []int{2, 8, 20, 34, 62, 70}
	for i, title := range []string{"RUN", "WHEN", "RESULT", "NODES", "TIME", "WHAT"} {
		a.Put(columns[i], 0, title, cells.Dimmed)
	}
	v.Rows(a.Part(0, 1, a.Width, a.Height-1), len(v.runs), func(i int, row cells.Area) {
		r := v.runs[i]
		cell := func(i int, text string, st cells.Style) {
			end := row.Width
			if i+1 < len(columns) {
				end = min(end, columns[i+1]-1)
			}
			if columns[i] < end {
				row.Put(columns[i], 0, cells.Clip(text, end-columns[i], a.ASCII()), st)
			}
		}
		state := words.RunState(r)
		cell(0, r.Run, cells.Strong)
		cell(1, words.Ago(r.Started, now), cells.Plain)
		cell(2, words.LookOf(state).Sign(a.ASCII())+" "+words.RunWord(r), stateStyle(state))
		cell(3, strings.Join(words.CountParts(r.Counts, "not reached"), ", "), cells.Plain)
		cell(4, words.SpanMS(r.DurationMS), cells.Plain)
		cell(5, words.Asked(r), cells.Dimmed)
	})
}

package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/words"
)

// A runsView is the state of the history screen.
type runsView struct {
	dialog.List
	known bool
	runs  []api.RunSummary
}

// A past is an earlier run that is shown, and the workfile as it left it.
type past struct {
	run    string
	detail api.RunDetail
	flow   runview.Workfile
}

// showRuns asks for the runs and shows them.
func (m *model) showRuns() tea.Cmd {
	m.page, m.runs = runsPage, runsView{}
	return request(m, func(ctx context.Context, ws *client.Workspace) (api.RunList, error) { return ws.Runs(ctx) },
		func(m *model, l api.RunList) tea.Cmd {
			m.runs.runs, m.runs.known = l.Runs, true
			return nil
		})
}

// openRun shows the workfile as the selected run left it, or as it is now if the run is active.
func (m *model) openRun() tea.Cmd {
	if m.runs.At >= len(m.runs.runs) {
		return nil
	}
	r := m.runs.runs[m.runs.At]
	if r.Result == "" {
		m.leavePast()
		m.page = mainPage
		return nil
	}
	return request(m, func(ctx context.Context, ws *client.Workspace) (api.RunDetail, error) { return ws.Run(ctx, r.Run) },
		func(m *model, d api.RunDetail) tea.Cmd {
			m.past = &past{run: d.Run, detail: d, flow: pastFlow(&m.flow, d)}
			m.page, m.pane = mainPage, drawingPane
			m.flow.Structure++ // the past one has the same nodes, and its own states
			m.past.flow.Structure = m.flow.Structure
			m.picture.pages = nil
			return nil
		})
}

// leavePast shows the workfile as it is now.
func (m *model) leavePast() {
	if m.past != nil {
		m.past, m.picture.pages, m.asking.pages = nil, nil, ""
		m.flow.Structure++
	}
}

// pastFlow returns the workfile as a run left it, with texts that are fit for a terminal.
func pastFlow(now *runview.Workfile, d api.RunDetail) runview.Workfile {
	f := runview.LeftBy(now, d)
	for _, instances := range f.InstancesLeft {
		for _, nodes := range instances {
			cleanNodes(nodes)
		}
	}
	return f
}

// drawRuns draws the history.
func (m *model) drawRuns(a cells.Area) {
	v := &m.runs
	switch {
	case !v.known:
		a.Put(0, 0, "asking for the runs", cells.Dimmed)
		return
	case len(v.runs) == 0:
		a.Put(0, 0, "it has never run: esc goes back, r runs it", cells.Dimmed)
		return
	}
	rows := a.Part(0, 1, a.Width, a.Height-1)
	v.Fit(len(v.runs), rows.Height)
	columns := []int{2, 8, 20, 34, 62, 70}
	for i, title := range []string{"RUN", "WHEN", "RESULT", "NODES", "TIME", "WHAT"} {
		a.Put(columns[i], 0, title, cells.Dimmed)
	}
	for y := range rows.Height {
		if v.Top+y >= len(v.runs) {
			break
		}
		r := v.runs[v.Top+y]
		row := rows.Row(y)
		cell := func(i int, text string, st cells.Style) {
			end := row.Width
			if i+1 < len(columns) {
				end = min(end, columns[i+1]-1)
			}
			if columns[i] < end {
				row.Put(columns[i], 0, cells.Clip(text, end-columns[i], m.opt.ASCII), st)
			}
		}
		state := words.RunState(r)
		cell(0, r.Run, cells.Strong)
		cell(1, words.Ago(r.Started, m.now), cells.Plain)
		cell(2, words.LookOf(state).Sign(m.opt.ASCII)+" "+words.RunWord(r), stateStyle(state))
		cell(3, strings.Join(words.CountParts(r.Counts, "not reached"), ", "), cells.Plain)
		cell(4, words.SpanMS(r.DurationMS), cells.Plain)
		cell(5, words.Asked(r), cells.Dimmed)
		if v.Top+y == v.At {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
}

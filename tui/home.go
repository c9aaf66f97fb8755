package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// A homeView is the state of the home screen: workfiles with active runs, then those with a history.
type homeView struct {
	dialog.List
	known bool
	files []Recent
	open  map[string]api.WorkspaceInfo // by path
}

// goHome shows the home screen. It asks the daemon only if there is a connection.
func (m *model) goHome() tea.Cmd {
	m.page = homePage
	recent := m.opt.Recent
	var c *client.Client
	if m.link != nil {
		c = m.link.client
	}
	parent := m.ctx
	return func() tea.Msg {
		files := recent()
		open := map[string]api.WorkspaceInfo{}
		if c != nil {
			ctx, cancel := context.WithTimeout(parent, requestTime)
			defer cancel()
			if s, err := c.Server(ctx); err == nil {
				for _, ws := range s.Workspaces {
					open[ws.Workfile] = ws
				}
			}
		}
		return answer{func(m *model) tea.Cmd {
			m.home.files, m.home.open, m.home.known = files, open, true
			return nil
		}}
	}
}

// openRecent opens the selected workfile.
func (m *model) openRecent() tea.Cmd {
	if m.home.At >= len(m.home.files) {
		return nil
	}
	return m.openFile(m.home.files[m.home.At].Path)
}

// drawHome draws the home screen.
func (m *model) drawHome(a cells.Area) {
	v := &m.home
	if v.known && len(v.files) == 0 {
		for y, text := range []string{"Nothing has run yet.", "", "wf new Workfile     makes a workfile", "wf FILE             opens one"} {
			a.Put(2, y+1, text, cells.Plain)
		}
		return
	}
	rows := a.Part(0, 1, a.Width, a.Height-1)
	a.Put(2, 0, "WORKFILE", cells.Dimmed)
	v.Fit(len(v.files), rows.Height)
	for y := range rows.Height {
		if v.Top+y >= len(v.files) {
			break
		}
		f := v.files[v.Top+y]
		row := rows.Row(y)
		state, text := words.ResultState(f.Result), "run "+f.Run+" "+words.ResultWord(f.Result)
		if f.Result == "" && len(v.open[f.Path].Runs) == 0 {
			text, state = "run "+f.Run, api.StateIdle
		}
		text += "  " + words.Ago(f.When, m.now)
		row.Put(2, 0, words.LookOf(state).Sign(m.opt.ASCII), stateStyle(state))
		room := max(10, row.Width-cells.Columns(text)-8)
		row.Put(4, 0, cells.ClipMiddle(shortPath(f.Path), room, m.opt.ASCII), cells.Plain)
		row.PutEnd(0, text+" ", cells.Dimmed)
		if v.Top+y == v.At {
			row.Tint(func(s cells.Style) cells.Style { return s.With(cells.Reverse) })
		}
	}
}

// shortPath returns a path with ~ for the home folder.
func shortPath(path string) string {
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
			path = "~/" + rest
		}
	}
	return plain.Line(path)
}

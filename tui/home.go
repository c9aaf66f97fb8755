package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/plain"
	"wf/tui/words"
)

// A homeView lists workfiles: those in which something runs, then those with a history.
type homeView struct {
	list
	known bool
	files []Recent
	open  map[string]api.WorkspaceInfo // by path
}

// goHome shows the workfiles there are. A daemon is asked only if there is a connection to one.
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
	if m.home.at >= len(m.home.files) {
		return nil
	}
	return m.openFile(m.home.files[m.home.at].Path)
}

// drawHome writes the list.
func (m *model) drawHome(a area) {
	v := &m.home
	if v.known && len(v.files) == 0 {
		for y, text := range []string{"Nothing has run yet.", "", "wf new Workfile     makes a workfile", "wf FILE             opens one"} {
			a.put(2, y+1, text, plainStyle)
		}
		return
	}
	rows := a.part(0, 1, a.width, a.height-1)
	a.put(2, 0, "WORKFILE", dimStyle)
	v.fit(len(v.files), rows.height)
	for y := range rows.height {
		if v.top+y >= len(v.files) {
			break
		}
		f := v.files[v.top+y]
		row := rows.row(y)
		state, text := words.ResultState(f.Result), "run "+f.Run+" "+words.ResultWord(f.Result)
		if f.Result == "" && len(v.open[f.Path].Runs) == 0 {
			text, state = "run "+f.Run, api.StateIdle
		}
		text += "  " + words.Ago(f.When, m.now)
		row.put(2, 0, words.LookOf(state).Sign(m.opt.ASCII), stateStyle(state))
		room := max(10, row.width-columns(text)-8)
		row.put(4, 0, clipMiddle(shortPath(f.Path), room, m.opt.ASCII), plainStyle)
		row.putEnd(0, text+" ", dimStyle)
		if v.top+y == v.at {
			row.tint(func(s style) style { return s.with(reverse) })
		}
	}
}

// shortPath is a path for people.
func shortPath(path string) string {
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
			path = "~/" + rest
		}
	}
	return plain.Line(path)
}

package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/cells"
	"wf/tui/dialog"
	"wf/tui/plain"
	"wf/tui/words"
)

// A homeScreen lists workfiles: those with active runs, then those with a history.
type homeScreen struct {
	dialog.List
	known bool
	files []Recent
	open  map[string]api.WorkspaceInfo // by path
}

// load requests the workfiles and, if there is a connection, their active runs.
func (h *homeScreen) load(ctx context.Context, recent func() []Recent, c *client.Client) tea.Cmd {
	return func() tea.Msg {
		files := recent()
		open := map[string]api.WorkspaceInfo{}
		if c != nil {
			ctx, cancel := context.WithTimeout(ctx, requestTime)
			defer cancel()
			if s, err := c.Server(ctx); err == nil {
				for _, ws := range s.Workspaces {
					open[ws.Workfile] = ws
				}
			}
		}
		return answer{nil, func() tea.Msg {
			h.files, h.open, h.known = files, open, true
			return nil
		}}
	}
}

// choose opens the selected workfile.
func (h *homeScreen) choose() tea.Msg {
	if h.At >= len(h.files) {
		return nil
	}
	return openWorkfile{h.files[h.At].Path}
}

// draw draws the screen.
func (h *homeScreen) draw(a cells.Area, now time.Time) {
	if h.known && len(h.files) == 0 {
		for y, text := range []string{"Nothing has run yet.", "", "wf new Workfile     creates a workfile", "wf FILE             opens one"} {
			a.Put(2, y+1, text, cells.Plain)
		}
		return
	}
	rows := a.Part(0, 1, a.Width, a.Height-1)
	a.Put(2, 0, "WORKFILE", cells.Dimmed)
	h.Rows(rows, len(h.files), func(i int, row cells.Area) {
		f := h.files[i]
		state, text := words.ResultState(f.Result), "run "+f.Run+" "+words.ResultWord(f.Result)
		if f.Result == "" && len(h.open[f.Path].Runs) == 0 {
			text, state = "run "+f.Run, api.StateIdle
		}
		text += "  " + words.Ago(f.When, now)
		row.Put(2, 0, words.LookOf(state).Sign(a.ASCII()), stateStyle(state))
		room := max(10, row.Width-cells.Columns(text)-8)
		row.Put(4, 0, cells.ClipMiddle(shortPath(f.Path), room, a.ASCII()), cells.Plain)
		row.PutEnd(0, text+" ", cells.Dimmed)
	})
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

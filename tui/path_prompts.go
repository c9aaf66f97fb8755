package tui

import (
	"context"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/dialog"
)

// pathPrompt asks for a file name, which may be relative to the working directory.
func (m *model) pathPrompt(label string, do func(path string) tea.Cmd) {
	m.open(&dialog.Prompt{Label: label, History: &m.editing.paths, Enter: func(name string) tea.Cmd {
		if name == "" {
			return nil
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(m.opt.Dir, name)
		}
		return do(name)
	}})
}

// openPrompt asks for another workfile to open. Runs of this one go on.
func (m *model) openPrompt() {
	m.pathPrompt("open workfile:", func(path string) tea.Cmd { return m.openFile(path) })
}

// saveAsPrompt copies the workfile with all its changes and opens the copy.
func (m *model) saveAsPrompt() {
	m.pathPrompt("save a copy as:", func(path string) tea.Cmd {
		return request(m, func(ctx context.Context, ws *client.Workspace) (api.WorkspaceInfo, error) {
			return ws.SaveAs(ctx, api.SaveAsRequest{Path: path})
		}, func(m *model, info api.WorkspaceInfo) tea.Cmd {
			m.say("saved as "+info.Workfile, false)
			return m.openFile(info.Workfile)
		})
	})
}

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
func (m *model) pathPrompt(label string, do func(path string) tea.Msg) tea.Msg {
	return openDialog{&dialog.Prompt{Label: label, History: &m.edits.paths, Enter: func(name string) tea.Msg {
		if name == "" {
			return nil
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(m.opt.Dir, name)
		}
		return do(name)
	}}}
}

// openPrompt asks for another workfile to open. Runs of this one go on.
func (m *model) openPrompt() tea.Msg {
	return m.pathPrompt("open workfile:", func(path string) tea.Msg { return openWorkfile{path} })
}

// saveAsPrompt copies the workfile with all its changes and opens the copy.
func (m *model) saveAsPrompt() tea.Msg {
	return m.pathPrompt("save a copy as:", func(path string) tea.Msg {
		return ask(func(ctx context.Context, ws *client.Workspace) (api.WorkspaceInfo, error) {
			return ws.SaveAs(ctx, api.SaveAsRequest{Path: path})
		}, func(info api.WorkspaceInfo) tea.Msg {
			return messages{told{"saved as " + info.Workfile, false}, openWorkfile{info.Workfile}}
		})
	})
}

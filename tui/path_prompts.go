package tui

import (
	"context"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/dialog"
)

// A pathHistory contains the file names that the user entered, newest last.
type pathHistory []string

// prompt asks for a file name, which may be relative to dir.
func (h *pathHistory) prompt(dir, label string, do func(path string) tea.Msg) tea.Msg {
	return openDialog{&dialog.Prompt{Label: label, History: (*[]string)(h), Enter: func(name string) tea.Msg {
		if name == "" {
			return nil
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return do(name)
	}}}
}

// open asks for another workfile to open. Runs of the current one continue.
func (h *pathHistory) open(dir string) tea.Msg {
	return h.prompt(dir, "open workfile:", func(path string) tea.Msg { return openWorkfile{path} })
}

// saveAs copies the workfile with all its changes, and opens the copy.
func (h *pathHistory) saveAs(dir string) tea.Msg {
	return h.prompt(dir, "save a copy as:", func(path string) tea.Msg {
		return ask(func(ctx context.Context, ws *client.Workspace) (api.WorkspaceInfo, error) {
			return ws.SaveAs(ctx, api.SaveAsRequest{Path: path})
		}, func(info api.WorkspaceInfo) tea.Msg {
			return messages{notice{"saved as " + info.Workfile, false}, openWorkfile{info.Workfile}}
		})
	})
}

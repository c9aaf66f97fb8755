package tui

import (
	"io"
	"os/exec"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"wf/tui/dialog"
	"wf/tui/logview"
	"wf/tui/words"
)

// openPager shows the whole log in the user's pager.
func (m *model) openPager() tea.Cmd {
	w, ctx := m.whole(), m.ctx
	if w.Empty() {
		m.fail(logview.ErrNoLog)
		return nil
	}
	r, out := io.Pipe()
	go func() { out.CloseWithError(w.WriteTo(ctx, out, true)) }() // ends when the pager does: it closes r
	cmd := exec.Command("/bin/sh", "-c", m.opt.Pager)
	cmd.Env, cmd.Stdin = m.opt.Env, r
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		r.Close()
		if err != nil {
			return told{"pager: " + err.Error(), true}
		}
		return told{}
	})
}

// savePrompt asks for a file name, and saves the whole log there. It does not overwrite files.
func (m *model) savePrompt() {
	name := "wf.log"
	if names := m.log.Target().Names; len(names) == 1 {
		name = filepath.Base(names[0]) + ".log"
	}
	w, ctx := m.whole(), m.ctx
	p := &dialog.Prompt{Label: "save as:", Line: dialog.NewLine(name)}
	p.Enter = func(name string) tea.Cmd {
		if name == "" {
			return nil
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(m.opt.Dir, path)
		}
		return func() tea.Msg {
			size, err := w.Save(ctx, path)
			if err != nil {
				return failed{err}
			}
			return told{"saved " + words.Plural(int(size), "byte") + " as " + path, false}
		}
	}
	m.open(p)
}

// whole returns the log that is shown, as a whole.
func (m *model) whole() logview.Whole {
	if m.link == nil || m.link.ws == nil {
		return logview.Whole{}
	}
	return m.log.Whole(m.link.ws)
}

package tui

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"wf/client"
	"wf/tui/plain"
	"wf/tui/words"
)

// A wholeLog writes all that the sources of a log have written so far, from the first byte on, however
// much of it the screen has left out.
type wholeLog struct {
	from   outputs
	target logTarget
	stream string // stdout, stderr or "" for both
}

// whole is the log that is shown, as a whole.
func (m *model) whole() wholeLog {
	w := wholeLog{target: m.log.target, stream: m.log.stream}
	if m.link != nil && m.link.ws != nil {
		w.from = m.link.ws
	}
	return w
}

// errNoLog says that there is nothing to open or save.
var errNoLog = errors.New("there is no log here")

// writeTo writes the log as text; colors passes colours on.
func (w wholeLog) writeTo(ctx context.Context, out io.Writer, colors bool) error {
	if w.from == nil || len(w.target.nodes) == 0 {
		return errNoLog
	}
	for i, node := range w.target.nodes {
		if len(w.target.nodes) > 1 {
			if _, err := io.WriteString(out, "==> "+w.target.names[i]+"\n"); err != nil {
				return err
			}
		}
		for _, stream := range []string{stdout, stderr} {
			if w.stream != "" && w.stream != stream {
				continue
			}
			q := client.LogQuery{Node: node, Run: w.target.run, Execution: w.target.execution}
			if err := w.copy(ctx, q, stream, plain.NewWriter(out, colors)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w wholeLog) copy(ctx context.Context, q client.LogQuery, stream string, out *plain.Writer) error {
	r, err := w.from.Output(ctx, q, stream, 0, false)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := io.Copy(out, r); err != nil {
		return err
	}
	return out.Flush()
}

// openPager shows the whole log in the pager of the user.
func (m *model) openPager() tea.Cmd {
	w, ctx := m.whole(), m.ctx
	if w.from == nil || len(w.target.nodes) == 0 {
		m.fail(errNoLog)
		return nil
	}
	r, out := io.Pipe()
	go func() { out.CloseWithError(w.writeTo(ctx, out, true)) }() // ends when the pager does: it closes r
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

// savePrompt asks for a file name, and saves the whole log there. What exists is not overwritten.
func (m *model) savePrompt() {
	name := "wf.log"
	if len(m.log.names) == 1 {
		name = filepath.Base(m.log.names[0]) + ".log"
	}
	w, ctx := m.whole(), m.ctx
	p := &prompt{label: "save as:", line: newLine(name)}
	p.enter = func(m *model, name string) tea.Cmd {
		if name == "" {
			return nil
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(m.opt.Dir, path)
		}
		return func() tea.Msg {
			size, err := w.save(ctx, path)
			if err != nil {
				return failed{err}
			}
			return told{"saved " + words.Plural(int(size), "byte") + " as " + path, false}
		}
	}
	m.open(p)
}

// save writes the log into a new file.
func (w wholeLog) save(ctx context.Context, path string) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	b := bufio.NewWriter(f)
	err = errors.Join(w.writeTo(ctx, b, false), b.Flush())
	if info, statErr := f.Stat(); statErr == nil {
		size = info.Size()
	}
	return size, errors.Join(err, f.Close())
}

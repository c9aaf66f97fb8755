package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wf/api"
)

// broken is a watcher with a bug, which shows once the screen is taken.
type broken struct{ taken chan struct{} }

func (b broken) Next(context.Context) (api.Frame, error) {
	<-b.taken
	panic("a bug")
}
func (b broken) Close() {}

// terminal is what a program writes to; taken is closed when it has taken the screen.
type terminal struct {
	bytes.Buffer
	taken chan struct{}
	once  sync.Once
}

func (o *terminal) Write(p []byte) (int, error) {
	n, err := o.Buffer.Write(p)
	if bytes.Contains(o.Bytes(), []byte("\x1b[?1049h")) {
		o.once.Do(func() { close(o.taken) })
	}
	return n, err
}

// TestCrash: a panic in the background ends the interface in order: the screen is given back first.
func TestCrash(t *testing.T) {
	m := newModel(Options{Path: "/data/Workfile"})
	m.link = &link{path: "/data/Workfile", feed: newFeed()}
	out := terminal{taken: make(chan struct{})}
	m.link.feed.start(func(context.Context) (watcher, error) { return broken{out.taken}, nil })
	keys, _ := io.Pipe()
	p := tea.NewProgram(crashing{m}, tea.WithInput(keys), tea.WithOutput(&out), tea.WithWindowSize(80, 24),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	_, err := p.Run()
	m.close()
	if !errors.Is(err, tea.ErrProgramPanic) {
		t.Errorf("the program ended with %v", err)
	}
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?1002l", "\x1b[?2004l"} {
		if !strings.Contains(out.String(), seq) {
			t.Errorf("%q is missing from what the terminal got at the end", seq)
		}
	}
}

// crashing is a model that listens to its feed from the beginning.
type crashing struct{ *model }

func (c crashing) Init() tea.Cmd { return c.link.feed.next }

func (c crashing) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := c.model.Update(msg)
	return c, cmd
}

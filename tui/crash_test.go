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
	"wf/tui/program"
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

// TestPanicRestoresTheTerminal: A panic in the background, in a command or in the model restores the terminal and
// writes nothing else to it. The error of Run describes the panic.
func TestPanicRestoresTheTerminal(t *testing.T) {
	for name, c := range map[string]crashing{
		"feed":    {init: func(m *model) tea.Cmd { return m.link.feed.next }},
		"command": {init: func(*model) tea.Cmd { return func() tea.Msg { panic("a bug") } }},
		"batch":   {init: func(*model) tea.Cmd { return tea.Batch(tea.ClearScreen, func() tea.Msg { panic("a bug") }) }},
		"view":    {view: func() { panic("a bug") }},
		"update":  {update: func() { panic("a bug") }},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(Options{Path: "/data/Workfile"})
			m.link = &link{path: "/data/Workfile", feed: newFeed()}
			out := terminal{taken: make(chan struct{})}
			m.link.feed.start(func(context.Context) (watcher, error) { return broken{out.taken}, nil })
			defer m.close()
			keys, _ := io.Pipe()
			c.model, c.taken = m, out.taken
			err := program.Run(c, func(*tea.Program) {}, tea.WithInput(keys), tea.WithOutput(&out), tea.WithWindowSize(80, 24),
				tea.WithEnvironment([]string{"TERM=xterm-256color"}))
			var bug *program.Crash
			if !errors.As(err, &bug) || bug.Error() != "a bug" || !bytes.Contains(bug.Stack, []byte("crash_test.go")) {
				t.Fatalf("the program ended with %v", err)
			}
			for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?1002l", "\x1b[?2004l"} {
				if !strings.Contains(out.String(), seq) {
					t.Errorf("%q is missing from what the terminal got at the end", seq)
				}
			}
			if strings.Contains(out.String(), "a bug") {
				t.Error("the report was written to the terminal")
			}
		})
	}
}

// crashing is a model with a bug, which shows once the screen is taken.
type crashing struct {
	*model
	taken  chan struct{}
	init   func(*model) tea.Cmd
	view   func()
	update func()
}

func (c crashing) Init() tea.Cmd {
	do := func(*model) tea.Cmd { return func() tea.Msg { return notice{} } }
	if c.init != nil {
		do = c.init
	}
	return func() tea.Msg {
		<-c.taken
		return do(c.model)()
	}
}

func (c crashing) View() tea.View {
	select {
	case <-c.taken:
		if c.view != nil {
			c.view()
		}
	default:
	}
	return c.model.View()
}

func (c crashing) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(notice); ok && c.update != nil {
		c.update()
	}
	_, cmd := c.model.Update(msg)
	return c, cmd
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/remote"
	"wf/tui"
	"wf/tui/editor"
	"wf/tui/words"
)

// setupCommand is the hidden command that prints what the terminal interface on another machine must know of this one.
const setupCommand = "tui-setup"

// A tuiSetup is what the terminal interface must know of the machine of its daemon.
type tuiSetup struct {
	Path    string         `json:"path"`    // of the workfile, absolute; "" for the home screen
	Request api.RunRequest `json:"request"` // of wf run without flags, with the environment
	Recent  []tui.Recent   `json:"recent"`
	User    string         `json:"user"`
	Results string         `json:"results"`
}

func newTUISetup(e *env) *cobra.Command {
	return &cobra.Command{
		Use:    setupCommand + " [FILE]",
		Short:  "Print what the terminal interface on another machine needs",
		Hidden: true,
		Args:   nargs(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := e.tuiFile(first(args))
			if err != nil {
				return err
			}
			s := tuiSetup{Path: path, Recent: e.recentWorkfiles(), User: e.User()}
			if s.Request, err = e.usualRun(path); err != nil {
				return err
			}
			s.Results = e.results
			return console.WriteJSON(e.Stdout, s)
		},
	}
}

// tuiArgs reports whether arguments open the terminal interface, and with which file.
func tuiArgs(args []string) (file string, ok bool) {
	if len(args) == 0 {
		return "", true
	}
	if len(args) > 1 || strings.HasPrefix(args[0], "-") {
		return "", false
	}
	known := slices.ContainsFunc(commandList(), func(c command) bool { return args[0] == c.name || args[0] == c.alias })
	return args[0], !known
}

// setup asks the machine for what a program here must know to show its workfiles.
func (m *machine) setup(ctx context.Context, file string) (setup tuiSetup, err error) {
	e := m.e
	args := []string{"server", setupCommand}
	if file != "" {
		args = append(args, "--", file)
	}
	var out bytes.Buffer
	status, err := m.ask(ctx, remote.Request{Args: args, Dir: m.Dir, In: remote.StreamPipe, Out: remote.StreamFile, Err: remote.StreamFile},
		remote.Terminal{Stdin: strings.NewReader(""), Stdout: &out, Stderr: e.Stderr, Size: func() (rows, columns uint16) { return terminalSize(e) }})
	if err != nil {
		return setup, err
	}
	if status != 0 {
		return setup, exit.With(status)
	}
	if err := json.Unmarshal(out.Bytes(), &setup); err != nil {
		return setup, &exit.Failure{Status: exit.Daemon, What: "wf on " + m.name + " is of another version, which this interface cannot use",
			Why: err.Error(), Fix: "wf host install " + m.name}
	}
	return setup, nil
}

// showTUI shows the terminal interface here, so that it answers keys at once, for the daemon of another machine.
func (m *machine) showTUI(ctx context.Context, file string) error {
	e := m.e
	setup, err := m.setup(ctx, file)
	if err != nil {
		return err
	}
	if err := e.configure(&cobra.Command{Use: "wf"}, nil); err != nil {
		return err
	}
	if m.flag {
		e.RemoteName = m.name
	}
	left, err := e.showTUIOf(ctx, setup.options(m))
	if err == nil && left.Run != "" {
		fmt.Fprintf(e.Stderr, "watched run %s on %s; wf --host %s status shows how it goes on\n", left.Run, m.name, words.Quote(m.name))
	}
	return err
}

// options returns the options of a terminal interface for the daemon of m.
func (s tuiSetup) options(m *machine) tui.Options {
	e := m.e
	state := settings.FoldersOf(&e.Console).State
	return tui.Options{
		Connect: func(ctx context.Context, start bool, lost func(error), note func(string)) (*client.Client, error) {
			return m.connectTUI(ctx, s, start, lost, note)
		},
		Explain:  e.explainTUI,
		Path:     s.Path,
		Request:  s.Request,
		Recent:   m.recentWorkfiles(s.Recent),
		Restorer: e.OnCrashRestore,
		Pager:    cmp.Or(e.Get("WF_PAGER"), e.Get("PAGER"), "less -R"),
		Editor:   editor.Choose(e.Get),
		Drafts:   editor.Folder(state),
		Memory:   savedViews(filepath.Join(state, "views-"+remoteName(m))),
		In:       e.Stdin,
		Out:      e.Stdout,
		Env:      e.Environ,
		ASCII:    e.WantASCII(),
		Color:    e.WantColor(true) && e.Palette != "none",
		Palette:  e.Palette,
	}
}

// recentWorkfiles returns a function that lists the workfiles of a machine with a history: first those that are known, then what
// the machine answers.
func (m *machine) recentWorkfiles(known []tui.Recent) func() []tui.Recent {
	var mu sync.Mutex // guards known and asked
	asked := false
	return func() []tui.Recent {
		mu.Lock()
		defer mu.Unlock()
		if !asked {
			asked = true
			return known
		}
		ctx, cancel := context.WithTimeout(context.Background(), hostTime)
		defer cancel()
		opt, err := m.options()
		if err != nil {
			return known
		}
		opt.Ask, opt.Note = nil, func(string) {} // the terminal belongs to the interface
		out, _, status, err := m.collect(ctx, opt, "server", setupCommand)
		var setup tuiSetup
		if err == nil && status == 0 && json.Unmarshal(out, &setup) == nil {
			known = setup.Recent
		}
		return known
	}
}

// remoteName returns a file name for a machine.
func remoteName(m *machine) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == ':' {
			return '-'
		}
		return r
	}, m.Machine())
}

// connectTUI connects to the daemon of another machine.
func (m *machine) connectTUI(ctx context.Context, s tuiSetup, start bool, lost func(error), note func(string)) (*client.Client, error) {
	e := m.e
	opt, err := m.options()
	if err != nil {
		return nil, err
	}
	opt.Ask, opt.Note = nil, note // the terminal belongs to the interface
	c, err := client.Connect(ctx, client.Options{
		Dial:    func(ctx context.Context, start bool) (net.Conn, error) { return remote.OpenDaemon(ctx, opt, start) },
		NoStart: !start,
		User:    s.User,
		Origin:  originElsewhere(e),
		Results: s.Results,
		Note:    note,
		Lost:    lost,
		Guard:   e.Guard,
	})
	var failed *remote.Error
	if errors.As(err, &failed) {
		err = m.explain(failed)
	}
	return c, err
}

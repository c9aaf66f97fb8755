// Package tui is the terminal interface: a client of the daemon like any other, that draws workfiles, runs them, and
// shows what their nodes write. No run depends on it: leaving it, or its crash, changes nothing.
//
// The parts that know no workflow are packages of their own, and own their state:
//
//	cells    a grid of styled cells, text fitting, frames
//	dialog   menus, prompts, sheets, lists to choose from; a key gives a Result as a value
//	logview  the outputs of executions: end, earlier pages, search; requests give messages for its Update
//	drawing  what a workflow looks like in cells
//	program  running a model: 30 screens a second, panics in any goroutine
//
// In this package the data flows in one direction:
//
//	daemon -> feed -> batch -> runview.Workfile -> document (drawing, selection, filter) -> screens -> cells
//	keys -> action (registry) -> screen, menu, form -> message (messages.go) -> model
//
// The feed is the only listener to the daemon, requests are commands (tea.Cmd) whose results are messages, and only
// Run touches the terminal. A screen (homeScreen, runsScreen, helpScreen, inbox, side, inspector), a menu or a form owns
// its state. It is given what it reads (document, time, area) and returns messages; the model routes keys and carries
// the messages out. Keys stand in one registry, from which footer, help, palette and docs/tui.md are made.
package tui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/program"
)

// Options are what the interface needs from the command line.
type Options struct {
	// Connect reaches the daemon, and starts one where that is right and start is set. lost and note
	// are for the client's options of these names.
	Connect func(ctx context.Context, start bool, lost func(error), note func(string)) (*client.Client, error)
	// Explain describes why the workfile at a path could not be opened: what, where, why, and what to do. If it is
	// nil, the error is shown as it is.
	Explain func(path string, err error) api.Error
	Path    string         // absolute, of the workfile to open; "" begins at home
	Request api.RunRequest // what every run that is started here has: environment, user, defaults
	Recent  func() []Recent
	Dir     string // working directory: commands that are shown are for a shell in it
	Pager   string // command line of the pager
	Editor  string // and of the editor
	Drafts  string // folder for texts that are not saved yet; it is made when it is needed
	Memory  Memory // how workfiles were looked at; nil = this is not stored

	// Restorer, if not nil, is called with a function that restores the terminal, for when something else ends the
	// process, and with nil when that is not needed any more.
	Restorer func(restore func())

	In    io.Reader // the terminal
	Out   io.Writer
	Env   []string
	ASCII bool
	Color bool
}

// A Recent is a workfile that has a history.
type Recent struct {
	Path   string // absolute
	Run    string // the latest
	Result api.Result
	When   time.Time
}

// A Left is what there is to report after the interface has ended.
type Left struct {
	Path string // of the workfile; "" if none was open
	Run  string // a run that is active, otherwise one that ended while it was shown; "" if none
	Goes bool   // it is active
	Done int    // nodes of it that have ended, of Of
	Of   int
}

// Run shows the interface until the user leaves it, and restores the terminal. A panic is the error
// *program.Crash.
func Run(ctx context.Context, opt Options) (Left, error) {
	m := newModel(opt)
	defer m.close()
	env := slices.DeleteFunc(slices.Clone(opt.Env), func(v string) bool {
		// Whether there are colours has been decided already.
		return opt.Color && (strings.HasPrefix(v, "NO_COLOR=") || strings.HasPrefix(v, "CLICOLOR="))
	})
	err := program.Run(m, func(p *tea.Program) {
		if opt.Restorer != nil {
			opt.Restorer(p.Kill)
		}
	}, tea.WithContext(ctx), tea.WithInput(opt.In), tea.WithOutput(opt.Out),
		tea.WithEnvironment(env))
	if opt.Restorer != nil {
		opt.Restorer(nil)
	}
	if errors.Is(err, tea.ErrInterrupted) { // a signal, not a key: it ends the interface
		err = nil
	}
	return m.left(), err
}

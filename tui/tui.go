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
// its state. Its methods get what they read as arguments (document, time, area) and return messages; the model routes
// keys and carries the messages out. Footer, help, palette and docs/tui.md are made from one registry of keys.
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

// Options are the settings and services of the interface. The command line provides them.
type Options struct {
	// Connect connects to the daemon. It may start one if start is set. lost and note are passed to the client as its
	// options of these names.
	Connect func(ctx context.Context, start bool, lost func(error), note func(string)) (*client.Client, error)
	// Explain describes why the workfile at a path could not be opened: what happened, where, why and the remedy. If
	// it is nil, the error is shown unchanged.
	Explain func(path string, err error) api.Error
	Path    string         // absolute path of the workfile to open; "" = start with the home screen
	Request api.RunRequest // defaults for runs that are started here: environment, user, settings
	Recent  func() []Recent
	Dir     string // working directory of the shell; displayed commands are relative to it
	Pager   string // command line of the pager
	Editor  string // command line of the editor
	Drafts  string // folder for texts that are not saved yet; created on demand
	Memory  Memory // stores how workfiles are displayed; nil = do not store it

	// Restorer, if not nil, is called with a function that restores the terminal, in case a signal ends the process.
	// It is called with nil when the terminal has been restored.
	Restorer func(restore func())

	In    io.Reader // the terminal
	Out   io.Writer
	Env   []string
	ASCII bool
	Color bool

	Palette string // dark, light, colorblind or 16; otherwise the one that fits the terminal
}

// A Recent is a workfile that has a history.
type Recent struct {
	Path   string // absolute
	Run    string // number of the latest run
	Result api.Result
	When   time.Time
}

// A Left is the state to report after the interface has ended.
type Left struct {
	Path   string // of the workfile; "" if none was open
	Run    string // number of a run that is active, or else of one that ended while it was shown; "" = none
	Active bool   // the run is active
	Done   int    // nodes of the run that have ended, out of Of
	Of     int
}

// Run shows the interface until the user leaves it, and restores the terminal. If it panics, Run returns the error
// *program.Crash.
func Run(ctx context.Context, opt Options) (Left, error) {
	m := newModel(opt)
	defer m.close()
	env := slices.DeleteFunc(slices.Clone(opt.Env), func(v string) bool {
		// The command line has already decided whether to use colours.
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
	if errors.Is(err, tea.ErrInterrupted) { // a signal ended the interface, not a key
		err = nil
	}
	return m.left(), err
}

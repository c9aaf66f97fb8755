package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/report"
	"wf/tui/words"
)

// A statusScreen redraws what is known of a workfile in the last rows of a terminal. It belongs to the goroutine of
// followOn.
type statusScreen struct {
	ask   func(ctx context.Context, s *target) (api.Status, error)
	print func(w io.Writer, status *api.Status, now time.Time) error
	over  func(status *api.Status) bool // nothing more will change; nil = never

	e       *env
	s       *target
	region  *console.Region
	term    *console.Terminal
	keys    *console.Keyboard
	signals chan os.Signal // resizes and job control
	clock   *time.Timer    // fires every second during a run, to update durations
	status  api.Status     // the last one that was shown
	unwatch func()         // cancels the restoring of the terminal after a crash
}

// newStatusScreen returns nil if standard output is not a terminal that can be redrawn; the state is then printed again
// after each change.
func (o *statusOptions) newStatusScreen(e *env, s *target) *statusScreen {
	if o.json {
		return nil
	}
	screen := newScreen(e, s)
	if screen != nil {
		screen.ask = o.ask
		screen.print = func(w io.Writer, status *api.Status, now time.Time) error {
			return report.Status(w, e.OutPaint(), *status, now, e.fileFix(s.Path))
		}
	}
	return screen
}

// newScreen returns a screen whose functions are not set, or nil if standard output is not a terminal that can be redrawn.
func newScreen(e *env, s *target) *statusScreen {
	t := console.NewTerminal(e.Stdin, e.Stdout)
	if e.Surroundings(t, false).WhyNotInline(true) != "" {
		return nil
	}
	w := &statusScreen{e: e, s: s, region: console.NewRegion(e.Stdout), term: t, keys: console.NewKeyboard(&e.Console, t),
		signals: make(chan os.Signal, 8), clock: time.NewTimer(time.Second)}
	w.unwatch = e.RestoreInCrash(w.region, t)
	signal.Notify(w.signals, unix.SIGWINCH, unix.SIGTSTP, unix.SIGCONT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP)
	e.HandleStops(true)
	w.keys.Listen()
	return w
}

// show draws a state.
func (w *statusScreen) show(status api.Status) error {
	w.status = status
	return w.draw(time.Now())
}

// draw draws the last state, unless wf is in the background.
func (w *statusScreen) draw(now time.Time) error {
	if len(w.status.ActiveRuns) > 0 {
		w.clock.Reset(time.Second)
	}
	width, height := w.term.Size()
	if width < 2 || height < 2 || !w.term.Foreground() {
		return nil
	}
	rows, err := w.rows(now)
	if err != nil {
		return err
	}
	if room := height - 1; len(rows) > room {
		rest := len(rows) - room + 1
		rows = append(rows[:room-1], w.e.OutPaint().Ellipsis()+" "+words.Plural(rest, "more line"))
	}
	for i, row := range rows {
		rows[i] = ansi.Truncate(row, width-1, w.e.OutPaint().Ellipsis())
	}
	return w.region.Show(rows)
}

// rows returns the lines to show.
func (w *statusScreen) rows(now time.Time) ([]string, error) {
	var b bytes.Buffer
	err := w.print(&b, &w.status, now)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n"), err
}

// terminalSignal handles a signal of the terminal.
func (w *statusScreen) terminalSignal(sig os.Signal) error {
	switch sig {
	case unix.SIGTSTP:
		if !w.e.CanBeContinued() {
			return nil
		}
		w.region.Clear()
		w.keys.Close()
		console.StopSelf()
	case unix.SIGTERM, unix.SIGHUP:
		return exit.With(128 + int(sig.(syscall.Signal)))
	case unix.SIGQUIT:
		w.close()
		signal.Reset(unix.SIGQUIT)
		unix.Kill(unix.Getpid(), unix.SIGQUIT)
		return nil
	}
	if !w.term.Foreground() {
		return nil // SIGCONT comes when wf is in the foreground again
	}
	w.keys.Listen()
	w.region.Redraw()
	return w.draw(time.Now())
}

// close leaves the last state on the terminal, as it would have been printed without a screen.
func (w *statusScreen) close() error {
	w.e.HandleStops(false)
	signal.Stop(w.signals)
	w.clock.Stop()
	err := w.region.Clear()
	w.keys.Close()
	w.unwatch()
	if w.status.Schema == "" {
		return err
	}
	if err != nil {
		return err
	}
	return w.print(w.e.Stdout, &w.status, time.Now())
}

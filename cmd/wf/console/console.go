// Package console has the streams, the environment, the working directory and the terminal of a command, with colours,
// tables, JSON, keys and redrawn rows. It does not depend on workfiles or the daemon.
package console

import (
	"cmp"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/term"

	"wf/api"
	"wf/remote"
	"wf/tui/plain"
)

// A Console has the streams, the environment and the working directory of a command. Commands use it instead of package
// os, so that tests can replace it.
type Console struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	OutTTY, ErrTTY bool     // is the stream a terminal?
	Environ        []string // KEY=VALUE, the whole environment
	Dir            string   // working directory, absolute; "" if it was removed

	Remote     bool   // called from another machine, see remote.RemoteVariable
	RemoteName string // the --host of a command on another machine: there and, in the terminal interface, here; "" for none

	// Advise adds --host to the commands in a text; nil leaves texts unchanged. See Advice.
	Advise func(text string) string

	Color string // auto, always or never
	// Palette is the one of the terminal interface: auto, dark, light, colorblind, 16 or none.
	Palette string
	ASCII   bool // draw with ASCII only

	// OnCrash reports a bug and ends the process. The terminal is restored before it is called.
	OnCrash func(bug any, stack []byte)

	handlesStops    atomic.Bool            // see HandleStops
	restoreTerminal atomic.Pointer[func()] // called in a crash; nil if nothing is redrawn
}

// OfProcess sets the streams, the environment and the working directory of this process.
func (c *Console) OfProcess() {
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // it was removed; relative paths then fail with an error
	}
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.OutTTY, c.ErrTTY = term.IsTerminal(int(os.Stdout.Fd())), term.IsTerminal(int(os.Stderr.Fd()))
	switch mark := os.Getenv(remote.RemoteVariable); {
	case mark == remote.MarkStdin:
		c.Stdin = remote.AskedStdin()
		fallthrough
	case mark != "":
		c.Remote, c.RemoteName = true, os.Getenv(remote.NameVariable)
		for _, name := range []string{remote.RemoteVariable, remote.NameVariable} {
			os.Unsetenv(name) // commands of runs must not inherit it
		}
		if mark == remote.MarkTTY {
			c.followStops()
		}
	}
	c.Environ, c.Dir, c.Color, c.Palette = os.Environ(), dir, "auto", "auto"
}

// Advice returns a text for the user whose commands work where the user types them: also if this command was called from
// another machine.
func (c *Console) Advice(text string) string {
	if c.Advise == nil {
		return text
	}
	return c.Advise(text)
}

// Get returns the value of an environment variable. If there are several, the last one counts.
func (c *Console) Get(key string) string {
	for i := len(c.Environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(c.Environ[i], key+"="); ok {
			return value
		}
	}
	return ""
}

// User returns the user name for the history, from the environment, or that of the process if the environment has none, as in
// cron. It is not authenticated.
func (c *Console) User() string {
	if name := cmp.Or(c.Get("USER"), c.Get("LOGNAME")); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// Caller returns the execution that started this command, or nil outside of runs.
func (c *Console) Caller() *api.Caller {
	n, err := strconv.Atoi(c.Get("WF_EXECUTION"))
	caller := &api.Caller{Workfile: c.Get("WF_WORKFILE"), Run: c.Get("WF_RUN_ID"), Node: c.Get("WF_NODE_ID"), Execution: n}
	if err != nil || caller.Workfile == "" || caller.Run == "" || caller.Node == "" {
		return nil
	}
	return caller
}

// Abs makes path absolute against the working directory.
func (c *Console) Abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(c.Dir, path)
}

// Interactive reports whether the user can be asked: standard input and standard error are terminals, and this is not a
// CI job.
func (c *Console) Interactive() bool {
	in, ok := c.Stdin.(*os.File)
	return ok && c.ErrTTY && term.IsTerminal(int(in.Fd())) && c.Get("CI") == ""
}

// OutWidth returns the width of the terminal behind standard output, 0 if there is none.
func (c *Console) OutWidth() int {
	width, _ := c.OutSize()
	return width
}

// OutSize returns the size of the terminal behind standard output, 0 and 0 if there is none.
func (c *Console) OutSize() (width, height int) {
	f, ok := c.Stdout.(interface{ Fd() uintptr })
	if !ok || !c.OutTTY {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// Guard runs f. If f panics, Guard restores the terminal, and OnCrash reports the bug and ends the process. Every
// goroutine of cmd/wf runs in Guard, because an uncaught panic would not restore the terminal.
func (c *Console) Guard(f func()) {
	defer func() {
		if bug := recover(); bug != nil {
			c.Crash(bug, debug.Stack())
		}
	}()
	f()
}

// Crash restores the terminal, reports a bug and ends the process.
func (c *Console) Crash(bug any, stack []byte) {
	if restore := c.restoreTerminal.Load(); restore != nil {
		(*restore)()
	}
	c.Stderr = os.Stderr // it may have been a writer of redrawn rows
	c.OnCrash(bug, stack)
}

// OnCrashRestore sets the function that restores the terminal in a crash; nil removes it.
func (c *Console) OnCrashRestore(restore func()) {
	if restore == nil {
		c.restoreTerminal.Store(nil)
		return
	}
	c.restoreTerminal.Store(&restore)
}

// RestoreInCrash makes a crash restore the terminal t (nil for none) on which r is drawn. The caller calls done when
// nothing is redrawn any more.
func (c *Console) RestoreInCrash(r *Region, t *Terminal) (done func()) {
	c.OnCrashRestore(func() {
		r.abandon()
		if t != nil {
			t.restore()
		}
	})
	return func() { c.OnCrashRestore(nil) }
}

// A Flusher is a writer that may buffer bytes until it is flushed.
type Flusher interface {
	io.Writer
	Flush() error
}

// OutputWriter returns a writer for the output of commands to w, which writes to standard output. For a terminal it
// removes control sequences, unless raw is set; files and pipes get the exact bytes.
func (c *Console) OutputWriter(w io.Writer, raw bool) Flusher {
	if c.OutTTY && !raw {
		return plain.NewWriter(w, c.OutPaint().Colored)
	}
	return unbuffered{w}
}

// unbuffered writes every byte at once.
type unbuffered struct{ io.Writer }

func (unbuffered) Flush() error { return nil }

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// crashPatience bounds the wait for somebody who is writing to the terminal at the moment of a crash.
const crashPatience = time.Second

// maxStacks bounds what a report says about all goroutines, in bytes.
const maxStacks = 4 << 20

// guard runs f. A panic in it is a bug: the terminal becomes what it was, the report goes to a file,
// and the program ends. Every goroutine of this package begins with it, since a panic in any of them
// ends the process without asking the others.
func (e *env) guard(f func()) {
	defer func() {
		if bug := recover(); bug != nil {
			e.crash(bug, debug.Stack())
			os.Exit(exitDaemon)
		}
	}()
	f()
}

// crash says what has happened. The run, if there is one, goes on in the daemon.
func (e *env) crash(bug any, stack []byte) {
	if giveBack := e.giveBack.Load(); giveBack != nil {
		(*giveBack)()
	}
	text := fmt.Sprint(bug)
	f := &failure{status: exitDaemon, what: "wf has crashed: panic: " + text,
		why: "Runs that are going go on. This is a bug: please report it.", fix: "wf status"}
	path, err := e.writeCrash(text, stack)
	if err != nil {
		f.why += "\nThe report could not be written: " + errText(err) + "\n" + strings.ReplaceAll(string(stack), "\t", "  ")
	} else {
		f.where = "report: " + path
	}
	e.stderr = os.Stderr // whatever else was put in between
	printError(e, f)
}

// writeCrash writes the report to the state folder. It holds no arguments and no environment: there
// may be secrets in them.
func (e *env) writeCrash(text string, stack []byte) (path string, err error) {
	dirs, err := e.folders()
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dirs.state, time.Now().UTC().Format("crash-20060102-150405-*.txt")) // 0600
	if err != nil {
		return "", err
	}
	all := make([]byte, maxStacks)
	all = all[:runtime.Stack(all, true)]
	_, err = fmt.Fprintf(f, "wf %s, %s, %s/%s\n%s\n\n%s\n\nall goroutines:\n\n%s\n",
		version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, text, stack, all)
	return filepath.Clean(f.Name()), errors.Join(err, f.Close())
}

// redraws says how the terminal t, nil for none, is given back if the program crashes from now on.
// The result takes that back.
func (e *env) redraws(r *region, t *terminal) (ended func()) {
	giveBack := func() {
		r.abandon()
		if t != nil {
			t.restore()
		}
	}
	e.giveBack.Store(&giveBack)
	return func() { e.giveBack.Store(nil) }
}

// abandon gives the terminal back for good: nothing is drawn any more. It waits for who is drawing,
// but not for ever: a terminal that takes nothing shall not hold up the end.
func (r *region) abandon() {
	locked := make(chan struct{})
	go func() {
		r.mu.Lock() // and never unlocked
		close(locked)
	}()
	select {
	case <-locked:
		r.hide()
		if r.owned {
			r.buf = append(r.buf, wrapOn+cursorOn+endFrame...)
		}
		r.flush()
	case <-time.After(crashPatience):
	}
}

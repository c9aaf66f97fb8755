package main

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// stopTime bounds the wait for the end of a stop whose SIGCONT was not seen.
const stopTime = 200 * time.Millisecond

// terminalSignal answers to what happens to the terminal.
func (l *live) terminalSignal(sig os.Signal) {
	switch sig {
	case unix.SIGWINCH:
		l.v.region.redraw()
		l.dirty = true
	case unix.SIGTSTP:
		l.suspend()
	case unix.SIGCONT:
		l.continued()
	case unix.SIGQUIT:
		l.quit()
	}
}

// suspend is Ctrl-Z: the terminal is left as the shell expects it before this process stops. The run
// goes on in the daemon, and its events wait there, or come as a snapshot later.
func (l *live) suspend() {
	if !canBeContinued() {
		return
	}
	l.v.err.Flush()
	l.v.region.clear()
	l.deafen()
	stopSelf()
	if l.term.foreground() {
		l.comeBack()
		return
	}
	l.away, l.dirty = true, true
}

// canBeContinued says whether a shell has given us a group of our own, and so would continue us.
func canBeContinued() bool {
	group, err := unix.Getsid(0)
	return err == nil && group != unix.Getpgrp()
}

// stopSelf stops this process until somebody continues it. It is SIGSTOP because the Go runtime
// does not give SIGTSTP its default back once it was caught.
func stopSelf() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(unix.Getpid(), unix.SIGSTOP) != nil {
		return
	}
	select { // the signal takes effect a moment later, on whichever thread sees it first
	case <-continued:
	case <-time.After(stopTime):
	}
}

// quit lets SIGQUIT do what it does without us.
func (l *live) quit() {
	l.v.endLive()
	signal.Reset(unix.SIGQUIT)
	unix.Kill(unix.Getpid(), unix.SIGQUIT)
}

// continued is the end of a stop, in the foreground or not.
func (l *live) continued() {
	switch there := l.term.foreground(); {
	case there && l.away:
		l.comeBack()
	case there:
		l.v.region.redraw()
		l.dirty = true
	case !l.away: // stopped by somebody else: the shell has set the terminal as it likes it
		l.term.forget()
		l.deafen()
		l.away, l.dirty = true, true
	}
}

// comeBack redraws again.
func (l *live) comeBack() {
	l.away, l.dirty = false, true
	l.listen()
}

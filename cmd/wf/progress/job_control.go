package progress

import (
	"os"
	"os/signal"

	"wf/cmd/wf/console"

	"golang.org/x/sys/unix"
)

// terminalSignal answers to what happens to the terminal.
func (l *live) terminalSignal(sig os.Signal) {
	switch sig {
	case unix.SIGWINCH:
		l.v.region.Redraw()
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
	if !console.CanBeContinued() {
		return
	}
	l.v.err.Flush()
	l.v.region.Clear()
	l.Close()
	console.StopSelf()
	if l.Term.Foreground() {
		l.comeBack()
		return
	}
	l.away, l.dirty = true, true
}

// quit lets SIGQUIT do what it does without us.
func (l *live) quit() {
	l.v.endLive()
	signal.Reset(unix.SIGQUIT)
	unix.Kill(unix.Getpid(), unix.SIGQUIT)
}

// continued is the end of a stop, in the foreground or not.
func (l *live) continued() {
	switch there := l.Term.Foreground(); {
	case there && l.away:
		l.comeBack()
	case there:
		l.v.region.Redraw()
		l.dirty = true
	case !l.away: // stopped by somebody else: the shell has set the terminal as it likes it
		l.Term.Forget()
		l.Close()
		l.away, l.dirty = true, true
	}
}

// comeBack redraws again.
func (l *live) comeBack() {
	l.away, l.dirty = false, true
	l.Listen()
}

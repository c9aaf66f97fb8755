package progress

import (
	"os"
	"os/signal"

	"wf/cmd/wf/console"

	"golang.org/x/sys/unix"
)

// terminalSignal handles a signal of the terminal.
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

// suspend handles Ctrl-Z: it restores the terminal before it stops this process. The run continues in the daemon; its
// events wait there or come later as a snapshot.
func (l *live) suspend() {
	if !l.v.e.CanBeContinued() {
		return
	}
	l.v.err.Flush()
	l.v.region.Clear()
	l.Close()
	console.StopSelf()
	if l.Term.Foreground() {
		l.resume()
		return
	}
	l.background, l.dirty = true, true
}

// quit restores the terminal and sends SIGQUIT with its default action to this process.
func (l *live) quit() {
	l.v.endLive()
	signal.Reset(unix.SIGQUIT)
	unix.Kill(unix.Getpid(), unix.SIGQUIT)
}

// continued handles SIGCONT, in the foreground or not.
func (l *live) continued() {
	switch there := l.Term.Foreground(); {
	case there && l.background:
		l.resume()
	case there:
		l.v.region.Redraw()
		l.dirty = true
	case !l.background: // another process stopped this one, and the shell has set the terminal modes
		l.Term.Forget()
		l.Close()
		l.background, l.dirty = true, true
	}
}

// resume starts to redraw again.
func (l *live) resume() {
	l.background, l.dirty = false, true
	l.Listen()
}

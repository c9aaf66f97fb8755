package progress

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"wf/api"
)

// The signals that a command which follows a run answers to.
const (
	sigInterrupt = syscall.SIGINT
	sigTerminate = syscall.SIGTERM
	sigHangup    = syscall.SIGHUP
)

// interrupts are the signals that came while a run was followed.
type interrupts struct {
	signals    chan os.Signal
	lastSignal os.Signal
	stoppedBy  os.Signal // the first that asked for a stop
	asked      int       // how many did
}

// CatchSignals takes the signals over, except those that the caller had ignored: a command behind
// nohup stays for its run, and one in the background of a script is not hit by the terminal.
func (i *interrupts) CatchSignals() {
	i.signals = make(chan os.Signal, 8)
	for _, sig := range []os.Signal{sigInterrupt, sigTerminate, sigHangup} {
		if !signal.Ignored(sig) {
			signal.Notify(i.signals, sig)
		}
	}
}

// restore gives the signals back.
func (i *interrupts) restore() {
	if i.signals != nil {
		signal.Stop(i.signals)
	}
}

// count remembers a signal.
func (i *interrupts) count(sig os.Signal) {
	i.lastSignal = sig
	if sig == sigHangup {
		return
	}
	if i.asked++; i.stoppedBy == nil {
		i.stoppedBy = sig
	}
}

// mustLeave says that waiting is over: the terminal is gone, or somebody insists.
func (i *interrupts) mustLeave() bool { return i.lastSignal == sigHangup || i.asked >= 3 }

// signal handles one signal and says whether to leave at once. The first asks the daemon to
// stop the run, the second to kill, and both go on showing what happens.
func (f *Follower) signal(sig os.Signal) (leave bool) {
	f.count(sig)
	if f.mustLeave() || !f.StopsRun {
		return true
	}
	if f.chooses(sig) {
		return f.detaching
	}
	f.stopIfAsked()
	return false
}

// stopIfAsked sends the stop that the signals so far ask for.
func (f *Follower) stopIfAsked() {
	if f.asked == 0 {
		return
	}
	f.closeQuestion()
	switch f.asked {
	case 1:
		f.view.cancelling(f.Grace)
	default:
		f.Grace = 0
		f.view.killing()
	}
	ms := f.Grace.Milliseconds()
	f.sendStop(api.StopRequest{GraceMS: &ms, Cause: signalName(f.stoppedBy)})
}

// sendStop asks the daemon to stop the run; what becomes of that comes with answers.
func (f *Follower) sendStop(req api.StopRequest) {
	run := f.Run
	f.spawn(func() {
		res, err := f.s.Workspace.Stop(f.ctx, run, req)
		if err == nil && res.Going {
			err = &unrecordedError{res}
		}
		select {
		case f.answers <- err:
		case <-f.ctx.Done():
		}
	})
}

// signalName is the word for the record of the run.
func signalName(sig os.Signal) string {
	if sig == sigTerminate {
		return "SIGTERM"
	}
	return "SIGINT"
}

// seconds is a grace time for people: "10 s".
func seconds(d time.Duration) string {
	return fmt.Sprintf("%g s", d.Seconds())
}

// An unrecordedError says that a run was stopped, and that its end cannot be written down yet.
type unrecordedError struct{ res api.StopResult }

func (e *unrecordedError) Error() string { return e.res.Problem }

// pendingEnd reports whether a run was stopped and its result cannot be written at present, so that the command
// should not wait for it.
func pendingEnd(err error) bool {
	var pending *unrecordedError
	return errors.As(err, &pending)
}

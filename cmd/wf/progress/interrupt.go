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

// The signals that a Follower handles.
const (
	sigInterrupt = syscall.SIGINT
	sigTerminate = syscall.SIGTERM
	sigHangup    = syscall.SIGHUP
)

// interrupts has the signals that arrived while a run was followed.
type interrupts struct {
	signals    chan os.Signal
	lastSignal os.Signal
	stoppedBy  os.Signal // the first one that stops the run
	asked      int       // the number of signals that stop the run
}

// CatchSignals starts to receive the signals, except ignored ones: with nohup the command stays with its run, and in the
// background of a script it does not react to Ctrl-C.
func (i *interrupts) CatchSignals() {
	i.signals = make(chan os.Signal, 8)
	for _, sig := range []os.Signal{sigInterrupt, sigTerminate, sigHangup} {
		if !signal.Ignored(sig) {
			signal.Notify(i.signals, sig)
		}
	}
}

// restore restores the default actions of the signals.
func (i *interrupts) restore() {
	if i.signals != nil {
		signal.Stop(i.signals)
	}
}

// count counts a signal.
func (i *interrupts) count(sig os.Signal) {
	i.lastSignal = sig
	if sig == sigHangup {
		return
	}
	if i.asked++; i.stoppedBy == nil {
		i.stoppedBy = sig
	}
}

// mustLeave reports whether to end at once: the terminal was closed, or a third signal arrived.
func (i *interrupts) mustLeave() bool { return i.lastSignal == sigHangup || i.asked >= 3 }

// signal handles one signal and reports whether to leave at once. The first asks the daemon to stop the
// run, the second to kill it; after both the run is still shown.
func (f *Follower) signal(sig os.Signal) (leave bool) {
	f.count(sig)
	if f.mustLeave() || !f.StopsRun {
		return true
	}
	if f.handlesChoice(sig) {
		return f.detaching
	}
	f.stopIfAsked()
	return false
}

// stopIfAsked sends the stop request for the signals so far.
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

// sendStop asks the daemon to stop the run; the answer comes through f.answers.
func (f *Follower) sendStop(req api.StopRequest) {
	run := f.Run
	f.spawn(func() {
		res, err := f.target.Workspace.Stop(f.ctx, run, req)
		if err == nil && res.Going {
			err = &unrecordedError{res}
		}
		select {
		case f.answers <- err:
		case <-f.ctx.Done():
		}
	})
}

// signalName returns the name of a signal for the history of the run.
func signalName(sig os.Signal) string {
	if sig == sigTerminate {
		return "SIGTERM"
	}
	return "SIGINT"
}

// seconds returns a grace time as text: "10 s".
func seconds(d time.Duration) string {
	return fmt.Sprintf("%g s", d.Seconds())
}

// An unrecordedError reports that a run was stopped and that its end cannot be written to the history yet.
type unrecordedError struct{ res api.StopResult }

func (e *unrecordedError) Error() string { return e.res.Problem }

// pendingEnd reports whether a run was stopped and its result cannot be written at present, so that the command
// should not wait for it.
func pendingEnd(err error) bool {
	var pending *unrecordedError
	return errors.As(err, &pending)
}

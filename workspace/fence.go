package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/workspace/fence"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// One user can have two daemons: with different runtime folders, on machines that share the state folder, or briefly after a
// daemon has lost its runtime folder and another one has started. So the daemon that serves a workspace holds its fence, which
// lies next to the journals.

// How long opening a workspace waits for the fence: another daemon may be about to end, and a child between fork and exec
// briefly holds a copy of every descriptor.
const (
	sharedPatience  = 15 * time.Second
	foreignPatience = time.Second
	fencePause      = 20 * time.Millisecond
)

// FencePath returns the path of the fence of a workspace.
func FencePath(state, id string) string { return filepath.Join(history.Folder(state, id), "fence") }

// raiseFence takes the fence of the workspace. If another daemon has it, the error is an *api.Error that names that daemon.
// If the folder cannot be written, the workspace can still be read without a fence; keepFence is called before anything
// starts.
func (w *Workspace) raiseFence() error {
	for begin := time.Now(); ; time.Sleep(fencePause) {
		err := w.keepFence()
		var taken *fence.TakenError
		if !errors.As(err, &taken) {
			if err != nil {
				w.cfg.Log.Warn("a workspace cannot be fenced off from other daemons", "workspace", w.id, "err", err)
			}
			return nil
		}
		patience := foreignPatience
		if own := w.cfg.holder(); taken.Holder.Host == own.Host && taken.Holder.Runtime == own.Runtime {
			patience = sharedPatience
		}
		if !taken.Locked || time.Since(begin) > patience {
			return w.cfg.fencedError(w.path, taken)
		}
	}
}

// keepFence makes sure that this daemon has the fence. It is called before the loop starts, and later by helpers that hold
// preparer.creating.
func (w *Workspace) keepFence() error {
	if w.fence != nil && w.fence.Stands() {
		return nil
	}
	taken, err := fence.Take(FencePath(w.cfg.State, w.id), w.cfg.holder())
	if err != nil {
		return err
	}
	if w.fence != nil {
		w.fence.Leave()
	}
	w.fence = taken
	w.watchFence(taken)
	return nil
}

// watchFence ends the workspace when another machine takes over a fence.
func (w *Workspace) watchFence(f *fence.Fence) {
	if f.Lost() == nil {
		return
	}
	w.loop.Run(func() {
		select {
		case <-f.Lost():
			w.loop.Post(w.giveWay)
		case <-w.loop.Ending():
		}
	})
}

// giveWay ends the workspace and writes nothing any more, because a daemon of another machine writes its files by now: see
// wf server takeover. The runners keep the results of their commands.
func (w *Workspace) giveWay() {
	w.cfg.Log.Error("another machine has taken the workfile over: its runs here are given up", "workfile", w.path)
	w.gaveWay = true
	for _, r := range w.runs {
		r.Abandon()
	}
	w.queue.refuseWaiting(errClosed())
	w.out.Close("another machine has taken over this workfile")
	w.loop.End()
}

// dropFence ends the use of the fence, as the last action of a workspace. While runs are unfinished, their runners may write, so
// that only daemons of this machine can follow.
func (w *Workspace) dropFence(unfinished bool) {
	switch {
	case w.fence == nil:
	case unfinished:
		w.fence.Leave()
	default:
		w.fence.Release()
	}
}

// unfinished reports whether a later daemon has to recover runs. It is called on the loop, or when that does not run.
func (w *Workspace) unfinished() bool {
	return len(w.runs)+len(w.retries.postponed)+len(w.quarantine.state.runs)+len(w.retries.unremoved)+len(w.queue.inQueue()) > 0
}

// holder describes this daemon for other daemons.
func (c *Config) holder() fence.Holder {
	machine := c.Machine
	if machine == (fence.Machine{}) {
		machine = fence.This()
	}
	return fence.Holder{Machine: machine, PID: os.Getpid(), Runtime: c.Runtime}
}

// checkFence returns an error if a workspace belongs to another machine.
func (c *Config) checkFence(id, path string) error {
	if workfile.Missing(FencePath(c.State, id)) {
		return nil
	}
	f, err := fence.Take(FencePath(c.State, id), c.holder())
	if err == nil {
		f.GiveUp()
	}
	var taken *fence.TakenError
	if errors.As(err, &taken) && taken.Holder.Elsewhere(c.holder()) {
		return c.fencedError(path, taken)
	}
	return nil
}

// fencedError returns the error for a workfile that is fenced by another daemon.
func (c *Config) fencedError(path string, taken *fence.TakenError) *api.Error {
	h, own := taken.Holder, c.holder()
	e := &api.Error{Code: api.CodeConflict, Where: path, Message: "another daemon has this workfile open",
		Fix: "wf server stop in its session, or stop that process; its runs go on"}
	switch {
	case h.PID == 0:
	case !taken.Locked:
		e.Message = "this workfile belongs to a daemon on " + h.Host
		e.Why = AbandonedWhy(h, own)
		e.Fix = fmt.Sprintf("use it there: wf --host ssh://%s …; if %[1]s is gone for good: wf server takeover %s", h.Host, filepath.Base(path))
	case h.Host != own.Host || h.Boot != own.Boot && h.Boot != "":
		e.Message = "a daemon on " + h.Host + " has this workfile open"
		e.Why = fmt.Sprintf("it is pid %d there, with the same state folder as on this machine (%s)", h.PID, own.Host)
		e.Fix = "use it there: wf --host ssh://" + h.Host + " …"
	case h.Runtime != own.Runtime:
		e.Why = fmt.Sprintf("it is pid %d, and its runtime folder is %s, not %s", h.PID, h.Runtime, own.Runtime)
		e.Fix = "WF_RUNTIME_DIR=" + h.Runtime + " in front of the command; or kill " + fmt.Sprint(h.PID) + ": its runs go on in this daemon"
	default:
		e.Why = fmt.Sprintf("it is pid %d, which has lost its place to this daemon and does not end; is it stopped (SIGSTOP)?", h.PID)
		e.Fix = fmt.Sprintf("kill -CONT %d, or kill -9 %[1]d: its runs go on in this daemon", h.PID)
	}
	return e
}

// AbandonedWhy explains why a fence that names h cannot be taken on the machine of own.
func AbandonedWhy(h, own fence.Holder) string {
	return fmt.Sprintf("pid %d there has unfinished runs, or has not ended properly, in the state folder that it shares with this machine (%s), which cannot see whether it lives",
		h.PID, own.Host)
}

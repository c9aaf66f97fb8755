package workspace

import (
	"errors"
	"fmt"
	"os"
	"time"

	"wf/api"
	"wf/workspace/history"
)

// One user can have two daemons: with different runtime folders, on machines that share the state folder, or briefly after a
// daemon has lost its runtime folder and another one has started. So the daemon that serves a workspace holds its fence: a
// lock file next to the journals.

// How long opening a workspace waits for the fence: another daemon may be about to end, and a child between fork and exec
// briefly holds a copy of every descriptor.
const (
	sharedPatience  = 15 * time.Second
	foreignPatience = time.Second
	fencePause      = 20 * time.Millisecond
)

// raiseFence takes the fence of the workspace. If another daemon has it, the error is an *api.Error that names that daemon.
// If the folder cannot be written, the workspace can still be read without a fence; keepFence is called before anything
// starts.
func (w *Workspace) raiseFence() error {
	for begin := time.Now(); ; time.Sleep(fencePause) {
		err := w.keepFence()
		var taken *history.FencedError
		if !errors.As(err, &taken) {
			if err != nil {
				w.cfg.Log.Warn("a workspace cannot be fenced off from other daemons", "workspace", w.id, "err", err)
			}
			return nil
		}
		patience := foreignPatience
		if own := w.holder(); taken.Holder.Host == own.Host && taken.Holder.Runtime == own.Runtime {
			patience = sharedPatience
		}
		if time.Since(begin) > patience {
			return w.fencedError(taken.Holder)
		}
	}
}

// keepFence makes sure that this daemon has the fence. It is called before the loop starts, and later by helpers that hold
// preparer.creating.
func (w *Workspace) keepFence() error {
	if w.fence != nil && w.fence.Stands() {
		return nil
	}
	fence, err := history.TakeFence(history.Folder(w.cfg.State, w.id), w.holder())
	if err != nil {
		return err
	}
	w.dropFence()
	w.fence = fence
	return nil
}

// dropFence releases the fence, as the last action of a workspace.
func (w *Workspace) dropFence() {
	if w.fence != nil {
		w.fence.Release()
	}
}

// holder describes this daemon for other daemons.
func (w *Workspace) holder() history.Holder {
	host, _ := os.Hostname() // "" if the machine has no name
	return history.Holder{PID: os.Getpid(), Host: host, Runtime: w.cfg.Runtime}
}

func (w *Workspace) fencedError(h history.Holder) *api.Error {
	own := w.holder()
	e := &api.Error{Code: api.CodeConflict, Where: w.path, Message: "another daemon has this workfile open",
		Fix: "wf server stop in its session, or stop that process; its runs go on"}
	switch {
	case h.PID == 0:
	case h.Host != own.Host:
		e.Why = fmt.Sprintf("it is pid %d on %s, which has the same state folder", h.PID, h.Host)
		e.Fix = "use wf on " + h.Host
	case h.Runtime != own.Runtime:
		e.Why = fmt.Sprintf("it is pid %d, and its runtime folder is %s, not %s", h.PID, h.Runtime, own.Runtime)
		e.Fix = "WF_RUNTIME_DIR=" + h.Runtime + " in front of the command; or kill " + fmt.Sprint(h.PID) + ": its runs go on in this daemon"
	default:
		e.Why = fmt.Sprintf("it is pid %d, which has lost its place to this daemon and does not end; is it stopped (SIGSTOP)?", h.PID)
		e.Fix = fmt.Sprintf("kill -CONT %d, or kill -9 %[1]d: its runs go on in this daemon", h.PID)
	}
	return e
}

package workspace

import (
	"fmt"
	"runtime/debug"
	"time"

	"wf/api"
	"wf/workspace/history"
)

// A bug shows as a panic. The daemon serves other workfiles, so it outlives one:
//
//	in a question (ask)         the question is answered with an internal error; it has changed nothing
//	in anything else            the workspace ends as if its daemon had been killed: nothing is saved, its
//	                            runs are let go of, and the daemon opens it again, which counts as a trial
//
// Either way the stack is in the log.

// contained answers a question on the loop.
func contained[T any](w *Workspace, f func(*Workspace) (T, error)) (v T, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			w.logBug("a question", bug, debug.Stack())
			err = errBug()
		}
	}()
	return f(w)
}

func errBug() *api.Error {
	return &api.Error{Code: api.CodeInternal, Message: "internal error: the answer cannot be given", Why: "the log of the daemon has the report; runs are not touched",
		Fix: "wf server logs"}
}

func (w *Workspace) logBug(where string, bug any, stack []byte) {
	w.cfg.Log.Error("panic", "in", where, "workfile", w.path, "value", fmt.Sprint(bug), "stack", string(stack))
}

// contain ends a workspace whose loop has panicked. Its watchers and whoever waits for an answer ask again.
func (w *Workspace) contain() {
	bug := recover()
	if bug == nil {
		return
	}
	stack := debug.Stack()
	if h, ok := bug.(helperBug); ok {
		bug, stack = h.bug, h.stack
	}
	w.logBug("the workspace", bug, stack)
	w.countCrash()
	close(w.quit)
	for _, r := range w.runs {
		w.letGo(r)
	}
	w.out.closeAll("internal error: the workfile is opened again")
	w.out.timer.Stop()
	w.file.timer.Stop()
	w.holdTimer.Stop()
	go func() { // ends with the helpers, which learn of the end from done
		<-w.done
		w.helpers.wg.Wait()
		w.dropFence()
	}()
}

// countCrash notes what a daemon would have died of.
func (w *Workspace) countCrash() {
	if w.trial.noted {
		return // the note is there since the workspace was opened
	}
	before, err := history.ReadTrial(w.cfg.State, w.id, w.path)
	if err == nil {
		err = history.BeginTrial(w.disk(), w.cfg.State, before, time.Now())
	}
	if err != nil {
		w.cfg.Log.Warn("a trial cannot be noted", "workspace", w.id, "err", err)
	}
}

// letGo is detach for a run in an unknown state: what was not written of its journal stays unwritten, since
// it may be what the loop died of. The executor tells it again.
func (w *Workspace) letGo(r *run) {
	defer func() {
		if bug := recover(); bug != nil { // a second one of the same cause
			w.logBug("the end of a run", bug, debug.Stack())
		}
	}()
	if r.timer != nil {
		r.timer.Stop()
	}
	r.setTimer(nil, 0)
	if r.sess != nil {
		r.sess.Detach()
	}
	r.leaveSlots()
	r.dropPools(w)
}

// A helperBug is the panic of a helper, which ends the loop that it works for.
type helperBug struct {
	bug   any
	stack []byte
}

// guarded runs a helper.
func (w *Workspace) guarded(f func()) {
	defer func() {
		if bug := recover(); bug != nil {
			h := helperBug{bug, debug.Stack()}
			w.send(call(func(*Workspace) { panic(h) }))
		}
	}()
	f()
}

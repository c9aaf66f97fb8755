package workspace

import (
	"fmt"
	"time"

	"wf/api"
	"wf/executor"
)

// A run is held while its executor cannot serve it: a runner that dies again and again, or does not
// come up. Nothing is lost by that: what runs goes on, what is to start waits. The executor tries again
// by itself, with longer and longer pauses, and when somebody asks by attaching to the workfile.

// hold notes that the executor of r serves nothing at present, and until when.
func (r *run) hold(w *Workspace, rep executor.Report) {
	r.held = fmt.Sprintf("%s; tried again at %s, or when somebody attaches", rep.Message, rep.Time.Local().Format(time.TimeOnly))
	w.cfg.Log.Error("run held", "run", r.id, "err", rep.Message, "until", rep.Time)
	w.publish(api.Event{Type: api.RunHeld, Run: r.id, Message: r.held})
}

// resume notes that the executor serves again.
func (r *run) resume(w *Workspace) {
	r.held = ""
	w.cfg.Log.Info("run not held any more", "run", r.id)
	w.publish(api.Event{Type: api.RunReleased, Run: r.id})
}

// retryHeld makes held runs try again: somebody is looking.
func (w *Workspace) retryHeld() {
	for _, r := range w.runs {
		if r.held != "" && r.sess != nil {
			r.sess.Retry()
		}
	}
}

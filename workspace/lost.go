package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wf/api"
)

// The folder of a run may be removed while the run goes on, and it may be impossible to write there. What
// runs goes on. A run that has ended is over all the same if there is no folder to record it in, and who
// stops a run is answered even if that cannot be recorded yet.

// lost says what of the run's records is missing, "" if they are in their place.
func (r *run) lost() string {
	for _, path := range []string{r.dir, filepath.Join(r.dir, "journal")} {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("its history is lost: %s was removed while it went on", path)
		}
	}
	return ""
}

// keepFolder makes the folder of the workspace again if it was removed: what is known of the nodes goes
// there.
func (w *Workspace) keepFolder() error {
	made, err := w.store.Mend(w.given())
	if made {
		w.cfg.Log.Warn("the folder of a workspace was removed; it is made again", "workspace", w.id)
	}
	return err
}

// given is the highest number of a run that is known to have been given.
func (w *Workspace) given() int {
	n := w.through
	for _, r := range w.runs {
		n = max(n, r.n)
	}
	return n
}

// stopPatience is how long a stop waits for a result that cannot be written. Only tests change it.
var stopPatience = 3 * time.Second

// answerInTime answers the pending stop requests of a run after stopPatience, if its result is not written by then.
func (r *run) answerInTime(w *Workspace) {
	if r.waited {
		return
	}
	r.waited = true
	time.AfterFunc(stopPatience, func() {
		w.send(call(func(w *Workspace) {
			r.waited = false
			r.answerUnrecorded(w)
		}))
	})
}

// answerUnrecorded answers the pending stop requests if the run is held, and else looks again later.
func (r *run) answerUnrecorded(w *Workspace) {
	if r.phase == complete || len(r.onStop) == 0 {
		return
	}
	why := r.holds.why()
	if why == "" || r.phase != ended && len(r.live()) > 0 && time.Since(r.stopAsked) < r.grace()+stopPatience {
		r.answerInTime(w)
		return
	}
	res := r.stopResult()
	res.Going = true
	if res.Problem = "its end cannot be recorded yet: " + why; len(r.live()) > 0 {
		res.Problem = fmt.Sprintf("what has become of %d executions cannot be recorded yet: %s", len(r.live()), why)
	}
	r.answerStop(res)
}

// answerStop answers all who wait for the end of the run.
func (r *run) answerStop(res api.StopResult) {
	for _, reply := range r.onStop {
		reply(res, nil)
	}
	r.onStop = nil
}

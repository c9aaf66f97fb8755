package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/workspace/runstate"
)

// The folder of a run may be removed or become read-only while the run goes on. Running commands go on. A run that has ended
// is over even if there is no folder to record that in, and a request to stop gets an answer even if the end cannot be
// recorded yet.

// lostRecord says which record in the folder of a run is missing; "" if all are there.
func lostRecord(dir string) string {
	for _, path := range []string{dir, filepath.Join(dir, "journal")} {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("its history is lost: %s was removed while it went on", path)
		}
	}
	return ""
}

// keepFolder makes the folder of the workspace again if it was removed. Numbers of runs up to last are taken. It is called on a
// helper.
func (w *Workspace) keepFolder(last int) error {
	made, err := w.store.Mend(last)
	if made {
		w.cfg.Log.Warn("the folder of a workspace was removed; it is made again", "workspace", w.id)
	}
	return err
}

// given returns the highest run number that is known to be taken.
func (w *Workspace) given() int {
	n := w.file.Statuses().Through()
	for _, r := range w.runs {
		n = max(n, r.Number)
	}
	return n
}

// stopPatience is how long a stop waits for a result that cannot be written. Tests shorten it.
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

// answerUnrecorded answers the pending stop requests if the run is held; otherwise it looks again later.
func (r *run) answerUnrecorded(w *Workspace) {
	if r.Phase == runstate.Complete || len(r.onStop) == 0 {
		return
	}
	why := r.holds.why()
	if why == "" || r.Phase != runstate.Ended && len(r.live()) > 0 && time.Since(r.stopAsked) < r.Grace()+stopPatience {
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

// answerStop answers all requests that wait for the end of the run.
func (r *run) answerStop(res api.StopResult) {
	for _, reply := range r.onStop {
		reply(res, nil)
	}
	r.onStop = nil
}

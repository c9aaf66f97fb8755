package activerun

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

// lostRecord says which record in the folder of a run is missing; "" if all are there.
func lostRecord(dir string) string {
	for _, path := range []string{dir, filepath.Join(dir, "journal")} {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("its history is lost: %s was removed while it went on", path)
		}
	}
	return ""
}

// StopPatience is how long a stop waits for a result that cannot be written. Tests shorten it.
var StopPatience = 3 * time.Second

// answerInTime answers the pending stop requests of a run after stopPatience, if its result is not written by then.
func (r *Run) answerInTime() {
	if r.waited {
		return
	}
	r.waited = true
	time.AfterFunc(StopPatience, func() {
		r.host.Loop.Post(func() {
			r.waited = false
			r.answerUnrecorded()
		})
	})
}

// answerUnrecorded answers the pending stop requests if the run is held; otherwise it looks again later.
func (r *Run) answerUnrecorded() {
	if r.Phase == runstate.Complete || len(r.onStop) == 0 {
		return
	}
	why := r.holds.why()
	if why == "" || r.Phase != runstate.Ended && len(r.live()) > 0 && time.Since(r.stopAsked) < r.Grace()+StopPatience {
		r.answerInTime()
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
func (r *Run) answerStop(res api.StopResult) {
	for _, reply := range r.onStop {
		reply(res, nil)
	}
	r.onStop = nil
}

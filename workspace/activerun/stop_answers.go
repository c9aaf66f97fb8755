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

// lostRecord returns a message if the folder or the journal of a run was removed; "" if both exist.
func lostRecord(dir string) string {
	for _, path := range []string{dir, filepath.Join(dir, "journal")} {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("its history is lost: %s was removed while it went on", path)
		}
	}
	return ""
}

// DefaultStopPatience is the usual Host.StopPatience.
const DefaultStopPatience = 3 * time.Second

// answerUnrecorded answers the pending stop requests after StopPatience if the run is held. Otherwise it checks again after StopPatience.
func (st *stopping) answerUnrecorded() {
	if st.run.Phase == runstate.Complete || len(st.onStop) == 0 {
		return
	}
	why := st.run.journal.holds.why()
	if why == "" || st.run.Phase != runstate.Ended && len(st.run.live()) > 0 && time.Since(st.stopAsked) < st.run.Grace()+st.run.host.StopPatience {
		st.patience.Reset(st.run.host.StopPatience)
		return
	}
	res := st.stopResult()
	res.Going = true
	if res.Problem = "its end cannot be recorded yet: " + why; len(st.run.live()) > 0 {
		res.Problem = fmt.Sprintf("what has become of %d executions cannot be recorded yet: %s", len(st.run.live()), why)
	}
	st.answerStop(res)
}

// answerStop answers all requests that wait for the end of the run.
func (st *stopping) answerStop(res api.StopResult) {
	for _, reply := range st.onStop {
		reply(res, nil)
	}
	st.onStop = nil
	st.patience.Stop()
}

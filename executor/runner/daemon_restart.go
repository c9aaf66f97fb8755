package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A run without a daemon goes on, but no further jobs arrive. The runner waits for another process to start a daemon,
// then starts one itself, with longer and longer pauses.
const (
	daemonRestartDelay = 3 * time.Second
	longestDaemonPause = 5 * time.Minute
)

// daemonRestart is how long a runner has been without a daemon.
type daemonRestart struct {
	next  time.Time // when to start a daemon; zero = there is a connection
	pause time.Duration
}

// restartDaemon starts a daemon when it is time.
func (r *runner) restartDaemon(now time.Time) {
	switch {
	case len(r.links.all) > 0 || r.closing.requested:
		r.restart = daemonRestart{}
	case r.restart.next.IsZero():
		r.restart = daemonRestart{now.Add(daemonRestartDelay), daemonRestartDelay}
		r.listener.keep(now)
	case now.Before(r.restart.next):
		r.listener.keep(now)
	case len(r.children.running)+len(r.adopted()) == 0 && folderGone(r.dir): // jobs whose fork entry could not be written never start
		r.close()
	default:
		r.restart.pause = min(2*r.restart.pause, longestDaemonPause)
		r.restart.next = now.Add(r.restart.pause)
		if err := r.options.StartDaemon(); err != nil {
			fmt.Fprintln(os.Stderr, "runner: start a daemon:", err)
		}
	}
}

// folderGone reports whether the folder of the run has been removed, so that no daemon can find the run.
func folderGone(dir string) bool {
	_, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

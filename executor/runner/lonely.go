package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// A run without a daemon goes on, but nothing follows from what its commands do. The runner waits for a
// daemon that somebody else starts, then starts one itself, with longer and longer pauses.
const (
	lonelyPatience = 3 * time.Second
	longestLonely  = 5 * time.Minute
)

// lonely is how long a runner has been without a daemon.
type lonely struct {
	next  time.Time // when to call for one; zero = there is one
	pause time.Duration
}

// callForDaemon starts a daemon when it is time.
func (r *runner) callForDaemon(now time.Time) {
	switch {
	case len(r.links) > 0 || r.closing:
		r.lonely = lonely{}
	case r.lonely.next.IsZero():
		r.lonely = lonely{now.Add(lonelyPatience), lonelyPatience}
		r.keepPlace(now)
	case now.Before(r.lonely.next):
		r.keepPlace(now)
	case r.forgotten():
		r.close()
	default:
		r.lonely.pause = min(2*r.lonely.pause, longestLonely)
		r.lonely.next = now.Add(r.lonely.pause)
		if err := r.options.StartDaemon(); err != nil {
			fmt.Fprintln(os.Stderr, "runner: start a daemon:", err)
		}
	}
}

// forgotten reports whether no daemon will ever find this run: its folder is gone, and nothing that it has
// started is going any more.
func (r *runner) forgotten() bool {
	_, err := os.Lstat(r.dir)
	return errors.Is(err, fs.ErrNotExist) && r.going() == 0
}

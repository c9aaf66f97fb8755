package runner

import (
	"time"

	"wf/executor/wire"
)

// news are the start and end entries of the run, as lines for the daemon.
type news struct {
	log     *runnerLog
	text    []byte    // all that was announced since the start of the run: a later daemon gets it again
	pending []byte    // appended to the log, not announced
	hasEnd  bool      // pending contains an end
	hurry   bool      // pending contains an end that may lead to jobs that the daemon has not handed over
	crowded bool      // an end in pending has made more jobs ready than there are places
	since   time.Time // when pending was first found to be not empty
	last    time.Time // when news were last taken to be announced
}

// add adds an appended entry if it is one for the daemon.
func (n *news) add(kind string, line []byte) {
	switch kind {
	case wire.EntryEnd:
		n.hasEnd = true
		fallthrough
	case wire.EntryStart:
		n.pending = append(append(n.pending, line...), '\n')
	}
}

// due reports whether to announce the pending news now. It returns true at once if an end is among them and the daemon
// must react: because no job is left, because there is a free place for which the daemon may have a job, or because jobs
// wait for places that the daemon may grant. Otherwise the news wait for more, see dueTime.
func (n *news) due(now time.Time, j *jobs) bool {
	if len(n.pending) == 0 {
		return false
	}
	if n.since.IsZero() {
		n.since = now
	}
	idle := j.occupied() < j.width
	return n.hasEnd && (n.crowded || n.hurry && idle || len(j.active) == 0) || !now.Before(n.dueTime())
}

// dueTime returns when to announce news to which the daemon need not react: soon after they were found, unless others have
// been announced a moment ago.
func (n *news) dueTime() time.Time {
	soon, next := n.since.Add(quietDelay), n.last.Add(announceDelay)
	if next.After(soon) {
		return next
	}
	return soon
}

// take returns the pending news and empties them. The lines are valid until the next add.
func (n *news) take() []byte {
	lines := n.pending
	if len(lines) > 0 {
		n.last = time.Now()
	}
	n.pending, n.hasEnd, n.hurry, n.crowded, n.since = n.pending[:0], false, false, false, time.Time{}
	return lines
}

// waitsForWrite reports whether there are pending news that must be written before they are announced.
func (n *news) waitsForWrite() bool { return n.log.unwritten && len(n.pending) > 0 }

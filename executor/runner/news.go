package runner

import (
	"time"

	"wf/executor/wire"
)

// news are the start and end entries of the run, as lines for the daemon.
type news struct {
	log     *runnerLog
	text    []byte    // all that was announced since the run started: a later daemon wants it
	pending []byte    // appended to the log and not announced
	hasEnd  bool      // pending contains an end
	crowded bool      // an end in pending has let more jobs go than there were places
	since   time.Time // when pending was first looked at
}

// add adds an entry that was appended to the log if it is for the daemon.
func (n *news) add(kind string, line []byte) {
	switch kind {
	case wire.EntryEnd:
		n.hasEnd = true
		fallthrough
	case wire.EntryStart:
		n.pending = append(append(n.pending, line...), '\n')
	}
}

// due reports whether the pending news are to be announced. idle: there is a place for an execution and no job waits
// for it.
func (n *news) due(now time.Time, idle bool) bool {
	if len(n.pending) == 0 {
		return false
	}
	if n.since.IsZero() {
		n.since = now
	}
	return n.hasEnd && (n.crowded || idle) || now.Sub(n.since) >= announceDelay
}

// take returns the pending news and empties them. The lines are valid until the next add.
func (n *news) take() []byte {
	lines := n.pending
	n.pending, n.hasEnd, n.crowded, n.since = n.pending[:0], false, false, time.Time{}
	return lines
}

// unheard reports whether there are news that cannot be announced before they are written.
func (n *news) unheard() bool { return n.log.unwritten && len(n.pending) > 0 }

package runner

import (
	"time"

	"wf/executor/wire"
)

// A Log is the append-only file in which a runner records what it does. The runner is its only writer and uses it from
// one goroutine. After an error of Flush, Sync or Reserve (the disk is full, or fails) nothing is lost: the next call
// tries again. Package history implements it.
type Log interface {
	// Append adds one line of JSON without a line feed. It copies the line and may keep it in memory.
	Append(line []byte) error
	// Flush writes the appended lines: they survive the death of the runner.
	Flush() error
	// Sync flushes, and returns when the lines are on the disk: they survive a crash of the machine.
	Sync() error
	// Reserve makes sure that n more bytes than appended so far can be written even if the disk gets full.
	Reserve(n int) error
	// Check returns an error if the file is no longer in its place, where the next runner looks for it.
	Check() error
	Close() error
}

// OpenLog opens the log at path, or creates it, and calls replay for each of its lines in order. A line is valid only
// during the call.
type OpenLog func(path string, replay func(line []byte) error) (Log, error)

// save writes the appended entries.
func (r *runner) save() {
	if r.log.broken {
		return
	}
	err := r.log.file.Flush()
	r.log.urgent = false
	if r.log.unwritten = err != nil; r.log.unwritten {
		r.holdFor(logError(err))
		return
	}
	r.log.count.save(false)
}

// sync writes and syncs the appended entries, and with them the intents of the jobs that are next. It reports whether
// that succeeded; if not, a later turn tries again.
func (r *runner) sync() bool {
	if r.log.broken {
		return false
	}
	r.recordIntents(time.Now())
	if err := r.log.file.Sync(); err != nil {
		r.log.unwritten = true // it may be written, but that is not certain
		r.log.unsynced = time.Now().Add(r.options.Pause - syncDelay)
		r.holdFor(logError(err))
		return false
	}
	r.log.urgent, r.log.unwritten, r.log.unsynced = false, false, time.Time{}
	r.log.count.save(true)
	r.jobs.queue.synced()
	r.jobs.gates.synced()
	return true
}

// append encodes an entry and appends it to the file.
func (l *runnerLog) append(e *wire.Entry) error {
	l.line = e.Append(l.line[:0])
	if err := l.file.Append(l.line); err != nil {
		return err
	}
	l.count.appended++
	if e.Kind != wire.EntryFork && e.Kind != wire.EntryStart && l.unsynced.IsZero() {
		l.unsynced = time.Now() // fork and start entries mean nothing after a crash of the machine
	}
	return nil
}

package runner

import (
	"time"

	"wf/executor/wire"
)

// A Record is the append-only file in which a runner keeps what it did. The runner is its only
// writer and uses it from one goroutine. An error of Flush, Sync and Reserve (the disk is full, or
// fails) says that it did not work this time: nothing is lost, and the next call does it again.
// Package history implements it.
type Log interface {
	// Append takes one line of JSON without a line feed; it is copied and may wait in memory.
	Append(line []byte) error
	// Flush writes what was appended: from then on it survives the death of the runner.
	Flush() error
	// Sync does Flush and returns when the disk has it: it survives the death of the machine.
	Sync() error
	// Reserve sees to it that n bytes more than what was appended can be written even if the disk
	// gets full.
	Reserve(n int) error
	// Check reports whether the record is still in its place, where the next runner looks for it.
	Check() error
	Close() error
}

// OpenLog opens the record at path, or creates it, and calls replay for each line in it, in
// order; the line is valid during the call only.
type OpenLog func(path string, replay func(line []byte) error) (Log, error)

// save writes what was noted.
func (r *runner) save() {
	if r.log.broken {
		return
	}
	err := r.log.file.Flush()
	if r.log.unwritten = err != nil; r.log.unwritten {
		r.holdFor(recordError(err))
		return
	}
	r.log.count.save(false)
}

// sync brings what was noted to the disk, and with it the intents of those who come next. It reports
// whether it has; if not, it is done again later.
func (r *runner) sync() bool {
	if r.log.broken {
		return false
	}
	r.recordIntents(time.Now())
	if err := r.log.file.Sync(); err != nil {
		r.log.unwritten = true // perhaps it is, but not where it can be relied on
		r.log.unsynced = time.Now().Add(r.options.Pause - syncDelay)
		r.holdFor(recordError(err))
		return false
	}
	r.log.unwritten, r.log.unsynced = false, time.Time{}
	r.log.count.save(true)
	r.jobs.queue.synced()
	r.jobs.gates.synced()
	return true
}

// append encodes an entry, into line, and appends it to the file.
func (l *runnerLog) append(e *wire.Entry) error {
	l.line = e.Append(l.line[:0])
	if err := l.file.Append(l.line); err != nil {
		return err
	}
	l.count.appended++
	if e.Kind != wire.EntryFork && e.Kind != wire.EntryStart && l.unsynced.IsZero() {
		l.unsynced = time.Now() // a crash of the machine makes the others meaningless anyway
	}
	return nil
}

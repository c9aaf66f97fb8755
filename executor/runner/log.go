package runner

import "time"

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
	if r.broken {
		return
	}
	err := r.record.Flush()
	if r.unwritten = err != nil; r.unwritten {
		r.holdStarts(recordError(err))
		return
	}
	r.tally.save(false)
}

// sync brings what was noted to the disk, and with it the intents of those who come next. It reports
// whether it has; if not, it is done again later.
func (r *runner) sync() bool {
	if r.broken {
		return false
	}
	r.intendAhead(time.Now())
	if err := r.record.Sync(); err != nil {
		r.unwritten = true // perhaps it is, but not where it can be relied on
		r.unsynced = time.Now().Add(r.options.Pause - syncDelay)
		r.holdStarts(recordError(err))
		return false
	}
	r.unwritten, r.unsynced = false, time.Time{}
	r.tally.save(true)
	r.queue.synced()
	r.gates.synced()
	return true
}

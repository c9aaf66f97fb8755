package runner

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/wire"
)

// A run is held while starting more commands would do harm: its log cannot be written, its disk is full, or the machine
// has no process left. Running commands go on and can be stopped. Starts wait until the cause is gone, which is checked
// every Options.Pause.

// hold says until when nothing is started; links.held has the reason.
type hold struct {
	till     time.Time // when to check again
	short    bool      // a fork failed for a shortage: only another fork can show that it is over
	measured time.Time // when the free space of the disk was last found to be enough
}

// spacePause is the time between two checks of the free space while there is enough.
const spacePause = 10 * time.Millisecond

const (
	// spaceLeast is how much free space, in bytes, the disk of a run must have for a start: with less, commands
	// would begin only to fail. spaceAgain is how much ends the hold.
	spaceLeast = 1 << 20
	spaceAgain = 2 << 20
	// entryRoom is the most that the entries of one execution take in the log from its fork on, in bytes. Messages
	// are sentences, except for the list of processes that survived KILL.
	entryRoom = 600
	// logRoom is room for the other entries that a run may have to write while its disk is full.
	logRoom = 4096
)

// mayStart reports whether e can be forked now, and holds the run if not. A start needs room in the log for the ends of
// all running executions, free space on the disk, and output files.
func (r *runner) mayStart(e *execution, now time.Time) bool {
	if now.Before(r.hold.till) {
		return false
	}
	err := r.startObstacle(now)
	if err == nil && e.slot == nil {
		if e.slot, err = r.outputs.slots.take(e.job.Merge); err == nil {
			e.number = e.slot.number
		}
	}
	if err != nil {
		r.holdFor(err)
		return false
	}
	if !r.hold.short {
		r.links.hold("")
	}
	return true
}

// startObstacle returns why nothing should be started, or nil.
func (r *runner) startObstacle(now time.Time) error {
	if err := r.checkFiles(now); err != nil {
		return err
	}
	if err := r.log.file.Reserve((r.jobs.occupied()+1)*entryRoom + logRoom); err != nil {
		return logError(err)
	}
	least := int64(spaceLeast)
	if r.links.held != "" {
		least = spaceAgain
	}
	if r.links.held == "" && now.Sub(r.hold.measured) < spacePause {
		return nil
	}
	if free := freeSpace(r.dir); free < least {
		return fmt.Errorf("the disk is full: %d kB are free in %s", free>>10, r.dir)
	}
	r.hold.measured = now
	return nil
}

// freeSpace returns how many bytes this user can still write on the disk of dir. If that is unknown it returns a very
// large number.
func freeSpace(dir string) int64 {
	const unknown = 1 << 62
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Blocks == 0 {
		return unknown
	}
	blocks := uint64(st.Bavail)
	if os.Geteuid() == 0 {
		blocks = st.Bfree
	}
	return int64(min(blocks, unknown/uint64(st.Bsize)) * uint64(st.Bsize))
}

func logError(err error) error { return fmt.Errorf("the runner log: %w", err) }

// holdFor holds the run for Options.Pause.
func (r *runner) holdFor(err error) {
	r.hold.till = time.Now().Add(r.options.Pause)
	r.links.hold(err.Error())
}

// endHold ends the hold if its cause is gone.
func (r *runner) endHold(now time.Time) {
	if r.links.held == "" || r.log.broken || now.Before(r.hold.till) {
		return
	}
	if r.hold.short && r.jobs.queue.first() != nil { // only the next fork can show
		if r.jobs.occupied() >= r.jobs.width {
			r.hold.till = now.Add(r.options.Pause)
		}
		return
	}
	r.hold.short = false
	if !r.sync() {
		return
	}
	if err := r.startObstacle(now); err != nil {
		r.holdFor(err)
		return
	}
	r.links.hold("")
}

// nextStart returns when to try the next start, if a job waits for one or the run is held.
func (r *runner) nextStart() (at time.Time, any bool) {
	e := r.jobs.queue.first()
	wanted := e != nil && r.jobs.occupied() < r.jobs.width
	if r.log.broken || !wanted && r.links.held == "" {
		return at, false
	}
	at = r.hold.till
	if wanted && e.retryAt.After(at) {
		at = e.retryAt
	}
	return at, true
}

// retryWhileTemporary calls f, a step of the runner's start, until it succeeds or fails with an error that is not
// temporary. It reports the error to the daemon. If the daemon is gone it returns: the next daemon starts another runner.
func (o Options) retryWhileTemporary(f func() error) error {
	for {
		err := f()
		if !fault.Temporary(err) {
			return err
		}
		held := wire.AppendLine(nil, wire.Notice{Kind: wire.LineHeld, Message: err.Error()})
		if _, gone := unix.Write(wire.ConnectionFD, held); gone != nil {
			return err
		}
		time.Sleep(o.Pause)
	}
}

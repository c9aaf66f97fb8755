package runner

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/wire"
)

// A run is held while starting more would do harm: its record cannot be written, its disk is full,
// the machine has no process left. What runs goes on, is waited for and can be stopped; starts wait
// until the trouble is over, which is looked for every holdPause.

// reportHeld is why and until when nothing is started. Its fields belong to the runner's loop.
type hold struct {
	till  time.Time // when to try again
	short bool      // a fork lacked something: only a fork can tell that there is more
}

const (
	// spaceLeast is how much room, in bytes, the disk of a run must have for more to be started:
	// with less, commands would begin only to fail for want of it. spaceAgain is how much ends that.
	spaceLeast = 1 << 20
	spaceAgain = 2 << 20
	// entryRoom is what the entries of one execution from its fork on take in the record, at most.
	// Messages are sentences, but for a list of survivors of KILL.
	entryRoom = 600
	// recordRoom is what else a run may have to write when its disk is full.
	recordRoom = 4096
)

// mayStart reports whether e can be forked now, and holds the run if not: there must be room in the
// record for the ends of all that are going, some on the disk, and output files.
func (r *runner) mayStart(e *execution, now time.Time) bool {
	if now.Before(r.hold.till) {
		return false
	}
	err := r.trouble(now)
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

// trouble returns why nothing should be started.
func (r *runner) trouble(now time.Time) error {
	if err := r.guarded(now); err != nil {
		return err
	}
	if err := r.log.file.Reserve((r.jobs.going()+1)*entryRoom + recordRoom); err != nil {
		return recordError(err)
	}
	least := int64(spaceLeast)
	if r.links.held != "" {
		least = spaceAgain
	}
	if free := freeSpace(r.dir); free < least {
		return fmt.Errorf("the disk is full: %d kB are free in %s", free>>10, r.dir)
	}
	return nil
}

// freeSpace returns how many bytes this user may still write on the disk of dir. One that does not
// know is taken for large.
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

func recordError(err error) error { return fmt.Errorf("the record of the run: %w", err) }

// holdFor has starts wait for a while.
func (r *runner) holdFor(err error) {
	r.hold.till = time.Now().Add(r.options.Pause)
	r.links.hold(err.Error())
}

// endHold looks whether what holds the run is over.
func (r *runner) endHold(now time.Time) {
	if r.links.held == "" || r.log.broken || now.Before(r.hold.till) {
		return
	}
	if r.hold.short && r.jobs.queue.first() != nil { // the next fork will tell
		if r.jobs.going() >= r.jobs.width {
			r.hold.till = now.Add(r.options.Pause)
		}
		return
	}
	r.hold.short = false
	if !r.sync() {
		return
	}
	if err := r.trouble(now); err != nil {
		r.holdFor(err)
		return
	}
	r.links.hold("")
}

// nextStart returns when a start is to be tried, if somebody waits for one or the run is held.
func (r *runner) nextStart() (at time.Time, any bool) {
	e := r.jobs.queue.first()
	wanted := e != nil && r.jobs.going() < r.jobs.width
	if r.log.broken || !wanted && r.links.held == "" {
		return at, false
	}
	at = r.hold.till
	if wanted && e.retryAt.After(at) {
		at = e.retryAt
	}
	return at, true
}

// retryWhileTemporary repeats f, with which a runner begins, while the machine fails it. The daemon is told
// why; when it has gone the next one starts another runner.
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

package activerun

import (
	"errors"
	"slices"
	"time"

	"wf/executor"
	"wf/workspace/history"
)

// The loop appends records to the journal of a run and writes them without a sync. Helpers wait for the disk, and what depends on
// that waits for them: the answer to a decision, and jobs whose node numbers are new.

// The journal reserves disk space, in bytes, for the last records of each execution that is going and for the end of the run.
const (
	journalRoomEach = 600
	journalRoomRest = 4096
)

// Records stay in memory until they are durable, see history.Log. syncAt is how many bytes of them cause a sync, and with
// unsyncedMost nothing more starts.
const (
	syncAt       = 1 << 20
	unsyncedMost = 16 << 20
)

// journal is the journal of a run, and what waits for the disk.
type journal struct {
	hist     *history.Run
	syncing  *journalSync
	awaiting []func(error) // called after the next sync

	numbers   int  // node numbers that are durable
	numbering bool // a sync is to make more of them durable
	undecided int  // decisions of people that are not durable yet
}

// journalSync is a sync in progress.
type journalSync struct {
	result chan error // of the helper, one
	done   []func(error)
}

// FlushJournal writes the pending records. It returns false if that is impossible at present.
func (r *Run) FlushJournal() bool {
	switch {
	case r.hist == nil || r.completing: // a helper writes the last record
		return true
	case r.holds.journal != "" && time.Now().Before(r.holds.till):
		return false
	}
	err := r.hist.Flush()
	if err == nil && r.holds.journal != "" {
		err = r.hist.Reserve(journalRoom(r))
	}
	if !r.journalWorks(err) {
		return false
	}
	r.hold(&r.holds.journal, "")
	if r.syncing == nil && r.hist.Unsynced() > syncAt {
		r.syncJournal(func(error) {})
	}
	return true
}

// journalWorks handles the error of an operation of the journal. It returns false if there is one.
func (r *Run) journalWorks(err error) bool {
	switch {
	case err == nil:
		return true
	case !errors.Is(err, history.ErrUnreliable):
		r.notRecorded("what happens in it", err)
	case r.syncing == nil: // the run is held only if the disk refuses this sync, too
		r.syncJournal(func(error) {})
	}
	return false
}

// syncJournal makes the records so far durable. Then, or when the disk has refused that, it calls done on the loop, perhaps at once.
func (r *Run) syncJournal(done func(error)) {
	r.awaiting = append(r.awaiting, done)
	r.startSync()
}

// startSync starts the next sync if something awaits it and none is in progress.
func (r *Run) startSync() {
	if r.syncing != nil || len(r.awaiting) == 0 || r.completing {
		return
	}
	s := &journalSync{make(chan error, 1), r.awaiting}
	r.awaiting = nil
	if r.holds.journal != "" && time.Now().Before(r.holds.till) {
		s.end(errors.New(r.holds.why()))
		return
	}
	if err := r.hist.Flush(); err != nil && !errors.Is(err, history.ErrUnreliable) {
		r.notRecorded("what happens in it", err)
		s.end(err)
		return
	}
	wait := r.hist.StartSync()
	if wait == nil {
		s.end(nil)
		return
	}
	r.syncing = s
	r.host.Loop.Run(func() {
		s.result <- wait()
		r.host.Loop.Post(r.synced)
	})
}

// synced ends a sync.
func (r *Run) synced() {
	s := r.syncing
	r.syncing = nil
	err := r.hist.EndSync(<-s.result)
	switch {
	case errors.Is(err, history.ErrUnreliable):
		r.awaiting = append(s.done, r.awaiting...)
	case err != nil:
		r.notRecorded("what happens in it", err)
		fallthrough
	default:
		s.end(err)
	}
	r.startSync()
}

func (s *journalSync) end(err error) {
	for _, done := range s.done {
		done(err)
	}
}

// closeJournal closes the journal of a run that goes on without this daemon. It waits for the disk.
func (r *Run) closeJournal() {
	if r.hist == nil || r.completing { // a helper closes it with the last record
		return
	}
	if s := r.syncing; s != nil {
		_ = r.hist.EndSync(<-s.result) // clients get no answer and ask the next daemon
		r.syncing = nil
	}
	r.hist.Close()
}

// mayHandOver returns the first jobs that the executor may get now. The others wait for a sync.
//
// Node numbers of instances depend on the order of events. If a power cut took that order from the journal, the runner's log would
// be read as if it were about other nodes. A decision of a person is durable before anything follows from it.
func (r *Run) mayHandOver(jobs []executor.Job) []executor.Job {
	if r.undecided > 0 {
		return nil
	}
	unknown := func(j executor.Job) bool { return j.ID.Node >= max(r.numbers, r.OuterNodes()) }
	if !slices.ContainsFunc(jobs, unknown) {
		return jobs
	}
	if !r.numbering {
		r.numbering = true
		numbers := len(r.Nodes)
		r.syncJournal(func(err error) {
			if r.numbering = false; err == nil {
				r.numbers = numbers
			}
		})
	}
	if n := slices.IndexFunc(jobs, unknown); n >= 0 {
		return jobs[:n]
	}
	return jobs
}

// journalRoom returns how many bytes the last records of a run need.
func journalRoom(r *Run) int { return (r.InFlight+len(r.gated)+1)*journalRoomEach + journalRoomRest }

// mayTake reports whether the journal has room for the records of one more execution.
func (r *Run) mayTake() bool {
	return r.holds.journal == "" && r.hist.Unsynced() <= unsyncedMost && r.journalWorks(r.hist.Reserve(journalRoom(r)))
}

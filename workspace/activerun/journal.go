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
	run      *Run
	holds    holds
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
func (jo *journal) FlushJournal() bool {
	switch {
	case jo.hist == nil || jo.run.ending.completing: // a helper writes the last record
		return true
	case jo.holds.journal != "" && time.Now().Before(jo.holds.till):
		return false
	}
	err := jo.hist.Flush()
	if err == nil && jo.holds.journal != "" {
		err = jo.hist.Reserve(journalRoom(jo.run))
	}
	if !jo.journalWorks(err) {
		return false
	}
	jo.hold(&jo.holds.journal, "")
	if jo.syncing == nil && jo.hist.Unsynced() > syncAt {
		jo.syncJournal(func(error) {})
	}
	return true
}

// journalWorks handles the error of an operation of the journal. It returns false if there is one.
func (jo *journal) journalWorks(err error) bool {
	switch {
	case err == nil:
		return true
	case !errors.Is(err, history.ErrUnreliable):
		jo.notRecorded("what happens in it", err)
	case jo.syncing == nil: // the run is held only if the disk refuses this sync, too
		jo.syncJournal(func(error) {})
	}
	return false
}

// syncJournal makes the records so far durable. Then, or when the disk has refused that, it calls done on the loop, perhaps at once.
func (jo *journal) syncJournal(done func(error)) {
	jo.awaiting = append(jo.awaiting, done)
	jo.startSync()
}

// startSync starts the next sync if something awaits it and none is in progress.
func (jo *journal) startSync() {
	if jo.syncing != nil || len(jo.awaiting) == 0 || jo.run.ending.completing {
		return
	}
	s := &journalSync{make(chan error, 1), jo.awaiting}
	jo.awaiting = nil
	if jo.holds.journal != "" && time.Now().Before(jo.holds.till) {
		s.end(errors.New(jo.holds.why()))
		return
	}
	if err := jo.hist.Flush(); err != nil && !errors.Is(err, history.ErrUnreliable) {
		jo.notRecorded("what happens in it", err)
		s.end(err)
		return
	}
	wait := jo.hist.StartSync()
	if wait == nil {
		s.end(nil)
		return
	}
	jo.syncing = s
	jo.run.host.Loop.Run(func() {
		s.result <- wait()
		jo.run.host.Loop.Post(jo.synced)
	})
}

// synced ends a sync.
func (jo *journal) synced() {
	s := jo.syncing
	jo.syncing = nil
	err := jo.hist.EndSync(<-s.result)
	switch {
	case errors.Is(err, history.ErrUnreliable):
		jo.awaiting = append(s.done, jo.awaiting...)
	case err != nil:
		jo.notRecorded("what happens in it", err)
		fallthrough
	default:
		s.end(err)
	}
	jo.startSync()
}

func (s *journalSync) end(err error) {
	for _, done := range s.done {
		done(err)
	}
}

// closeJournal closes the journal of a run that goes on without this daemon. It waits for the disk.
func (jo *journal) closeJournal() {
	if jo.hist == nil || jo.run.ending.completing { // a helper closes it with the last record
		return
	}
	if s := jo.syncing; s != nil {
		_ = jo.hist.EndSync(<-s.result) // clients get no answer and ask the next daemon
		jo.syncing = nil
	}
	jo.hist.Close()
}

// mayHandOver returns the first jobs that the executor may get now. The others wait for a sync.
//
// Node numbers of instances depend on the order of events. If a power cut took that order from the journal, the runner's log would
// be read as if it were about other nodes. A decision of a person is durable before anything follows from it.
func (jo *journal) mayHandOver(jobs []executor.Job) []executor.Job {
	if jo.undecided > 0 {
		return nil
	}
	unknown := func(j executor.Job) bool { return j.ID.Node >= max(jo.numbers, jo.run.OuterNodes()) }
	if !slices.ContainsFunc(jobs, unknown) {
		return jobs
	}
	if !jo.numbering {
		jo.numbering = true
		numbers := len(jo.run.Nodes)
		jo.syncJournal(func(err error) {
			if jo.numbering = false; err == nil {
				jo.numbers = numbers
			}
		})
	}
	if n := slices.IndexFunc(jobs, unknown); n >= 0 {
		return jobs[:n]
	}
	return jobs
}

// journalRoom returns how many bytes the last records of a run need.
func journalRoom(r *Run) int {
	return (r.InFlight+len(r.lookahead.gated)+1)*journalRoomEach + journalRoomRest
}

// hasRoom reports whether the journal has room for the records of one more execution.
func (jo *journal) hasRoom() bool {
	return jo.holds.journal == "" && jo.hist.Unsynced() <= unsyncedMost && jo.journalWorks(jo.hist.Reserve(journalRoom(jo.run)))
}

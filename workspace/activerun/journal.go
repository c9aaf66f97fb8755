package activerun

import (
	"errors"
	"slices"
	"time"

	"wf/executor"
	"wf/workspace/history"
)

// The loop appends records to the journal and writes them without a sync. Helpers sync the disk. What depends on durable
// records waits for them: the answer to a decision, and jobs with new node numbers.

// The journal reserves disk space for the last records of each live execution and of the run, in bytes.
const (
	journalRoomEach = 600
	journalRoomRest = 4096
)

// Records stay in memory until they are durable, see history.Log. The journal starts a sync when syncAt bytes are pending.
// With unsyncedMost bytes pending, no further execution starts.
const (
	syncAt       = 1 << 20
	unsyncedMost = 16 << 20
)

// journal is the journal of a run, with the callers that wait for a sync.
type journal struct {
	run      *Run
	holds    holds
	hist     *history.Run
	syncing  *journalSync
	awaiting []func(error) // called after the next sync

	numbers   int  // number of nodes whose numbers are durable
	numbering bool // a sync that makes more of them durable is in progress
	undecided int  // number of records with decisions of people, or values from outside, that are not durable yet
	unique    bool // it has records that cannot be made again from the runner log
}

// journalSync is a sync in progress.
type journalSync struct {
	result chan error // gets one value from the helper
	done   []func(error)
}

// keepReading delays jobs until the last record is durable: it contains values from outside of the run, which another daemon would
// not read again.
func (jo *journal) keepReading() {
	jo.unique = true
	jo.undecided++
	jo.syncJournal(func(error) { jo.undecided-- })
}

// FlushJournal writes the pending records. It returns false if they cannot be written at present.
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

// journalWorks handles the error of a journal operation. It returns false if there is one.
func (jo *journal) journalWorks(err error) bool {
	switch {
	case err == nil:
		return true
	case !errors.Is(err, history.ErrUnreliable):
		jo.notRecorded("what happens in it", err)
	case jo.syncing == nil: // the run is held only if a sync fails, too
		jo.syncJournal(func(error) {})
	}
	return false
}

// syncJournal makes all records so far durable and then calls done on the loop, with the error of the disk if there is one.
// If they are durable already, it calls done at once.
func (jo *journal) syncJournal(done func(error)) {
	jo.awaiting = append(jo.awaiting, done)
	jo.startSync()
}

// startSync starts a sync if a caller waits for one and none is in progress.
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

// synced handles the end of a sync.
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

// closeJournal closes the journal of a run that continues without this daemon. It waits for the disk.
func (jo *journal) closeJournal() {
	if jo.hist == nil || jo.run.ending.completing { // a helper closes it with the last record
		return
	}
	if s := jo.syncing; s != nil {
		_ = jo.hist.EndSync(<-s.result) // clients get no answer and repeat their requests to the next daemon
		jo.syncing = nil
	}
	jo.hist.Close()
}

// mayHandOver returns the leading jobs that the executor may get now. The others wait for a sync.
//
// The node numbers of instances depend on the order of events. If a power cut removed that order from the journal, the
// runner log would be attributed to other nodes. Likewise a person's decision must be durable before any job that depends on
// it starts.
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

// journalRoom returns how many bytes to reserve for the last records of a run.
func journalRoom(r *Run) int {
	return (r.InFlight()+len(r.lookahead.gated)+1)*journalRoomEach + journalRoomRest
}

// hasRoom reports whether the journal has room for the records of one more execution.
func (jo *journal) hasRoom() bool {
	return jo.holds.journal == "" && jo.hist.Unsynced() <= unsyncedMost && jo.journalWorks(jo.hist.Reserve(journalRoom(jo.run)))
}

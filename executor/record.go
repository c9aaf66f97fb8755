package executor

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// A Record is the append-only file in which a runner keeps what it did. The runner is its only
// writer and uses it from one goroutine. An error of Flush, Sync and Reserve (the disk is full, or
// fails) says that it did not work this time: nothing is lost, and the next call does it again.
// Package history implements it.
type Record interface {
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

// OpenRecord opens the record at path, or creates it, and calls replay for each line in it, in
// order; the line is valid during the call only.
type OpenRecord func(path string, replay func(line []byte) error) (Record, error)

// The kinds of entries, in the order in which one execution writes them.
const (
	entryRunner = "runner" // a runner began to write: what follows belongs to this boot
	entryIntent = "intent" // durable before the fork, perhaps long before
	entryFork   = "fork"   // written right before the fork: without it there was none, see orphan
	entryStart  = "start"
	entryForget = "forget" // there was no fork: the intent counts for nothing
	entryStop   = "stop"   // somebody wants it stopped
	entryExit   = "exit"   // the leader has exited, the rest of the stopped tree not yet
	entryEnd    = "end"    // written before it is announced
)

// An entry is a line of the record. Start and end entries are at the same time what the daemon is
// told: the news of a run is its record without the entries that only a new runner needs.
type entry struct {
	Kind      string `json:"k"`
	Node      int    `json:"n"`
	Execution int    `json:"e"`
	Time      int64  `json:"t,omitempty"` // Unix nanoseconds

	PID  int    `json:"p,omitempty"`    // start, runner
	Born window `json:"b,omitzero"`     // start; fork: the earliest moment only
	Boot string `json:"boot,omitempty"` // runner

	Slot int    `json:"s,omitempty"` // which pair of output files; 0 = none
	Out  extent `json:"o,omitzero"`
	Err  extent `json:"x,omitzero"`

	Code    int    `json:"c,omitempty"`
	Signal  int    `json:"g,omitempty"`
	Stopped bool   `json:"stopped,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Lost    bool   `json:"lost,omitempty"`
	User    int64  `json:"u,omitempty"` // nanoseconds
	System  int64  `json:"y,omitempty"`
	Message string `json:"m,omitempty"`
	Mark    string `json:"mark,omitempty"`  // fork: what the child will carry as WF_NODE_ID
	Noted   bool   `json:"noted,omitempty"` // fork: see birthNote
}

// An extent is the part of an output file that belongs to an execution: start and end in bytes,
// end -1 while it grows.
type extent [2]int64

// noExtent stands for standard error that goes to the file of standard output.
var noExtent = extent{-1, -1}

// A window is the earliest and the latest moment a process can have been born, in clock ticks
// since boot. Together with the pid and the boot it identifies a process.
type window [2]int64

func (w window) holds(born int64) bool { return w[0] <= born && born <= w[1] }

func (e *entry) id() ID { return ID{Node: e.Node, Execution: e.Execution} }

// append encodes the entry. By hand, since each execution is encoded four times and this costs a
// fifth of what encoding/json does.
func (e *entry) append(b []byte) []byte {
	b = append(b, `{"k":"`...)
	b = append(b, e.Kind...)
	b = append(b, `","n":`...)
	b = strconv.AppendInt(b, int64(e.Node), 10)
	b = append(b, `,"e":`...)
	b = strconv.AppendInt(b, int64(e.Execution), 10)
	b = appendNumber(b, "t", e.Time)
	b = appendNumber(b, "p", int64(e.PID))
	b = appendPair(b, "b", e.Born)
	b = appendText(b, "boot", e.Boot)
	b = appendNumber(b, "s", int64(e.Slot))
	b = appendPair(b, "o", e.Out)
	b = appendPair(b, "x", e.Err)
	b = appendNumber(b, "c", int64(e.Code))
	b = appendNumber(b, "g", int64(e.Signal))
	b = appendFlag(b, "stopped", e.Stopped)
	b = appendFlag(b, "failed", e.Failed)
	b = appendFlag(b, "lost", e.Lost)
	b = appendNumber(b, "u", e.User)
	b = appendNumber(b, "y", e.System)
	b = appendText(b, "m", e.Message)
	b = appendText(b, "mark", e.Mark)
	b = appendFlag(b, "noted", e.Noted)
	return append(b, '}')
}

func appendKey(b []byte, key string) []byte {
	b = append(b, ',', '"')
	b = append(b, key...)
	return append(b, '"', ':')
}

// The append functions leave out what is zero, as omitempty does for the reader's side.

func appendNumber(b []byte, key string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(appendKey(b, key), n, 10)
}

func appendPair(b []byte, key string, pair [2]int64) []byte {
	if pair == [2]int64{} {
		return b
	}
	b = append(appendKey(b, key), '[')
	b = strconv.AppendInt(b, pair[0], 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, pair[1], 10)
	return append(b, ']')
}

func appendFlag(b []byte, key string, set bool) []byte {
	if !set {
		return b
	}
	return append(appendKey(b, key), "true"...)
}

func appendText(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	return appendQuoted(appendKey(b, key), text)
}

func appendQuoted(b []byte, text string) []byte {
	if isPlainText(text) {
		return append(append(append(b, '"'), text...), '"')
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("internal error: a string has no JSON form: %v", err))
	}
	return append(b, quoted...)
}

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

package wire

import (
	"strconv"

	"wf/executor/jsonline"
	"wf/executor/proc"
)

// Succeeded reports whether an end opens gates. Callers of an executor count the same ends as success.
func (e *Entry) Succeeded() bool {
	return e.Code == 0 && e.Signal == 0 && !e.Stopped && !e.Failed && !e.Lost
}

// The kinds of entries, in the order in which they are written for one execution.
const (
	EntryRunner = "runner" // a runner has started; the entries that follow belong to its boot
	EntryIntent = "intent" // synced before the fork, perhaps long before
	EntryFork   = "fork"   // written right before the fork: without it there was no fork
	EntryStart  = "start"
	EntryForget = "forget" // there was no fork: the intent is void
	EntryStop   = "stop"   // it is being stopped
	EntryExit   = "exit"   // the leader has exited, other processes of the stopped execution may live
	EntryEnd    = "end"    // written before it is announced
)

// An Entry is a line of the runner log. The start and end entries are also the news that the daemon gets; only a new
// runner needs the others.
type Entry struct {
	Kind      string `json:"k"`
	Node      int    `json:"n"`
	Execution int    `json:"e"`
	Time      int64  `json:"t,omitempty"` // Unix nanoseconds

	PID         int         `json:"p,omitempty"`    // start, runner
	StartWindow proc.Window `json:"b,omitzero"`     // start; in a fork entry only the earliest moment
	Boot        string      `json:"boot,omitempty"` // runner

	Slot int    `json:"s,omitempty"` // number of the output files; 0 = none
	Out  Extent `json:"o,omitzero"`
	Err  Extent `json:"x,omitzero"`

	Code    int    `json:"c,omitempty"`
	Signal  int    `json:"g,omitempty"`
	Stopped bool   `json:"stopped,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Lost    bool   `json:"lost,omitempty"`
	User    int64  `json:"u,omitempty"` // nanoseconds
	System  int64  `json:"y,omitempty"`
	Peak    int64  `json:"r,omitempty"` // end: of memory, in bytes; 0 = unknown
	Message string `json:"m,omitempty"`
	Mark    string `json:"mark,omitempty"`  // fork: the child's WF_NODE_ID
	Noted   bool   `json:"noted,omitempty"` // fork: the kernel writes the pid into the fork note
}

// An Extent is the part of an output file that belongs to an execution: start and end in bytes. The end is -1 while the
// execution runs.
type Extent [2]int64

// NoExtent is the extent of standard error that is merged into the file of standard output.
var NoExtent = Extent{-1, -1}

// ID returns the execution that the entry is about.
func (e *Entry) ID() ID { return ID{Node: e.Node, Execution: e.Execution} }

// Append encodes the entry without a line feed. Each execution has four entries.
func (e *Entry) Append(b []byte) []byte {
	b = append(b, `{"k":"`...)
	b = append(b, e.Kind...)
	b = append(b, `","n":`...)
	b = strconv.AppendInt(b, int64(e.Node), 10)
	b = append(b, `,"e":`...)
	b = strconv.AppendInt(b, int64(e.Execution), 10)
	b = jsonline.AppendInt(b, "t", e.Time)
	b = jsonline.AppendInt(b, "p", int64(e.PID))
	b = appendPair(b, "b", e.StartWindow)
	b = jsonline.AppendText(b, "boot", e.Boot)
	b = jsonline.AppendInt(b, "s", int64(e.Slot))
	b = appendPair(b, "o", e.Out)
	b = appendPair(b, "x", e.Err)
	b = jsonline.AppendInt(b, "c", int64(e.Code))
	b = jsonline.AppendInt(b, "g", int64(e.Signal))
	b = jsonline.AppendTrue(b, "stopped", e.Stopped)
	b = jsonline.AppendTrue(b, "failed", e.Failed)
	b = jsonline.AppendTrue(b, "lost", e.Lost)
	b = jsonline.AppendInt(b, "u", e.User)
	b = jsonline.AppendInt(b, "y", e.System)
	b = jsonline.AppendInt(b, "r", e.Peak)
	b = jsonline.AppendText(b, "m", e.Message)
	b = jsonline.AppendText(b, "mark", e.Mark)
	b = jsonline.AppendTrue(b, "noted", e.Noted)
	return append(b, '}')
}

// appendPair appends two numbers, or nothing if both are zero.
func appendPair(b []byte, key string, pair [2]int64) []byte {
	if pair == [2]int64{} {
		return b
	}
	b = append(jsonline.AppendKey(b, key), '[')
	b = strconv.AppendInt(b, pair[0], 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, pair[1], 10)
	return append(b, ']')
}

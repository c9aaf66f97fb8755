package history

import (
	"encoding/json"
	"time"
)

// RecordType says what a record reports.
type RecordType string

// The types of records. Readers skip those they do not know.
const (
	RecordBegin    RecordType = "begin"    // the run begins
	RecordDispatch RecordType = "dispatch" // an execution is handed to the executor, irrevocably
	RecordStart    RecordType = "start"    // its process exists
	RecordWithdraw RecordType = "withdraw" // the executor gave it back before it began
	RecordEnd      RecordType = "end"      // the execution is over
	RecordStop     RecordType = "stop"     // somebody asked for the end of the run
	RecordCancel   RecordType = "cancel"   // somebody asked for the end of one node
	RecordTick     RecordType = "tick"     // a moment came that nodes waited for
	RecordClock    RecordType = "clock"    // the clock of the machine was set
	RecordDecide   RecordType = "decide"   // a person decided about a node
	RecordAnswer   RecordType = "answer"   // the time to answer was over: what a tick has decided, for people; replay skips it
	RecordComplete RecordType = "complete" // the run is over; always the last record
)

// NoNode is the Node of records about the whole run.
const NoNode = -1

// A Record is one line of a journal. Which fields are set depends on Type; zero values are absent
// from the line.
type Record struct {
	Seq  uint64     `json:"seq"` // from 1, without a gap; set by Run.Append
	Time time.Time  `json:"time"`
	Type RecordType `json:"type"`

	// Node is an index of the outer part of Request.Scope, or the number of a node of an instance, which
	// ID is the path of. NoNode for begin, stop, tick and complete.
	Node      int    `json:"node"`
	ID        string `json:"id"` // the node's id, for people who grep
	Execution int    `json:"execution"`

	PID      int    `json:"pid"`
	Command  string `json:"command"` // after wrapping
	OK       bool   `json:"ok"`
	Reason   string `json:"reason"`
	ExitCode int    `json:"exit_code"`
	Signal   int    `json:"signal"`
	Message  string `json:"message"`
	Cause    string `json:"cause"`  // why: words for people
	Client   string `json:"client"` // who asked
	Key      string `json:"key"`    // decide: of the request, see Request.Key
	User     string `json:"user"`   // decide: the system's name of who asked; Cause is the name that was given

	// Out and Err are where the execution's output lies. End is -1 while it is written.
	Out    Range `json:"out"`
	Err    Range `json:"err"`
	UserMS int64 `json:"user_ms"` // CPU time of the process and its waited-for children
	SysMS  int64 `json:"sys_ms"`

	// Outputs is a JSON object: end, what the command wrote to WF_OUTPUT; decide, the values that came
	// with the decision. Items is a JSON list: end, the items that the command of a sub-flow printed.
	Outputs json.RawMessage `json:"outputs"`
	Items   json.RawMessage `json:"items"`
	// Inputs is a JSON object: dispatch, what the command gets beyond the environment of the run.
	Inputs json.RawMessage `json:"inputs"`

	Result *Result `json:"result"` // complete

	Clocks *Clocks `json:"clocks"` // begin, clock
}

// Clocks are the wall clock, which can be set, and the time since boot, which cannot.
type Clocks struct {
	Boot string `json:"boot,omitempty"`  // which boot of the machine it was
	UpNS int64  `json:"up_ns,omitempty"` // the time since then
	ByNS int64  `json:"by_ns,omitempty"` // clock: by how much the clock of the machine was set forward
}

// A Range is a part of a file in the run's folder, in bytes.
type Range struct {
	File  string `json:"file"` // slash-separated, relative to the run's folder; "" = none
	Start int64  `json:"start"`
	End   int64  `json:"end"`
}

// wholeRun reports whether records of this type have no node.
func (t RecordType) wholeRun() bool {
	return t == RecordBegin || t == RecordStop || t == RecordTick || t == RecordClock || t == RecordComplete
}

// Result is how a run ended: the contents of result.json.
type Result struct {
	Result     string    `json:"result"` // "succeeded", "failed" or "cancelled"
	Counts     Counts    `json:"counts"`
	Started    time.Time `json:"started"`
	Ended      time.Time `json:"ended"`
	DurationMS int64     `json:"duration_ms"`
	Cause      string    `json:"cause,omitempty"`     // why it was stopped, or what else is to be said
	Survivors  []int     `json:"survivors,omitempty"` // pids of what could not be killed
	// Left is what executions had left behind, which was ended with the run: some of it. LeftCount is all.
	Left      []Leftover `json:"left,omitempty"`
	LeftCount int        `json:"left_count,omitempty"`
	Problem   string     `json:"problem,omitempty"` // why its records could not be continued
}

// A Leftover is a process that an execution has left behind.
type Leftover struct {
	Node      string `json:"node,omitempty"` // id or path; "" = nobody knows
	Execution int    `json:"execution,omitempty"`
	PID       int    `json:"pid"`
	Program   string `json:"program,omitempty"`
}

// Counts says how many nodes of a run's scope ended how.
type Counts struct {
	OK        int `json:"ok"`
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled"`
	Blocked   int `json:"blocked"`           // not reached, behind a failure
	Idle      int `json:"idle"`              // not reached for other reasons
	Kept      int `json:"kept"`              // had succeeded before a resume and were not repeated
	Skipped   int `json:"skipped,omitempty"` // no path led to them
	Handled   int `json:"handled,omitempty"` // failed, and an edge has fired for that
}

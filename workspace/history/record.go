package history

import (
	"encoding/json"
	"time"

	"wf/executor/rundir"
)

// RecordType is the type of a record.
type RecordType string

// The types of records. Readers skip unknown ones.
const (
	RecordBegin    RecordType = "begin"      // the run started
	RecordDispatch RecordType = "dispatch"   // an execution was handed to the executor
	RecordStart    RecordType = "start"      // its process started
	RecordWithdraw RecordType = "withdraw"   // the executor returned it before its process started
	RecordEnd      RecordType = "end"        // the execution ended
	RecordItems    RecordType = "items"      // the table of a sub-flow was read
	RecordUpToDate RecordType = "up_to_date" // an earlier success made an execution unnecessary
	RecordStop     RecordType = "stop"       // a client requested the end of the run
	RecordCancel   RecordType = "cancel"     // a client requested the end of one node
	RecordTick     RecordType = "tick"       // a time was reached that nodes waited for
	RecordClock    RecordType = "clock"      // the clock of the machine was set
	RecordDecide   RecordType = "decide"     // a person decided about a node
	RecordAnswer   RecordType = "answer"     // an approval timed out: the decision of a tick, for display; replay skips it
	RecordComplete RecordType = "complete"   // the run ended; always the last record
)

// NoNode is the Node of records about the whole run.
const NoNode = -1

// A Record is one line of a journal: the union of all types of records. Zero values are absent from the
// line. The fields are in the order of the journal; the comment of a group names the types that use it.
type Record struct {
	// All types.
	Seq  uint64     `json:"seq"` // from 1, without gaps; set by Run.Append
	Time time.Time  `json:"time"`
	Type RecordType `json:"type"`

	// Types about a node: dispatch, start, withdraw, end, items, up_to_date, cancel, decide, answer. Node is an index in the
	// outer part of Request.Scope, or the number of a node of an instance. Other types have NoNode.
	Node      int    `json:"node"`
	ID        string `json:"id"`        // id of the node, or its path in an instance; for users who grep
	Execution int    `json:"execution"` // of the node, from 1

	// start. Command is also in dispatch.
	PID     int    `json:"pid"`
	Command string `json:"command"` // after wrapping

	// end. OK is also in items, decide and answer, Message in items and up_to_date.
	OK       bool   `json:"ok"`
	Reason   string `json:"reason"`
	ExitCode int    `json:"exit_code"`
	Signal   int    `json:"signal"`
	Message  string `json:"message"`

	// stop, cancel, decide, answer.
	Cause  string `json:"cause"`  // the reason, for display; decide: the name that the person gave
	Client string `json:"client"` // the client that sent the request
	Key    string `json:"key"`    // decide: of the request, see Request.Key
	User   string `json:"user"`   // decide: name of the system user

	// start, end: position of the output. Range.End is -1 while the output is written.
	Out rundir.Range `json:"out"`
	Err rundir.Range `json:"err"`

	// end: CPU time of the process and its waited-for children.
	UserMS int64 `json:"user_ms"`
	SysMS  int64 `json:"sys_ms"`

	// start, end: the job at an engine that executes it; nil = the machine of the run, or no more is known than before.
	Engine    *EngineJob `json:"engine"`
	PeakBytes int64      `json:"peak_bytes"` // end: of memory; 0 = unknown

	Outputs json.RawMessage `json:"outputs"` // JSON object. end, up_to_date: content of WF_OUTPUT; decide: values of the decision
	// end, up_to_date: what the command printed, if a text of the workfile reads it: a text, or the number of bytes of one that is too long.
	Stdout json.RawMessage `json:"stdout"`
	Items  json.RawMessage `json:"items"`  // JSON list. end, items: items that the command of a sub-flow printed, or the rows of its table
	Inputs json.RawMessage `json:"inputs"` // JSON object. dispatch: input of the command beyond the environment of the run
	Result *Result         `json:"result"` // complete
	Clocks *Clocks         `json:"clocks"` // begin, clock

	Stored *Stored `json:"stored"` // any type
}

// Stored are values of wf kv that texts of the workfile read.
type Stored struct {
	// Values have changed since the last record. JSON object: texts, null for a key without a value, the number of bytes of a value that
	// is too long.
	Values  json.RawMessage `json:"values,omitempty"`
	Problem string          `json:"problem,omitempty"` // why they are not known
}

// An EngineJob is an execution on an engine.
type EngineJob struct {
	Executor string `json:"executor"`
	ID       string `json:"id,omitempty"`   // of the job at the engine
	Host     string `json:"host,omitempty"` // that executes it
}

// Clocks are the wall clock, which can be set, and the time since boot, which cannot.
type Clocks struct {
	Boot string `json:"boot,omitempty"`  // id of the boot of the machine
	UpNS int64  `json:"up_ns,omitempty"` // time since this boot
	ByNS int64  `json:"by_ns,omitempty"` // only in clock: by how much the clock was set forward
}

// wholeRun reports whether records of this type have no node.
func (t RecordType) wholeRun() bool {
	return t == RecordBegin || t == RecordStop || t == RecordTick || t == RecordClock || t == RecordComplete
}

// Result is the result of a run: the content of result.json.
type Result struct {
	Result     string    `json:"result"` // "succeeded", "failed" or "cancelled"
	Counts     Counts    `json:"counts"`
	Started    time.Time `json:"started"`
	Ended      time.Time `json:"ended"`
	DurationMS int64     `json:"duration_ms"`
	Cause      string    `json:"cause,omitempty"`     // why it was stopped, or another remark
	Survivors  []int     `json:"survivors,omitempty"` // pids of processes that could not be killed
	// Left contains processes that executions left behind and that were ended with the run, up to a
	// limit. LeftCount is the number of all.
	Left      []Leftover `json:"left,omitempty"`
	LeftCount int        `json:"left_count,omitempty"`
	Problem   string     `json:"problem,omitempty"` // why the journal could not be continued
}

// A Leftover is a process that an execution left behind.
type Leftover struct {
	Node      string `json:"node,omitempty"` // id or path; "" = unknown
	Execution int    `json:"execution,omitempty"`
	PID       int    `json:"pid"`
	Program   string `json:"program,omitempty"`
}

// Counts contains the numbers of nodes in the scope of a run, by result.
type Counts struct {
	OK        int `json:"ok"`
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled"`
	Blocked   int `json:"blocked"`              // not reached because of a failure
	Idle      int `json:"idle"`                 // not reached for other reasons
	Kept      int `json:"kept"`                 // succeeded before a resume and were not repeated
	Skipped   int `json:"skipped,omitempty"`    // no path led to them
	Handled   int `json:"handled,omitempty"`    // failed, and an edge fired for the failure
	UpToDate  int `json:"up_to_date,omitempty"` // of OK: those that were not executed
}

package wire

// ID names an execution within its run.
type ID struct {
	Node      int // index of the node in the run
	Execution int // from 1
}

// A Job is one command to execute.
type Job struct {
	ID      ID
	Shell   string   // program that gets -c and Command; "" = /bin/sh
	Command string   // the line after wrapping; blank: nothing is spawned, it succeeds
	Env     []string // KEY=VALUE on top of Spec.Env
	// Merge puts standard error into the file of standard output, so that both are in the order in
	// which they were written. Where the executor cannot do that they stay apart: see Report.Err.
	Merge bool
	// After names executions that have to succeed (exit code 0, not stopped) before this one starts,
	// each of them handed over before. Until then it takes no place; if one of them does not succeed
	// it never starts, and is reported only when it is stopped, or not at all.
	After []ID
}

// A Leftover is a process that an execution has left behind, and that was ended with the run.
type Leftover struct {
	Node      string `json:"node,omitempty"` // WF_NODE_ID of the execution; "" = its environment does not tell
	Execution int    `json:"execution,omitempty"`
	PID       int    `json:"pid"`
	Program   string `json:"program,omitempty"` // the name of its program, "" where the system does not tell
}

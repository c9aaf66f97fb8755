package wire

import "time"

// ID names an execution within its run.
type ID struct {
	Node      int // index of the node in the run
	Execution int // from 1
}

// A Job is one command to execute.
type Job struct {
	ID      ID
	Shell   string   // the program that gets -c and Command; "" = /bin/sh
	Command string   // the command after wrapping; if it is blank, nothing is forked and the job succeeds
	Env     []string // KEY=VALUE, in addition to Spec.Env
	// Merge sends standard error to the file of standard output, so that the order of the writes is kept. A runner
	// of an old version keeps the streams apart, see Report.Err.
	Merge bool
	// After are executions that must succeed (exit code 0, not stopped) before this one starts. Each must have been
	// handed over before. Until then the job occupies no place. If one of them does not succeed, the job never
	// starts, and is reported only if it is stopped.
	After []ID
	// Foreseen says that all jobs that can start because of the success of this one were handed over, too. So its success
	// need not be reported at once.
	Foreseen bool

	// Launcher is a program and its arguments that execute, in another folder, container or environment, what follows them: the
	// shell, its options, -c and Command. The program is looked up in PATH; the shell is the launcher's business. nil = none.
	Launcher []string
	// Box is what kills the container that Launcher starts; nil = it starts none, or one of child processes. Engines have none.
	Box *Box
	// Around are the hooks of the job; nil = none. Engines do not execute hooks.
	Around *Around
	// Idempotent, Engine and Resources are not sent to runners, which execute every job here and at once.

	Idempotent bool   // the engine may execute it more than once, if its machine fails
	Engine     string // the engine that executes the job, see Executor; "" = this machine
	Resources  Resources
}

// Resources is what a job needs of the machine that executes it, and how an engine is to place it. 0 and "" = not given.
type Resources struct {
	CPUs       int           // processors
	Memory     int64         // bytes
	GPUs       int           // graphics processors
	Time       time.Duration // after which the engine ends the job
	Partition  string
	Account    string
	Constraint string
	Options    string // further options for the engine, as its commands have them
	Mode       string // how a cluster gets the job: auto, pool, array or job
}

// A Box is a container that a daemon of its own executes, so that it survives the program that started it.
type Box struct {
	Program string `json:"program"` // docker or podman, looked up in PATH
}

// A Leftover is a process that an execution left behind and that was killed at the end of the run.
type Leftover struct {
	Node      string `json:"node,omitempty"` // WF_NODE_ID of the execution; "" if unknown
	Execution int    `json:"execution,omitempty"`
	PID       int    `json:"pid"`
	Program   string `json:"program,omitempty"` // the name of its program; "" if unknown
}

// Package executor runs commands somewhere: on this machine through a runner process, later on
// a cluster. It starts, watches, stops and reports; it decides nothing and knows no graph.
// Every executor passes the suite of executortest.
package executor

import (
	"context"
	"time"

	"wf/executor/wire"
)

// An Executor serves runs. It is safe for concurrent use.
type Executor interface {
	// Open begins a run, or follows one again after a restart of the daemon: an executor that
	// finds its records in spec.Dir takes up where they end and reports every start and end
	// anew, in the order of the record, so that the caller can fold them again.
	// Reports go to spec.Report. The session outlives ctx, which bounds only the opening.
	Open(ctx context.Context, spec Spec) (Session, error)
}

// A Session is the executions of one run. Its methods may be called from any goroutine and do
// not wait for processes, except Close.
type Session interface {
	// Start hands over jobs. They wait in the executor until the width has a place for them and are
	// started in the order handed over; blank ones need no place. It returns at once; what becomes
	// of each job is reported. An error means that none of them was taken. One that was handed over
	// before and has not been reported waits for nothing but a place any more when it comes again with
	// an empty After; else nothing changes.
	Start(jobs []Job) error
	// Gates reports whether jobs with an After are understood at present: before that they are refused.
	// Should it cease, those that have not started are reported as stopped.
	Gates() bool
	// SetWidth says how many executions may be going at once from now on; 0 = none. A smaller width
	// ends nothing: it is reached as executions end. A Resized report tells from when on it decides
	// what starts. It holds until the session ends, also across
	// a lost connection and, until another session says otherwise, after Detach.
	SetWidth(n int)
	// Stop ends executions: TERM to the whole tree, after grace KILL, until nothing is left.
	// grace 0 kills at once; a second Stop may shorten the grace. Jobs not yet started never
	// start. Each ends with a Report whose Exit.Stopped is set. Unknown ones are ignored.
	Stop(ids []ID, grace time.Duration)
	// Close ends the run: whatever its commands left behind is killed, the executor's resources
	// are released. It returns when nothing is left, with the processes that survived KILL.
	Close(ctx context.Context) (survivors []int, err error)
	// Retry makes a session that is held try again at once.
	Retry()
	// Detach lets go without ending anything: executions go on, jobs that wait are started in their
	// turn, a later Open follows them. It forgets those that were to come after others and have not begun:
	// whoever follows hands them over again.
	Detach()
}

// Spec describes a run to an executor.
type Spec struct {
	// Dir is a folder of this run's own, absolute, mode 0700, which survives a restart. The
	// executor keeps its records in it, and outputs below Dir/out.
	Dir string
	// Cwd is the working directory of the commands, absolute.
	Cwd string
	// Env is the environment of the commands as KEY=VALUE; a job's Env comes on top. On disk it
	// may lie only in a file of mode 0600 in Dir that is gone when the run is over. It may be nil
	// when a run is followed again: the executor then uses what it kept.
	Env []string
	// Attributes is what the commands inherit besides, as JSON, see Parse; nil = what the executor has.
	World []byte
	// Width is how many executions may be going at once until SetWidth says otherwise; 0 = none.
	Width int
	// Report takes news in order, never two calls at once. It may block for a while; it must not
	// call back into the session. A lost connection that cannot be mended is the last report.
	Report func([]Report)
}

// These types of the contract are defined in package wire, since runners receive and send them too.
type (
	// An ID names an execution within its run.
	ID = wire.ID
	// A Job is one command to execute.
	Job = wire.Job
	// A Leftover is a process that an execution has left behind, and that was ended with the run.
	Leftover = wire.Leftover
)

// Kind of a report.
type Kind uint8

// The kinds of reports. Each job yields at most one Started and exactly one Ended.
const (
	Started Kind = iota + 1
	Ended
	// Resized says that everything reported after it was started with Report.Width.
	Resized
	// Held says that nothing is started for the reason in Report.Message (the disk is full or fails,
	// the machine has no process left), or, when that is empty, that it goes on. What runs goes on.
	Held
	// Told says that everything that was begun for earlier sessions of the run has been reported, and that
	// nothing else of what they handed over to come after others will begin. It is reported once.
	Told
	// Swept says that processes were ended with the run which its executions had left behind: Report.Left, and
	// how many these were, Report.Count. It is reported once, before Close returns, or not at all.
	Swept
	// Broken says that the session is lost (its runner died and could not be replaced). It is the
	// last report; what was going on has an unknown fate.
	Broken
)

// A Report is news of one execution.
type Report struct {
	Kind Kind
	ID   ID
	Time time.Time // of the start or the end
	PID  int       // Started
	// Out and Err say where the output is. At Started the end is unknown and -1; at Ended final. Where
	// Out has a file and Err has none, standard error was merged into Out.
	Out, Err Range
	Exit     Exit       // Ended
	Width    int        // Resized
	Left     []Leftover // Swept: some of them
	Count    int        // Swept
	Message  string     // why it could not be started, why nothing is, or why the session broke
}

// A Range is a part of a file.
type Range struct {
	File       string // Descendants Spec.Dir, slash-separated; "" = nothing was ever written
	Start, End int64  // bytes; End -1 = still growing
}

// Exit is how an execution ended.
type Exit struct {
	Code    int  // exit code when Signal is 0
	Signal  int  // signal number that ended it
	Stopped bool // Stop was asked for before it ended
	Failed  bool // could not be started: see Report.Message
	Lost    bool // ended unseen: neither code nor signal is known
	// User and System are CPU time of the process and its waited-for children.
	User, System time.Duration
}

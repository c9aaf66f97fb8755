// Package executor runs commands: Local does so on this machine, through a runner process for each run. An executor starts,
// watches, stops and reports; it decides nothing and does not know the graph. testContract tests what every executor
// promises.
package executor

import (
	"context"
	"time"

	"wf/executor/rundir"
	"wf/executor/wire"
)

// An Executor serves runs. It is safe for concurrent use.
type Executor interface {
	// Open begins a run, or follows it again after a restart of the daemon. If the executor finds its files in
	// spec.Dir, it continues where they end, and reports every start and end again in their order, so that the
	// caller can apply them again. Reports go to spec.Report. ctx limits only the opening, not the session.
	Open(ctx context.Context, spec Spec) (Session, error)
}

// A Session is the executor's side of one run. Its methods can be called from any goroutine. Only Close waits for
// processes.
type Session interface {
	// Start hands over jobs and returns at once. The jobs are started in order while fewer executions than the width
	// are running; a job with a blank command does not count. After an error none of the jobs was taken. A job that
	// was handed over before and has not been reported can be handed over again with an empty After: then it no
	// longer waits for other executions. Other repetitions have no effect.
	Start(jobs []Job) error
	// Gates reports whether the present runner supports jobs with an After; without support, Start refuses them. If
	// another runner without support takes over, such jobs that have not started are reported as stopped.
	Gates() bool
	// SetWidth sets how many executions may run at once; 0 = none. A smaller width stops nothing: it is reached as
	// executions end. A Resized report says from when on it decides what starts. It is valid until the next
	// SetWidth, also across a lost connection and after Detach.
	SetWidth(n int)
	// Stop stops executions: it sends TERM to all their processes and, after grace, KILL until none is left. With
	// grace 0 it kills at once; a second Stop can shorten the grace. Jobs that have not started never start. Each
	// ends with a Report whose Exit.Stopped is set. Unknown IDs are ignored.
	Stop(ids []ID, grace time.Duration)
	// Close ends the run: it kills all processes that the commands have left and releases the resources of the run.
	// It returns the pids of processes that survived KILL.
	Close(ctx context.Context) (survivors []int, err error)
	// Retry makes a session that reports Held try again at once.
	Retry()
	// Detach ends the session and stops nothing: executions go on, waiting jobs start in their turn, and a later
	// Open follows them. It forgets jobs with an After that have not started; the caller of Open hands them over
	// again.
	Detach()
}

// Spec describes a run to an executor.
type Spec struct {
	// Dir is the folder of this run, absolute, with mode 0700; it survives a restart. The executor keeps its files
	// there, and the outputs below Dir/out.
	Dir string
	// Cwd is the working directory of the commands, absolute.
	Cwd string
	// Env is the environment of the commands as KEY=VALUE; the Env of a job is added to it. On disk it may be only
	// in a file of mode 0600 in Dir that is removed when the run is over. It may be nil if the run is followed
	// again: then the executor uses the file.
	Env []string
	// Attributes is the process attributes of the commands as JSON, see procattr.Parse; nil = those of the executor.
	Attributes []byte
	// Width is how many executions may run at once until SetWidth; 0 = none.
	Width int
	// Report receives reports in order, from one goroutine at a time. It may block for a while, but must not call
	// methods of the session. After a lost connection that cannot be restored, Broken is the last report.
	Report func([]Report)
}

// These types of the contract are defined in package wire, since runners receive and send them too.
type (
	// An ID names an execution within its run.
	ID = wire.ID
	// A Job is one command to execute.
	Job = wire.Job
	// A Leftover is a process that an execution left behind and that was killed at the end of the run.
	Leftover = wire.Leftover
)

// Kind is the kind of a report.
type Kind uint8

// The kinds of reports. Each job yields at most one Started and exactly one Ended.
const (
	Started Kind = iota + 1
	Ended
	// Resized says that everything that is reported after it was started with the width Report.Width.
	Resized
	// Held says that nothing is started, for the reason in Report.Message (for example, the disk is full), or, if
	// the message is empty, that starts go on. Running executions go on in any case.
	Held
	// CaughtUp says that everything that earlier sessions of the run have started has been reported, and that no job
	// with an After that they handed over will start any more. It is reported once.
	CaughtUp
	// Leftovers says that processes were killed at the end of the run that its executions had left behind:
	// Report.Count is their number, Report.Left contains some of them. It is reported at most once, before Close
	// returns.
	Leftovers
	// Broken says that the session is lost: its runner died and could not be replaced. It is the last report. What
	// became of the running executions is unknown.
	Broken
)

// A Report is news of an execution or of the run.
type Report struct {
	Kind Kind
	ID   ID
	Time time.Time // of the start or the end
	PID  int       // Started
	// Out and Err are the parts of output files. The end is -1 in a Started report and final in an Ended report. If
	// Out has a file and Err has none, standard error was merged into Out.
	Out, Err Range
	Exit     Exit       // Ended
	Width    int        // Resized
	Left     []Leftover // Leftovers
	Count    int        // Leftovers
	Message  string     // why the command could not be started, why nothing is started, or why the session broke
}

// A Range is a part of a file in Spec.Dir.
type Range = rundir.Range

// Exit is how an execution ended.
type Exit struct {
	Code    int  // the exit code if Signal is 0
	Signal  int  // number of the signal that ended it, or 0
	Stopped bool // Stop was called before it ended
	Failed  bool // it could not be started: see Report.Message
	Lost    bool // neither code nor signal is known
	// User and System are the CPU time of the process and of its children that were waited for.
	User, System time.Duration
}

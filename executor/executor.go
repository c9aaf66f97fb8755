// Package executor runs commands: Local does so on this machine, through a runner process for each run. An executor starts,
// watches, stops and reports; it decides nothing and does not know the graph. Package executortest tests what executors
// promise.
package executor

import (
	"cmp"
	"context"
	"time"

	"wf/executor/rundir"
	"wf/executor/wire"
)

// An Executor serves runs. It is safe for concurrent use.
//
// The comments of this file describe what an executor must do. The following parts are optional. Local has all of them; an
// executor that hands its commands to an engine may lack some. Each has the name of a field of executortest.Options:
//
//   - LocalProcesses: Stop and Close also kill the processes that have left the session of their command, and a command's
//     leftovers go on until Close. Without it such processes may survive, Leftovers is not reported, and Report.PID may be 0.
//   - Width: Spec.Width and SetWidth limit how many executions run at once. Without it they have no effect, and Resized is
//     not reported.
//   - Order: jobs that can start at the same time start in the order in which they were handed over. Without it the order is
//     free.
//   - Unattended: waiting jobs start also while no session is open. Without it they wait for the next session.
//   - Gates: jobs can have an After. Without it Session.Gates always returns false.
//   - LargeArguments: an argument that is too large for exec is passed in a file, or the job fails with a message that names it.
//     Without it, only the text that the shell of a job gets may be too large; a command with another large argument fails in
//     any way.
//   - SharedFiles: executions that do not overlap share output files. Without it each may have files of its own.
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
	// Run identifies the run among all runs of all machines, as long as it exists. It may be "" if the run is only closed.
	Run string
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
	// Resources is what a job needs of the machine that executes it.
	Resources = wire.Resources
	// A Box is a container in which a job is executed.
	Box = wire.Box
	// An Around are the hooks of a job.
	Around = wire.Around
	// A Hook is a command before or after the command of a job.
	Hook = wire.Hook
	// A Fate is what became of the command of a job with hooks.
	Fate = wire.Fate
	// A HookFailure is a hook that did not exit with code 0.
	HookFailure = wire.HookFailure
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
	// Changed says that the state of a job at its engine has changed, see Report.Engine. It comes any number of times
	// between Start and Ended, and again after an Open for jobs that have not ended. It is not durable: a state matters
	// only until the next one.
	Changed
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
	PID  int       // Started; 0 = the process is not on this machine
	// Out and Err are the parts of output files. The end is -1 in a Started report and final in an Ended report. If
	// Out has a file and Err has none, standard error was merged into Out. A job at an engine has files of its own.
	Out, Err Range
	Exit     Exit       // Ended
	Engine   EngineJob  // Started, Changed, Ended: what the engine tells about the job; empty fields keep their value
	Width    int        // Resized
	Left     []Leftover // Leftovers
	Count    int        // Leftovers
	Message  string     // why the command could not be started, why nothing is started, or why the session broke
}

// An EngineJob is what an engine tells about a job that it executes.
type EngineJob struct {
	ID    string // of the job at the engine: "4711_3"
	State string // in the engine's own word: "PENDING"; "" only in reports that do not tell it
	Why   string // why it is in this state, for people: "Priority, position 12, expected 14:05"; replaced with each State
	Host  string // the machine that executes it
}

// Apply adds what a later report tells.
func (j *EngineJob) Apply(later EngineJob) {
	if later.State != "" {
		j.State, j.Why = later.State, later.Why
	}
	j.ID, j.Host = cmp.Or(later.ID, j.ID), cmp.Or(later.Host, j.Host)
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
	// Cause says why the engine ended the execution, if it did. It is a failure whatever the exit code is.
	Cause Cause
	// User and System are the CPU time of the process and of its children that were waited for.
	User, System time.Duration
	PeakMemory   int64 // of all its processes or of the largest one, as the engine measures it, in bytes; 0 = unknown
}

// Cause is why an engine, or a hook, ended an execution.
type Cause string

// The causes. retry_on names them.
const (
	CauseMemory    Cause = "oom"              // it used more memory than it had asked for, or than there is
	CauseTime      Cause = "timeout"          // it took longer than Resources.Time or the engine allows
	CauseNode      Cause = "node_fail"        // its machine failed
	CausePreempted Cause = "preempted"        // another job needed its place
	CauseCancelled Cause = "engine_cancelled" // by an administrator or a user, with the engine's own means, not by Stop

	CauseHook Cause = "hook" // a hook refused it, see Around
)

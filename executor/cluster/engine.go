package cluster

import (
	"time"

	"wf/executor"
)

// An Engine knows the commands of a batch system. It writes shell scripts and reads what they print; it executes nothing and
// has no state. A Cluster executes the scripts on a machine where the commands of the batch system are.
type Engine interface {
	// Submit returns a script that submits a batch and prints what Submitted reads. Its exit status is not 0 if the
	// batch was refused. File is the job script, as a word of a shell; its first argument, also a word, is args.
	Submit(b *Batch, script, args string) string
	// Submitted returns the id of the job from the output of Submit.
	Submitted(output string) (id string, err error)
	// Index is the variable that contains the index of a task in the environment of a job of many tasks.
	Index() string
	// Status returns a script that prints all jobs of this user whose names begin with NamePrefix, with as few calls
	// as possible. If its exit status is not 0, nothing is known about any job.
	Status() string
	// States reads the output of Status. Jobs of the batch system that are not ours are left out.
	States(output string) ([]State, error)
	// Final returns a script that prints what accounting knows about jobs that Status does not list any more, or "" if
	// there is no accounting. Final output is read by States, too.
	Final(ids []string) string
	// FinalStates reads the output of Final.
	FinalStates(output string) ([]State, error)
	// Cancel returns a script that ends tasks, see Cancellation.
	Cancel(tasks []Ref, how Cancellation) string
	// Refused reports whether the message of a failed Submit says that the batch system did certainly not take the
	// batch. If not, the batch is looked for by its name before it is submitted again.
	Refused(message string) bool
	// Busy reports whether a refusal will pass, such as that of one job more than a limit allows.
	Busy(message string) bool
}

// A Meter is an Engine whose accounting may measure the memory of tasks.
type Meter interface {
	Engine
	// Peaks returns a script that prints what accounting knows about tasks that are not steps. FinalStates reads its output.
	Peaks(tasks []Ref) string
}

// A Requeuer is an Engine that can start a task again by itself if its machine fails, see Batch.Requeue.
type Requeuer interface {
	Engine
	// Restarts is the variable that contains how often that has happened in the environment of a job.
	Restarts() string
}

// A Cancellation says what Cancel does. All of them remove waiting tasks, which then never start.
type Cancellation uint8

// The cancellations.
const (
	CancelWaiting   Cancellation = iota // running tasks go on
	CancelTerminate                     // all processes of running tasks get TERM, also those that are halted
	CancelScript                        // the job scripts of running tasks get TERM, and kill the other processes
	CancelKill                          // running tasks end, whatever that takes
)

// NamePrefix begins the name of each job.
const NamePrefix = "wf-"

// A Batch is what one call submits: one job for each task, with the same resources.
type Batch struct {
	// Name is the name of the job. No other batch has it, so a batch whose submission was not answered is found by it.
	Name      string
	Tasks     int // their number; if it is 1, the job has no index
	Resources executor.Resources
	Exclude   []string // hosts that must not get a task
	// Environment says that the environment of the script is complete for the tasks; otherwise they need that of a login.
	Environment bool
	Requeue     bool // the batch system may start a task again by itself, if its machine fails
	// Grace is how long before the end of its time a task gets TERM.
	Grace time.Duration
}

// A Ref identifies a task for the batch system.
type Ref struct {
	Job   string // the id that Submitted returned
	Index int    // -1 = the job has one task
	Step  string // the whole id of a step, if the task is one of an allocation
}

// A State is what the batch system says about a task.
type State struct {
	Name  string // of the job
	Ref   Ref
	Phase Phase
	// Text is the state in the words of the batch system, for people.
	Text string
	// Reason says why a task waits or why it failed, in the words of the batch system; "" = unknown.
	Reason string
	Host   string
	// Expected is when the batch system thinks that a waiting task starts; zero = unknown.
	Expected time.Time
	// Peak is the most memory that the task had, in bytes; 0 = unknown.
	Peak int64
}

// A Phase is the part of a State that decides what happens.
type Phase uint8

// The phases. What a state means that is not known here is Unknown, which changes nothing.
const (
	Unknown Phase = iota
	Waiting
	Running
	Completed // by itself, with any exit code
	Cancelled // by a user or an administrator
	OutOfMemory
	TimeUp
	NodeFailed
	Preempted
	NotLaunched // the batch system could not start it
)

// over reports whether the task has certainly ended.
func (p Phase) over() bool { return p >= Completed }

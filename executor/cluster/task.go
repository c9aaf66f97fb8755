package cluster

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"wf/executor"
)

// A task is a job of the run from when it is handed over until its end is reported.
type task struct {
	job    executor.Job
	shape  shape // what it asks for; tasks with the same can be submitted together
	queued time.Time
	batch  *batch // the latest one that it was submitted with; nil = it waits in the queue
	state  State  // the last one
	stop   *stopping

	begin
	stepEnd    *State // how its step ended, if the task has not left a result
	stepNews   string // the news of the failed step that were handled
	misfired   *batch // the last allocation with a step that ended before it had started it; nil = none
	misfires   int    // how many allocations had one
	terminated bool   // it got TERM
	verdict    bool   // the batch system has said what it thinks of the end
	slot       int    // the number of its output files; -1 = none
	out, err   part   // its outputs on this machine
	values     int64  // bytes of its file for values that are on this machine

	result *entry    // its result file: it ends when its outputs are here
	sizes  [3]int64  // of out, err and values, according to the result file
	looks  int       // in a row that have not found more of its outputs
	peak   peak      // of its memory
	absent time.Time // since when it is over or unknown to the batch system without a result file
	asked  bool      // accounting was asked about it
	grows  bool      // the last look has found more of its outputs
}

// A begin is what is known of the start of a task.
type begin struct {
	started   bool
	startedAt time.Time // by the clock of its machine
	host      string
	machine   string // its name for the batch system, if the task is one of an allocation
	step      string // its id, if it is a step of an allocation
}

// A batch is what was submitted with one call, or is about to be.
type batch struct {
	name   string
	number int     // in the run, from 1
	hold   *hold   // it is an allocation that is held for its tasks; nil = each task is a job
	tasks  []*task // those that have not ended
	index  map[executor.ID]int
	array  bool // its tasks have an index
	// without are the machines that must not get it.
	without []string
	job     string // the id; "" = not known
	// doubt is since when it is unknown whether the batch system has it; zero = it is known.
	doubt  time.Time
	misses int // answers of the batch system since then that did not contain it
	// given says that its tasks were submitted again. If the batch system has it nevertheless, each task is started by the
	// job that comes first, and what the batch system says about either job counts.
	given bool
}

func newBatch(name string, number int, tasks []*task) *batch {
	b := &batch{name: name, number: number, index: make(map[executor.ID]int, len(tasks)), array: len(tasks) > 1}
	b.add(tasks)
	return b
}

// add makes tasks a part of the batch.
func (b *batch) add(tasks []*task) {
	for _, t := range tasks {
		b.index[t.job.ID] = len(b.index)
		t.batch, t.absent, t.asked, t.state = b, time.Time{}, false, State{}
	}
	b.tasks = append(b.tasks, tasks...)
}

// ref identifies a task of the batch.
func (b *batch) ref(t *task) Ref {
	switch {
	case b.hold != nil:
		return Ref{b.job, -1, t.step}
	case !b.array:
		return Ref{b.job, -1, ""}
	}
	return Ref{b.job, b.index[t.job.ID], ""}
}

// waitsForVerdict reports whether the batch system may say why the task failed.
func (t *task) waitsForVerdict() bool {
	return t.result.Code != 0 && t.stop == nil && !t.verdict && t.batch != nil && t.batch.job != ""
}

// waitsForProcesses reports whether processes of a stopped task may be left: the batch system kills those that are left when
// the job script has ended.
func (t *task) waitsForProcesses() bool {
	return t.stop != nil && t.started && !t.verdict && t.batch != nil && t.batch.job != ""
}

// engineJob is what is known of the job of the task.
func (t *task) engineJob() executor.EngineJob {
	j := executor.EngineJob{State: t.state.Text, Host: cmp.Or(t.host, t.state.Host)}
	if t.batch != nil && t.batch.job != "" {
		switch j.ID = t.batch.job; {
		case t.step != "":
			j.ID = t.step
		case t.batch.hold == nil && t.batch.array:
			j.ID += "_" + strconv.Itoa(t.batch.index[t.job.ID])
		}
	}
	if t.state.Phase == Waiting {
		why := []string{t.state.Reason}
		if !t.state.Expected.IsZero() {
			why = append(why, "expected "+t.state.Expected.Format("Jan 2 15:04"))
		}
		j.Why = strings.Join(slices.DeleteFunc(why, func(s string) bool { return s == "" }), ", ")
	}
	return j
}

// complete reports whether everything that the task has left is here.
func (t *task) complete() bool {
	return t.looks >= mostLooks || t.out.size >= t.sizes[0] && t.err.size >= t.sizes[1] && t.values >= t.sizes[2]
}

// valuesFile is the file for values on this machine.
func (t *task) valuesFile() string {
	for _, v := range t.job.Env {
		if len(v) > len(valuesVariable) && v[:len(valuesVariable)+1] == valuesVariable+"=" {
			return v[len(valuesVariable)+1:]
		}
	}
	return os.DevNull
}

var causes = map[Phase]executor.Cause{
	Cancelled: executor.CauseCancelled, OutOfMemory: executor.CauseMemory, TimeUp: executor.CauseTime,
	NodeFailed: executor.CauseNode, Preempted: executor.CausePreempted,
}

// endReport is the report of the end of a task.
func (t *task) endReport(e entry) executor.Report {
	r := executor.Report{Kind: executor.Ended, ID: t.job.ID, Time: e.Time, Message: e.Reason,
		Out: t.out.rangeTo(t.out.start + e.Out), Err: t.err.rangeTo(t.err.start + e.Err)}
	r.Exit.Stopped, r.Exit.Code, r.Exit.PeakMemory, r.Engine = e.Stop, e.Code, e.Peak, t.engineJob()
	r.Exit.Cause = causes[e.Phase]
	if e.Code > 128 && e.Code <= 128+64 { // a shell reports a signal and such an exit code alike
		r.Exit.Signal, r.Exit.Code = e.Code-128, 0
	}
	switch {
	case e.Left:
		r.Exit.Lost, r.Exit.Cause = true, ""
	case e.Phase == Cancelled && e.Stop:
		r.Exit.Cause = ""
		if t.started {
			r.Exit.Signal = int(syscall.SIGKILL) // it could not leave a result
		}
	case e.Phase == NotLaunched:
		r.Exit.Failed = true
	case e.Phase == Completed:
		r.Exit.Lost = true
	}
	return r
}

// startReport is the report of the start of a task. Its pid means nothing on the machine of the daemon.
func (t *task) startReport() executor.Report {
	return executor.Report{Kind: executor.Started, ID: t.job.ID, Time: t.startedAt, Engine: t.engineJob(),
		Out: t.out.rangeTo(-1), Err: t.err.rangeTo(-1)}
}

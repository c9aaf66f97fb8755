package runstate

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/executor"
	"wf/scheduler/flow"
	"wf/workspace/history"
)

// engineJob is what is known of an execution on an engine. Its state at the engine is not in the journal, because it matters
// only until the next one: the executor reports it again after a restart.
type engineJob struct {
	executor string
	executor.EngineJob
}

// ExecutorOf returns the name of the executor of node i of a run; "" = this machine.
func ExecutorOf(r *State, i int) string {
	return Elsewhere(cmp.Or(r.Sched.Executor(i), r.Request.Executor))
}

// Elsewhere returns the name of an executor, or "" if it is this machine.
func Elsewhere(name string) string {
	if name == flow.LocalExecutor {
		return ""
	}
	return name
}

// NoteEngine adds what an executor reports about the job of an execution that has not ended. It returns whether this is news.
func (rec *Execution) NoteEngine(news executor.EngineJob) bool {
	if rec.engine == nil {
		return false
	}
	before := rec.engine.EngineJob
	rec.engine.Apply(news)
	return rec.engine.EngineJob != before
}

// StartEngine is NoteEngine for the report of the start: the state before is over.
func (rec *Execution) StartEngine(news executor.EngineJob) {
	if rec.engine != nil {
		rec.engine.State, rec.engine.Why = "", ""
		rec.engine.Apply(news)
	}
}

// noteEngine adds what a record contains about the job of an execution; nil adds nothing.
func (rec *Execution) noteEngine(j *history.EngineJob) {
	if j == nil || j.Executor == "" {
		return
	}
	if rec.engine == nil {
		rec.engine = &engineJob{executor: j.Executor}
	}
	rec.engine.Apply(executor.EngineJob{ID: j.ID, Host: j.Host})
}

// AtEngine reports whether the execution is not on this machine.
func (rec *Execution) AtEngine() bool { return rec != nil && rec.engine != nil }

// Engine describes the job of the execution at its engine. It returns nil for an execution on this machine.
func (rec *Execution) Engine() *api.EngineJob {
	j := rec.engine
	if j == nil {
		return nil
	}
	out := &api.EngineJob{Executor: j.executor, ID: j.ID, Host: j.Host}
	if rec.Live {
		out.State, out.Why = j.State, j.Why
	}
	return out
}

// EngineRecord returns what the journal keeps of the job of an execution, or nil for an execution on this machine.
func (rec *Execution) EngineRecord() *history.EngineJob {
	j := rec.engine
	if j == nil {
		return nil
	}
	return &history.EngineJob{Executor: j.executor, ID: j.ID, Host: j.Host}
}

// DescribeJob describes the job of an execution in the history.
func DescribeJob(j history.EngineJob) *api.EngineJob {
	if j.Executor == "" {
		return nil
	}
	return &api.EngineJob{Executor: j.Executor, ID: j.ID, Host: j.Host}
}

// describeResources returns resources for clients, or nil if none are given.
func describeResources(r flow.Resources) *api.Resources {
	if r == (flow.Resources{}) {
		return nil
	}
	return &api.Resources{CPUs: r.CPUs, MemBytes: r.Memory, GPUs: r.GPUs, TimeMS: r.Time.Milliseconds(), Partition: r.Partition,
		Account: r.Account, Constraint: r.Constraint, Options: r.Options, Mode: r.Mode}
}

// waitingAtEngine returns a sentence about a job that its engine has not started.
func waitingAtEngine(j *api.EngineJob) string {
	switch {
	case j.State != "":
		return fmt.Sprintf("It waits at its executor (%s): %s.", j.Place(), strings.TrimSuffix(j.StateText(), "."))
	case j.ID != "":
		return fmt.Sprintf("It was submitted (%s), and its state there is not known yet.", j.Place())
	}
	return fmt.Sprintf("It was handed to %s, which has not told its state yet.", j.Executor)
}

// runningSentence returns where an execution runs.
func (rec *Execution) runningSentence() string {
	j := rec.Engine()
	if j == nil {
		return fmt.Sprintf("It is running: execution %d, process %d.", rec.Number, rec.PID)
	}
	s := fmt.Sprintf("It is running: execution %d, at %s", rec.Number, j.Place())
	if text := j.StateText(); text != "" {
		s += " (" + text + ")"
	}
	return s + "."
}

// engineSentence returns a sentence about where an execution ran and what it used; "" if there is nothing to say.
func (rec *Execution) engineSentence() string {
	if rec.Live {
		return ""
	}
	var parts []string
	if j := rec.Engine(); j != nil {
		parts = append(parts, "ran at "+j.Place())
	}
	if rec.peak > 0 {
		parts = append(parts, "used at most "+api.SizeText(rec.peak)+" of memory")
	}
	if parts == nil {
		return ""
	}
	return "Its latest execution " + strings.Join(parts, " and ") + "."
}

// resourceTexts returns what an execution asked for, as in a workfile: "cpus=4", "mem=16G".
func resourceTexts(r *api.Resources) (parts []string) {
	if r == nil {
		return nil
	}
	add := func(name, value string, given bool) {
		if given {
			parts = append(parts, name+"="+value)
		}
	}
	add("cpus", fmt.Sprint(r.CPUs), r.CPUs > 0)
	add("mem", api.SizeText(r.MemBytes), r.MemBytes > 0)
	add("gpus", fmt.Sprint(r.GPUs), r.GPUs > 0)
	add("time", (time.Duration(r.TimeMS) * time.Millisecond).String(), r.TimeMS > 0)
	add("partition", r.Partition, r.Partition != "")
	add("account", r.Account, r.Account != "")
	add("constraint", r.Constraint, r.Constraint != "")
	add("cluster_options", r.Options, r.Options != "")
	add("cluster_mode", r.Mode, r.Mode != "")
	return parts
}

// engineFailure returns a clause about a failure that an engine reports.
func engineFailure(reason api.Reason) string {
	switch reason {
	case api.ReasonMemory:
		return "it ran out of memory"
	case api.ReasonNodeFail:
		return "the machine that executed it failed"
	case api.ReasonPreempted:
		return "another job needed its place at the engine"
	}
	return "it was cancelled at the engine, by an administrator or a user"
}

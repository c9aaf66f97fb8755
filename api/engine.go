package api

import (
	"fmt"
	"strings"
)

// An EngineJob is an execution on an engine, such as Slurm, and what the engine tells about it.
type EngineJob struct {
	Executor string `json:"executor"`        // the name of the executor in the workfile or the configuration
	ID       string `json:"id,omitempty"`    // of the job at the engine; "" = not known yet
	State    string `json:"state,omitempty"` // in the engine's own word: "PENDING"; "" = not known, or the execution is over
	Why      string `json:"why,omitempty"`   // why it is in this state: "Priority, position 12, expected 14:05"
	Host     string `json:"host,omitempty"`  // the machine that executes it
}

// StateText returns the state of a job with its reason: "PENDING: Priority, position 12"; "" if it is not known.
func (j *EngineJob) StateText() string {
	if j.Why == "" {
		return j.State
	}
	return strings.TrimPrefix(j.State+": "+j.Why, ": ")
}

// Place returns where a job is: "hpc, job 4711, node17".
func (j *EngineJob) Place() string {
	text := j.Executor
	if j.ID != "" {
		text += ", job " + j.ID
	}
	if j.Host != "" {
		text += ", " + j.Host
	}
	return text
}

// Resources are what an execution asks for, see the attributes of the same names. Values that are not given are absent.
type Resources struct {
	CPUs       int    `json:"cpus,omitempty"`
	MemBytes   int64  `json:"mem_bytes,omitempty"`
	GPUs       int    `json:"gpus,omitempty"`
	TimeMS     int64  `json:"time_ms,omitempty"`
	Partition  string `json:"partition,omitempty"`
	Account    string `json:"account,omitempty"`
	Constraint string `json:"constraint,omitempty"`
	Options    string `json:"cluster_options,omitempty"`
	Mode       string `json:"cluster_mode,omitempty"`
}

// EngineText returns a reason that an engine reports in a few words; "" for other reasons.
func (r Reason) EngineText() string {
	switch r {
	case ReasonMemory:
		return "out of memory"
	case ReasonNodeFail:
		return "its machine failed"
	case ReasonPreempted:
		return "preempted"
	case ReasonEngineCancelled:
		return "cancelled at its engine"
	}
	return ""
}

// SizeText returns an amount of memory as people write it: "512M", "3.2G".
func SizeText(bytes int64) string {
	units := []string{"", "K", "M", "G", "T"}
	n := float64(bytes)
	for len(units) > 1 && n >= 1024 {
		n, units = n/1024, units[1:]
	}
	if n >= 10 || n == float64(int64(n)) {
		return fmt.Sprintf("%.0f%s", n, units[0])
	}
	return fmt.Sprintf("%.1f%s", n, units[0])
}

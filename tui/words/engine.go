package words

import (
	"wf/api"
	"wf/tui/plain"
)

// Engine describes the job of a node in a state at its engine: "hpc job 4711 PENDING: Priority, position 12" while it waits, then
// "on node17 (hpc job 4711)". It returns "" for a node without a job.
func Engine(j *api.EngineJob, state api.State) string {
	if j == nil || state == api.StateIdle {
		return ""
	}
	job := j.Executor
	if j.ID != "" {
		job += " job " + j.ID
	}
	switch {
	case state == api.StateQueued && j.State == "" && j.ID == "":
		job = "handed to " + job
	case state == api.StateQueued:
		job += " " + j.StateText()
	case j.Host != "":
		job = "on " + j.Host + " (" + job + ")"
	}
	if state == api.StateRunning && j.State != "" && j.State != engineRunning {
		job += " " + j.StateText()
	}
	return plain.Line(job)
}

// engineRunning is the state that a running job has unless something is special.
const engineRunning = "RUNNING"

// Peak describes the memory that a command used: "peak 3.2G"; "" if it is not known.
func Peak(bytes int64) string {
	if bytes <= 0 {
		return ""
	}
	return "peak " + api.SizeText(bytes)
}

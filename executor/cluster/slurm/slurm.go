// Package slurm knows the commands of Slurm, and what they print. It was tried with version 22.05.
package slurm

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"wf/executor/cluster"
	"wf/executor/login"
)

// Slurm implements cluster.Engine.
type Slurm struct{}

var (
	_ cluster.Requeuer = Slurm{}
	_ cluster.Meter    = Slurm{}
)

// Index implements cluster.Engine.
func (Slurm) Index() string { return "SLURM_ARRAY_TASK_ID" }

// Restarts implements cluster.Requeuer.
func (Slurm) Restarts() string { return "SLURM_RESTART_COUNT" }

// Submit implements cluster.Engine. Slurm starts a task again by itself only if the batch allows it, and the task gets its environment from
// its own file.
func (Slurm) Submit(b *cluster.Batch, script, args string) string {
	words := submission(b)
	if b.Tasks > 1 {
		words = append(words, fmt.Sprintf("--array=0-%d", b.Tasks-1))
	}
	r := b.Resources
	if r.CPUs > 0 {
		words = append(words, "--ntasks=1", fmt.Sprintf("--cpus-per-task=%d", r.CPUs))
	}
	if r.Memory > 0 {
		words = append(words, fmt.Sprintf("--mem=%dK", kilobytes(r.Memory)))
	}
	if r.GPUs > 0 {
		words = append(words, fmt.Sprintf("--gpus=%d", r.GPUs))
	}
	return before + join(append(words, strings.Fields(r.Options)...)) + " " + script + " " + args
}

// before comes before sbatch. It removes the variables that belong to a job in which the daemon was started, because sbatch would
// give them to the new one.
const before = `command -v sbatch > /dev/null || {
	echo "sbatch: error: there is no sbatch in the PATH on $(uname -n): start wf where it is, or set via in the profile of the executor (wf help executors)" >&2
	exit 1
}
for v in $(env | sed -n 's/^\(SLURM_[A-Z0-9_]*\)=.*/\1/p'); do
	case $v in SLURM_CONF|SLURM_CLUSTERS) ;; *) unset "$v" ;; esac
done
`

// submission returns the words of a call of sbatch that do not depend on what a task needs of its machine.
func submission(b *cluster.Batch) []string {
	requeue := "--no-requeue"
	if b.Requeue {
		requeue = "--requeue"
	}
	export := "NONE" // the task gets what a login of the user gets, which costs slurmd a login
	if b.Environment {
		export = "ALL"
	}
	words := []string{"sbatch", "--parsable", requeue, "--export=" + export, "--chdir=/", "--input=/dev/null", "--output=/dev/null",
		"--job-name=" + b.Name}
	r := b.Resources
	if r.Time > 0 {
		words = append(words, "--time="+minutes(r.Time))
		if b.Grace > 0 {
			words = append(words, fmt.Sprintf("--signal=B:TERM@%d", int(b.Grace.Seconds())))
		}
	}
	for _, o := range [][2]string{{"partition", r.Partition}, {"account", r.Account}, {"constraint", r.Constraint}, {"exclude", strings.Join(b.Exclude, ",")}} {
		if o[1] != "" {
			words = append(words, "--"+o[0]+"="+o[1])
		}
	}
	return words
}

// join returns words as words of a shell.
func join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = login.Quote(w)
	}
	return strings.Join(quoted, " ")
}

// kilobytes returns an amount of memory in the unit K of Slurm, rounded up.
func kilobytes(n int64) int64 { return (n + 1023) / 1024 }

// minutes returns a time limit in whole minutes, which is the precision of Slurm.
func minutes(d time.Duration) string {
	return strconv.Itoa(max(1, int((d+time.Minute-1)/time.Minute)))
}

// Submitted implements cluster.Engine. On federated clusters the id is followed by the name of the cluster.
func (Slurm) Submitted(output string) (string, error) {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	id, _, _ := strings.Cut(strings.TrimSpace(lines[len(lines)-1]), ";")
	if _, err := strconv.ParseUint(id, 10, 64); err != nil {
		return "", fmt.Errorf("sbatch printed no job id: %q", output)
	}
	return id, nil
}

// squeueFormat has the columns name, id of the job or array, index, state, hosts, expected start and reason. The reason comes last, because it may contain anything.
const squeueFormat = "%j|%F|%K|%T|%N|%S|%r"

// Status implements cluster.Engine. squeue has no option for a prefix of names, and is faster without a list of ids. Times are in
// seconds since 1970, because the machine may be in another time zone than this one.
func (Slurm) Status() string {
	return `SLURM_TIME_FORMAT=%s squeue --noheader --array --states=all --user="$(id -un)" --format='` + squeueFormat + `'`
}

// Final implements cluster.Engine.
func (Slurm) Final(ids []string) string {
	return "sacct --noheader --parsable2 --format=JobName,JobID,State,NodeList,MaxRSS,Reason --jobs=" + strings.Join(ids, ",")
}

// Peaks implements cluster.Meter.
func (s Slurm) Peaks(tasks []cluster.Ref) string {
	ids := make([]string, len(tasks))
	for i, t := range tasks {
		ids[i] = id(t)
	}
	return s.Final(ids)
}

// id returns the id of a task that is not a step.
func id(t cluster.Ref) string {
	if t.Index < 0 {
		return t.Job
	}
	return t.Job + "_" + strconv.Itoa(t.Index)
}

// FinalStates implements cluster.Engine. The lines of a job are followed by those of its steps, which have the memory.
func (Slurm) FinalStates(output string) ([]cluster.State, error) {
	var states []cluster.State
	for line := range strings.Lines(output) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "|", 6)
		if len(f) != 6 {
			return nil, fmt.Errorf("sacct printed %q, which has %d columns instead of 6", line, len(f))
		}
		whole, _, step := strings.Cut(f[1], ".")
		switch last := len(states) - 1; {
		case step && last >= 0:
			states[last].Peak = max(states[last].Peak, size(f[4]))
			continue
		case step || !strings.HasPrefix(f[0], cluster.NamePrefix):
			continue
		}
		job, element, array := strings.Cut(whole, "_")
		s := cluster.State{Name: f[0], Ref: cluster.Ref{Job: job, Index: -1}, Text: f[2], Host: f[3], Reason: f[5]}
		if array {
			index, err := strconv.Atoi(element)
			if err != nil {
				continue // the rest of an array, whose elements have lines of their own
			}
			s.Ref.Index = index
		}
		word, _, _ := strings.Cut(f[2], " ") // CANCELLED by 1000
		if s.Phase = phases[word]; s.Reason == "None" {
			s.Reason = ""
		}
		states = append(states, s)
	}
	return states, nil
}

// size reads an amount of memory such as 1234K; 0 = unknown.
func size(text string) int64 {
	digits := strings.TrimRight(text, "KMGT")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0
	}
	for _, unit := range "KMGT" {
		if digits != text {
			n *= 1024
		}
		if strings.HasSuffix(text, string(unit)) {
			break
		}
	}
	return int64(n)
}

// phases are the states that Slurm names. All others are cluster.Unknown.
var phases = map[string]cluster.Phase{
	"PENDING": cluster.Waiting, "REQUEUED": cluster.Waiting, "REQUEUE_HOLD": cluster.Waiting, "REQUEUE_FED": cluster.Waiting,
	"SPECIAL_EXIT": cluster.Waiting, "RESV_DEL_HOLD": cluster.Waiting,
	"CONFIGURING": cluster.Running, "RUNNING": cluster.Running, "COMPLETING": cluster.Running, "SUSPENDED": cluster.Running,
	"STOPPED": cluster.Running, "SIGNALING": cluster.Running, "STAGE_OUT": cluster.Running, "RESIZING": cluster.Running,
	"COMPLETED": cluster.Completed, "FAILED": cluster.Completed,
	"CANCELLED": cluster.Cancelled, "REVOKED": cluster.Cancelled,
	"OUT_OF_MEMORY": cluster.OutOfMemory, "TIMEOUT": cluster.TimeUp, "DEADLINE": cluster.TimeUp,
	"NODE_FAIL": cluster.NodeFailed, "BOOT_FAIL": cluster.NodeFailed, "PREEMPTED": cluster.Preempted,
}

// States implements cluster.Engine.
func (Slurm) States(output string) ([]cluster.State, error) {
	var states []cluster.State
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, cluster.NamePrefix) {
			continue
		}
		s, err := state(line)
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
	return states, nil
}

func state(line string) (cluster.State, error) {
	f := strings.SplitN(line, "|", 7)
	if len(f) != 7 {
		return cluster.State{}, fmt.Errorf("squeue printed %q, which has %d columns instead of 7", line, len(f))
	}
	s := cluster.State{Name: f[0], Ref: cluster.Ref{Job: f[1], Index: -1}, Phase: phases[f[3]], Text: f[3], Host: f[4], Reason: f[6]}
	if f[2] != "N/A" && f[2] != "" {
		index, err := strconv.Atoi(f[2])
		if err != nil {
			return cluster.State{}, fmt.Errorf("squeue printed %q: %q is no index of an array", line, f[2])
		}
		s.Ref.Index = index
	}
	if s.Reason == "None" {
		s.Reason = ""
	}
	if s.Phase == cluster.Completed && s.Reason == "JobLaunchFailure" {
		s.Phase = cluster.NotLaunched
	}
	if start, err := strconv.ParseInt(f[5], 10, 64); err == nil && s.Phase == cluster.Waiting {
		s.Expected = time.Unix(start, 0)
	}
	return s, nil
}

// Cancel implements cluster.Engine. One call takes many ids. scancel with a signal does not remove waiting jobs. Without one,
// and with KILL, it sends TERM first and KILL after the KillWait of the configuration, 30 s.
func (Slurm) Cancel(tasks []cluster.Ref, how cluster.Cancellation) string {
	var jobs, steps []string
	for _, t := range tasks {
		if t.Step != "" {
			steps = append(steps, t.Step)
		} else {
			jobs = append(jobs, id(t))
		}
	}
	var script []string
	call := func(options string, ids []string) {
		if len(ids) > 0 {
			script = append(script, "scancel --quiet "+options+" "+strings.Join(ids, " "))
		}
	}
	call("--state=PENDING", jobs)
	switch how {
	case cluster.CancelTerminate:
		for _, signal := range []string{"TERM", "CONT"} {
			call("--full --signal="+signal, jobs)
			call("--signal="+signal, steps)
		}
	case cluster.CancelScript:
		call("--batch --signal=TERM", jobs)
		call("--signal=KILL", steps)
	case cluster.CancelKill:
		call("", jobs)
		call("--signal=KILL", steps)
	}
	return strings.Join(script, "; ")
}

// uncertain are parts of messages after which the controller may have taken the job nevertheless.
var uncertain = []string{"timed out", "unable to contact", "communication", "unexpected message", "zero bytes", "connection"}

// Refused implements cluster.Engine.
func (Slurm) Refused(message string) bool {
	message = strings.ToLower(message)
	for _, part := range uncertain {
		if strings.Contains(message, part) {
			return false
		}
	}
	return strings.Contains(message, "sbatch: error:") || strings.Contains(message, "sbatch: fatal:") ||
		strings.Contains(message, "sbatch: unrecognized option") || strings.Contains(message, "not found")
}

// passing are parts of refusals after which the same submission can succeed later.
var passing = []string{"qosmaxsubmit", "assocmaxsubmit", "maxsubmit", "job violates accounting/qos policy", "too many", "resource temporarily unavailable",
	"slurm temporarily unable", "rate limit", "job queue limit", "maxjobcount"}

// Busy implements cluster.Engine.
func (Slurm) Busy(message string) bool {
	message = strings.ToLower(message)
	for _, part := range passing {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}

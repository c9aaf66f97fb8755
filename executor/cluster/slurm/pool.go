package slurm

import (
	"fmt"
	"strings"

	"wf/executor"
	"wf/executor/cluster"
)

var _ cluster.Pooler = Slurm{}

// Hold implements cluster.Pooler. Memory is asked for per processor, because the steps of an allocation that was made with a
// size per machine would each get all of it. An allocation on several machines goes on if one of them fails.
func (Slurm) Hold(b *cluster.Batch, script, args string) string {
	r, cpus := b.Resources, max(1, b.Resources.CPUs)
	words := append(submission(b), "--no-kill", fmt.Sprintf("--ntasks=%d", b.Tasks), fmt.Sprintf("--cpus-per-task=%d", cpus))
	if r.Memory > 0 {
		words = append(words, fmt.Sprintf("--mem-per-cpu=%dK", perCPU(r.Memory, cpus)))
	}
	if r.GPUs > 0 {
		words = append(words, fmt.Sprintf("--gpus-per-task=%d", r.GPUs))
	}
	return before + join(append(words, strings.Fields(r.Options)...)) + " " + script + " " + args
}

// Step implements cluster.Pooler. There is no --overlap: with it, Slurm does not count what other steps use, and gives all
// steps the same first processors and graphics processors of a machine.
func (Slurm) Step(r executor.Resources) string {
	cpus := max(1, r.CPUs)
	words := []string{"srun", "--quiet", "--exact", "--nodes=1", "--ntasks=1", fmt.Sprintf("--cpus-per-task=%d", cpus), "--input=none", "--mpi=none"}
	if r.Memory > 0 {
		words = append(words, fmt.Sprintf("--mem-per-cpu=%dK", perCPU(r.Memory, cpus)))
	}
	if r.GPUs > 0 {
		words = append(words, fmt.Sprintf("--gpus-per-task=%d", r.GPUs))
	}
	if r.Time > 0 {
		words = append(words, "--time="+minutes(r.Time))
	}
	return join(words)
}

// perCPU returns the memory of each processor of a task in the unit K of Slurm, rounded up.
func perCPU(memory int64, cpus int) int64 { return (kilobytes(memory) + int64(cpus) - 1) / int64(cpus) }

// StepID implements cluster.Pooler.
func (Slurm) StepID() string { return "$SLURM_JOB_ID.$SLURM_STEP_ID" }

// Machine implements cluster.Pooler.
func (Slurm) Machine() string { return "$SLURMD_NODENAME" }

// Left implements cluster.Pooler. An allocation with --no-kill goes on without a machine that has failed, even if this is the one
// that executed its script. While it ends, its machines vanish from the list one after the other.
func (Slurm) Left(allocation cluster.State, machine string) bool {
	return allocation.Text == "RUNNING" && allocation.Host != "" && !includes(allocation.Host, machine)
}

// stepFailures are parts of what srun prints, and what they mean.
var stepFailures = []struct {
	text  string
	phase cluster.Phase
}{
	{"out of memory", cluster.OutOfMemory}, {"oom_kill", cluster.OutOfMemory}, {"oom kill", cluster.OutOfMemory},
	{"due to time limit", cluster.TimeUp}, {"due to preemption", cluster.Preempted}, {"due to node failure", cluster.NodeFailed},
	{"node failure", cluster.NodeFailed}, {"node_fail", cluster.NodeFailed}, {"cancelled at", cluster.Cancelled},
}

// StepFailure implements cluster.Pooler.
func (Slurm) StepFailure(message string) cluster.Phase {
	message = strings.ToLower(message)
	for _, f := range stepFailures {
		if strings.Contains(message, f.text) {
			return f.phase
		}
	}
	return cluster.Unknown
}

package slurm

import (
	"reflect"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/cluster"
)

func TestSubmit(t *testing.T) {
	b := &cluster.Batch{Name: "wf-1", Tasks: 3, Grace: time.Minute, Exclude: []string{"n1", "n2"},
		Resources: executor.Resources{CPUs: 4, Memory: 16 << 30, GPUs: 1, Time: 90 * time.Second, Partition: "long", Options: "--qos=high"}}
	want := before + "'sbatch' '--parsable' '--no-requeue' '--export=NONE' '--chdir=/' '--input=/dev/null' '--output=/dev/null' '--job-name=wf-1' " +
		"'--time=2' '--signal=B:TERM@60' '--partition=long' '--exclude=n1,n2' '--array=0-2' '--ntasks=1' '--cpus-per-task=4' '--mem=16777216K' '--gpus=1' '--qos=high' job.sh a b"
	if got := (Slurm{}).Submit(b, "job.sh", "a b"); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

func TestHold(t *testing.T) {
	b := &cluster.Batch{Name: "wf-1", Tasks: 12, Grace: time.Minute, Environment: true,
		Resources: executor.Resources{CPUs: 3, Memory: 1 << 30, GPUs: 1, Time: time.Hour, Options: "--qos=high"}}
	want := before + "'sbatch' '--parsable' '--no-requeue' '--export=ALL' '--chdir=/' '--input=/dev/null' '--output=/dev/null' '--job-name=wf-1' " +
		"'--time=60' '--signal=B:TERM@60' '--no-kill' '--ntasks=12' '--cpus-per-task=3' '--mem-per-cpu=349526K' '--gpus-per-task=1' '--qos=high' pool.sh a b"
	if got := (Slurm{}).Hold(b, "pool.sh", "a b"); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	want = "'srun' '--quiet' '--exact' '--nodes=1' '--ntasks=1' '--cpus-per-task=3' '--input=none' '--mpi=none' '--mem-per-cpu=349526K' '--gpus-per-task=1' '--time=60'"
	if got := (Slurm{}).Step(b.Resources); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

// The lines are what srun 22.05 prints, and slurmstepd through it.
func TestStepFailure(t *testing.T) {
	for message, want := range map[string]cluster.Phase{
		"srun: error: n1: task 0: Exited with exit code 3":                                                         cluster.Unknown,
		"srun: error: n1: task 0: Out Of Memory":                                                                   cluster.OutOfMemory,
		"slurmstepd: error: Detected 1 oom_kill event in StepId=7.1. Some of the step tasks have been OOM Killed.": cluster.OutOfMemory,
		"slurmstepd: error: *** STEP 7.1 ON n1 CANCELLED AT 2026-11-23T09:00:00 DUE TO TIME LIMIT ***":             cluster.TimeUp,
		"slurmstepd: error: *** STEP 7.1 ON n1 CANCELLED AT 2026-11-23T09:00:00 DUE TO PREEMPTION ***":             cluster.Preempted,
		"srun: error: Node failure on n2":                                                                          cluster.NodeFailed,
		"slurmstepd: error: *** STEP 7.1 ON n1 CANCELLED AT 2026-11-23T09:00:00 ***":                               cluster.Cancelled,
	} {
		if got := (Slurm{}).StepFailure(message); got != want {
			t.Errorf("%s: %v, not %v", message, got, want)
		}
	}
}

func TestSubmitted(t *testing.T) {
	for output, want := range map[string]string{"17\n": "17", "17;west\n": "17", "a notice of the site\n18\n": "18", "": "", "Submitted batch job 3\n": ""} {
		if got, err := (Slurm{}).Submitted(output); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", output, got, err)
		}
	}
}

// The lines are what squeue 22.05 prints.
func TestStates(t *testing.T) {
	got, err := Slurm{}.States("wf-a-1|12|0|PENDING||1795442700|Priority\n" +
		"wf-a-1|12|1|RUNNING|n2|1795414606|None\n" +
		"theirs|13|N/A|RUNNING|n1|1795414606|None\n" +
		"wf-a-2|14|N/A|NODE_FAIL|n1|N/A|NodeDown\n" +
		"wf-a-3|15|N/A|SLUMBERING|n1|N/A|a|b\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []cluster.State{
		{Name: "wf-a-1", Ref: cluster.Ref{Job: "12", Index: 0}, Phase: cluster.Waiting, Text: "PENDING", Reason: "Priority",
			Expected: time.Unix(1795442700, 0)},
		{Name: "wf-a-1", Ref: cluster.Ref{Job: "12", Index: 1}, Phase: cluster.Running, Text: "RUNNING", Host: "n2"},
		{Name: "wf-a-2", Ref: cluster.Ref{Job: "14", Index: -1}, Phase: cluster.NodeFailed, Text: "NODE_FAIL", Host: "n1", Reason: "NodeDown"},
		{Name: "wf-a-3", Ref: cluster.Ref{Job: "15", Index: -1}, Phase: cluster.Unknown, Text: "SLUMBERING", Host: "n1", Reason: "a|b"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nnot\n%+v", got, want)
	}
	if _, err := (Slurm{}).States("wf-a-1|12|0\n"); err == nil {
		t.Error("a short line is accepted")
	}
}

// The memory is in the lines of the steps.
func TestFinalStates(t *testing.T) {
	got, err := Slurm{}.FinalStates("wf-a-1|12_0|OUT_OF_MEMORY|n2||None\nbatch|12_0.batch|OUT_OF_MEMORY|n2|2048K|\n" +
		"wf-a-1|12_1|CANCELLED by 1000|n2||None\nwf-a-1|12_[2-9]|PENDING|||None\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []cluster.State{
		{Name: "wf-a-1", Ref: cluster.Ref{Job: "12", Index: 0}, Phase: cluster.OutOfMemory, Text: "OUT_OF_MEMORY", Host: "n2", Peak: 2 << 20},
		{Name: "wf-a-1", Ref: cluster.Ref{Job: "12", Index: 1}, Phase: cluster.Cancelled, Text: "CANCELLED by 1000", Host: "n2"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nnot\n%+v", got, want)
	}
}

func TestRefused(t *testing.T) {
	for message, want := range map[string][2]bool{ // refused, busy
		"sbatch: error: Batch job submission failed: Invalid partition name specified":                                                  {true, false},
		"sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy":         {true, true},
		"sbatch: error: Batch job submission failed: Socket timed out on send/recv operation":                                           {false, false},
		"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)":                              {false, false},
		"sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\nsbatch: error: Batch job submission failed: ...": {true, true},
		"sh: 1: sbatch: not found": {true, false},
	} {
		if got := [2]bool{Slurm{}.Refused(message), Slurm{}.Busy(message)}; got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

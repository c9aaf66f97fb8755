package cluster_test

import (
	"testing"
	"time"

	"wf/executor"
	"wf/executor/cluster"
	"wf/executor/cluster/slurm"
	"wf/executor/cluster/slurmtest"
	"wf/executor/executortest"
	"wf/executor/login"
)

// realSlurm starts a Slurm and returns a function that makes executors for it.
func realSlurm(t *testing.T) func() *cluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Slurm")
	}
	c := slurmtest.Start(t, slurmtest.Config{CPUs: 16})
	timing := cluster.Timing{Poll: 100 * time.Millisecond, Slowest: time.Second, Collect: 10 * time.Millisecond, Missing: 20 * time.Second,
		Doubt: 5 * time.Second, Retry: 100 * time.Millisecond, SlowRetry: time.Second, StopAgain: time.Second}
	return func() *cluster.Cluster {
		shell := &login.Shell{Via: append(append([]string{"env"}, c.Env()...), "sh", "-c")}
		return &cluster.Cluster{Name: "hpc", Engine: slurm.Slurm{}, Shell: shell, Timing: timing}
	}
}

// TestContractWithSlurm checks what executors promise, with a real Slurm.
func TestContractWithSlurm(t *testing.T) {
	t.Parallel()
	newCluster := realSlurm(t)
	executortest.Test(t, func(t *testing.T) executor.Executor { return newCluster() }, clusterPromises)
}

func TestCommandsOfABatchWithSlurm(t *testing.T) {
	r := open(t, realSlurm(t)())
	r.start("echo one; echo oops >&2", "exit 7", "true")
	for node, code := range []int{0, 7, 0} {
		if e := r.await(executor.Ended, node); e.Exit != (executor.Exit{Code: code}) {
			t.Errorf("node %d: %+v", node, e)
		}
	}
	e := r.await(executor.Ended, 0)
	if got := r.output(e.Out) + r.output(e.Err); got != "one\noops\n" {
		t.Errorf("the output is %q", got)
	}
}

// TestContractOfPoolsWithSlurm is TestContractWithSlurm for the steps of allocations.
func TestContractOfPoolsWithSlurm(t *testing.T) {
	t.Parallel()
	newCluster := realSlurm(t)
	executortest.Test(t, func(t *testing.T) executor.Executor {
		c := newCluster()
		c.Resources.Mode, c.Pool = cluster.ModePool, cluster.Pool{Size: 24}
		return c
	}, poolPromises)
}

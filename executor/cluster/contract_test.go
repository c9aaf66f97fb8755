package cluster_test

import (
	"testing"

	"wf/executor"
	"wf/executor/executortest"
)

// TestContract checks what executors promise. MaxJobs keeps the time of the test low.
func TestContract(t *testing.T) {
	t.Parallel()
	executortest.Test(t, func(t *testing.T) executor.Executor {
		c, _ := fakeSlurm(t)
		return c
	}, clusterPromises)
}

var clusterPromises = executortest.Options{Width: true, SharedFiles: true, MaxJobs: 24}

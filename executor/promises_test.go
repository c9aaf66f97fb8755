package executor_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"wf/executor"
	"wf/executor/executortest"
)

// TestExecutorWithoutOptionalPromises checks that the cases of executortest need no promise that their executor does not
// make.
func TestExecutorWithoutOptionalPromises(t *testing.T) {
	executortest.Test(t, func(t *testing.T) executor.Executor { return minimalExecutor{newLocal(t)} }, executortest.Options{MaxJobs: 8})
}

// A minimalExecutor makes no optional promise: no pids, no leftovers, no width, no order, no gates.
type minimalExecutor struct{ executor.Executor }

func (x minimalExecutor) Open(ctx context.Context, spec executor.Spec) (executor.Session, error) {
	report := spec.Report
	spec.Report = func(reports []executor.Report) {
		var kept []executor.Report
		for _, r := range reports {
			if r.Kind != executor.Resized && r.Kind != executor.Leftovers {
				r.PID = 0
				kept = append(kept, r)
			}
		}
		report(kept)
	}
	session, err := x.Executor.Open(ctx, spec)
	return minimalSession{session}, err
}

type minimalSession struct{ executor.Session }

// Start hands over the jobs in the opposite order.
func (s minimalSession) Start(jobs []executor.Job) error {
	if slices.ContainsFunc(jobs, func(j executor.Job) bool { return len(j.After) > 0 }) {
		return errors.New("a job waits for others")
	}
	jobs = slices.Clone(jobs)
	slices.Reverse(jobs)
	return s.Session.Start(jobs)
}

func (s minimalSession) Gates() bool  { return false }
func (s minimalSession) SetWidth(int) {}

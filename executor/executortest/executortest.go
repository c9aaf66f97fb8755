// Package executortest tests what executors promise: Test has a case for each sentence of the contract in package executor,
// and a Harness is one run for further tests. It uses only the interface, and waits for events, not for time to pass.
//
// Commands and tests talk through named pipes in Spec.Cwd, and tests check by pid that processes are gone. So an executor
// under test has to execute its commands on this machine, also if an engine places them.
package executortest

import (
	"testing"

	"wf/executor"
)

// Options says which of the optional promises an executor makes: see executor.Executor. Test skips the cases and checks that
// need another one.
type Options struct {
	LocalProcesses bool // it reports pids, leaves leftovers alone until Close, and kills also processes that left their session
	Width          bool // it limits how many executions run at once, and reports the limit
	Order          bool // jobs that can start at the same time start in the order in which they were handed over
	Unattended     bool // waiting jobs start also while no session is open
	Gates          bool // jobs can wait for other jobs; otherwise Start refuses such jobs
	LargeArguments bool // an argument that is too large for exec is passed in a file, or an error names it
	SharedFiles    bool // executions that do not overlap share output files
	PeakMemory     bool // it reports the peak of memory of commands that used much

	// MaxJobs limits how many jobs a case hands over that needs many, for executors that take seconds for each; 0 means
	// no limit. It does not go below eight, which cases need to say anything.
	MaxJobs int
}

// Test tests an executor. Executors that newExecutor returns for the same t share what survives a restart of the daemon
// (logs, sockets).
func Test(t *testing.T, newExecutor func(t *testing.T) executor.Executor, promised Options) {
	for _, group := range []struct {
		name     string
		cases    []testCase
		promised bool
		what     string // is promised, see need
	}{
		{"exit", exitCases, true, ""},
		{"large", largeCases, true, ""},
		{"output", outputCases, true, ""},
		{"width", widthCases, promised.Width, widthLimits},
		{"gate", gateCases, promised.Gates, gatesSupported},
		{"no gate", noGateCases, !promised.Gates, gatesRefused},
		{"stop", stopCases, true, ""},
		{"follow", followCases, true, ""},
		{"close", closeCases, true, ""},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					if !group.promised {
						t.Skip(unpromised + group.what)
					}
					t.Parallel()
					h := New(t, newExecutor(t))
					h.promised = promised
					c.test(h)
				})
			}
		})
	}
}

// A testCase is one sentence of the contract.
type testCase struct {
	name string
	test func(h *Harness)
}

const unpromised = "the executor does not promise "

// Promises as they stand in the reason of a skipped case, after unpromised.
const (
	sessionsFound  = "to find processes that have left their session"
	leftoversGoOn  = "that leftovers go on after the end of their command"
	widthLimits    = "that no more jobs than the width run at once"
	startsAlone    = "that jobs start while no session is open"
	noPeakMemory   = "to report the peak of memory"
	gatesSupported = "to support jobs that wait for others"
	gatesRefused   = "to refuse jobs that wait for others"
	namedInMessage = "that a message names what is too large for exec"
)

// need skips the case unless the executor makes a promise, which what describes.
func (h *Harness) need(promised bool, what string) {
	h.Helper()
	if !promised {
		h.Skip(unpromised + what)
	}
}

// many returns n, or Options.MaxJobs if that is less, but at least eight.
func (h *Harness) many(n int) int {
	if h.promised.MaxJobs > 0 {
		return min(n, max(h.promised.MaxJobs, 8))
	}
	return n
}

package executor_test

import (
	"testing"

	"wf/executor"
)

// testContract tests what every executor promises. It uses only the interface, and waits for events, not for time to
// pass. Executors that newExecutor returns for the same t share what survives a restart of the daemon (logs, sockets).
func testContract(t *testing.T, newExecutor func(t *testing.T) executor.Executor) {
	for _, group := range []struct {
		name  string
		cases []testCase
	}{
		{"exit", exitCases},
		{"large", largeCases},
		{"output", outputCases},
		{"width", widthCases},
		{"gate", gateCases},
		{"stop", stopCases},
		{"follow", followCases},
		{"close", closeCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.test(newHarness(t, newExecutor(t)))
				})
			}
		})
	}
}

// A testCase is one sentence of the contract.
type testCase struct {
	name string
	test func(h *harness)
}

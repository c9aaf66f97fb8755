package executor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wf/executor"
	"wf/executor/proc"
)

// startAfter hands over a command that waits for others.
func (r *run) startAfter(node int, command string, after ...int) {
	r.Helper()
	if !r.session.Gates() { // no runner has said hello yet
		r.start(1000, "")
		r.await(executor.Ended, 1000)
	}
	j := executor.Job{ID: executor.ID{Node: node, Execution: 1}, Command: command,
		Env: []string{fmt.Sprint("WF_NODE_ID=", node), "WF_EXECUTION=1"}}
	for _, a := range after {
		j.After = append(j.After, executor.ID{Node: a, Execution: 1})
	}
	if err := r.session.Start([]executor.Job{j}); err != nil {
		r.Fatal(err)
	}
}

// TestRunnerDiesAtEachPointOfAChain kills the runner at every point of an execution in the middle of a chain. The last node
// of the chain also waits for another node. Each node runs once, after those that it waits for.
func TestRunnerDiesAtEachPointOfAChain(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	const nodes = 5
	for _, point := range points {
		for victim := range nodes {
			t.Run(fmt.Sprint(point, " at ", victim), func(t *testing.T) {
				r := openRun(t, newLocal(t), t.TempDir())
				log := filepath.Join(r.TempDir(), "log")
				pipe, release := r.pipe()
				if err := os.WriteFile(filepath.Join(r.dir, deathFile), fmt.Append(nil, point, " at ", victim), 0o600); err != nil {
					t.Fatal(err)
				}
				r.start(10, "read x <"+pipe)
				for node := range nodes {
					command := fmt.Sprintf("echo %d >>%s", node, log)
					switch node {
					case 0:
						r.startAfter(node, command, 10)
					case nodes - 1:
						r.startAfter(node, command, node-1, 10)
					default:
						r.startAfter(node, command, node-1)
					}
				}
				release()
				want := ""
				for node := range nodes {
					if end := r.await(executor.Ended, node); end.Exit != (executor.Exit{User: end.Exit.User, System: end.Exit.System}) {
						t.Errorf("node %d: %+v %s", node, end.Exit, end.Message)
					}
					want += strconv.Itoa(node) + "\n"
				}
				if text, err := os.ReadFile(log); err != nil || string(text) != want {
					t.Errorf("log %q (%v)", text, err)
				}
				if _, err := os.Stat(filepath.Join(r.dir, deathFile)); err == nil {
					t.Errorf("no runner has died at %q", point)
				}
				r.close()
			})
		}
	}
}

// TestRunnerDiesBeforeAGate kills the runner between two nodes of a chain. The first one fails under the next runner, and
// the second one never starts.
func TestRunnerDiesBeforeAGate(t *testing.T) {
	if err := proc.BecomeSubreaper(); err != nil {
		t.Fatal(err)
	}
	r := openRun(t, newLocal(t), t.TempDir())
	first, tellFirst := r.pipe()
	r.start(0, "read x <"+first+"; exit 3")
	r.start(1, "true")
	r.startAfter(2, "true", 0)
	r.startAfter(3, "exit 5", 1)
	r.await(executor.Ended, 3)
	r.await(executor.Started, 0)
	r.killRunner()
	r.startAfter(4, "exit 6", 1, 3) // 3 had failed before the death of the runner
	tellFirst()
	if end := r.await(executor.Ended, 0); end.Exit.Code != 3 {
		t.Errorf("exit %+v", end.Exit)
	}
	r.start(5, "true")
	r.await(executor.Ended, 5)
	for _, node := range []int{2, 4} {
		r.session.Stop([]executor.ID{{Node: node, Execution: 1}}, 0)
		if end := r.await(executor.Ended, node); !end.Exit.Stopped || end.PID != 0 {
			t.Errorf("node %d: %+v", node, end)
		}
	}
	text, err := os.ReadFile(filepath.Join(r.dir, "record"))
	if err != nil || strings.Contains(string(text), `{"k":"fork","n":2,`) || strings.Contains(string(text), `{"k":"fork","n":4,`) {
		t.Errorf("forked behind a shut gate (%v)", err)
	}
	r.close()
}

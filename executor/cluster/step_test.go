package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/executor"
)

// stepFolder makes the folder of a run with step.sh, a list of tasks, and a job.sh that notes the task in the file ran and does
// what the file do/TASK says.
func stepFolder(t *testing.T, list string, do map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"pool/p", "starts", "stops", "news", "do"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{"step.sh": stepScript, "pool/p/list": list, "ran": "",
		"job.sh": "echo $3 >> ran\n: > starts/$3\n[ ! -f do/$3 ] || . ./do/$3\n: > news/e.$3\n"}
	for task, text := range do {
		files["do/"+task] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A step executes tasks of the list one after the other, until one of them needs a step of its own to explain or end it.
func TestTasksOfAStep(t *testing.T) {
	for _, c := range []struct {
		name, list, task string
		line             int
		do               map[string]string
		code             int
		ran, at          string
	}{
		{"all of the list", "1.1\n2.1\n3.1\n", "1.1", 2, nil, 0, "1.1 2.1 3.1", "3.1"},
		{"from its line on", "1.1\n2.1\n3.1\n", "2.1", 3, nil, 0, "2.1 3.1", "3.1"},
		{"not those that have started", "1.1\n2.1\n3.1\n", "1.1", 2, map[string]string{"1.1": ": > starts/2.1"}, 0, "1.1 3.1", "3.1"},
		{"nothing after a failure", "1.1\n2.1\n3.1\n", "1.1", 2, map[string]string{"2.1": "exit 1"}, 1, "1.1 2.1", "2.1"},
		{"nothing after its job script was killed", "1.1\n2.1\n", "1.1", 2, map[string]string{"1.1": "kill -9 $$"}, 137, "1.1", "1.1"},
		{"on if another step was faster", "1.1\n2.1\n", "1.1", 2, map[string]string{"1.1": "exit 98"}, 0, "1.1 2.1", "2.1"},
		{"nothing after a task that is being stopped", "1.1\n2.1\n", "1.1", 2, map[string]string{"1.1": "echo TERM > stops/1.1"}, 99, "1.1", "1.1"},
		{"nothing when the allocation closes", "1.1\n2.1\n", "1.1", 2, map[string]string{"1.1": ": > pool/p/closed"}, 0, "1.1", "1.1"},
		{"nothing after TERM", "1.1\n2.1\n", "1.1", 2, map[string]string{"1.1": "kill -TERM $PPID; exit 0"}, 0, "1.1", "1.1"},
		{"on after TERM for what a task has left behind", "1.1\n2.1\n", "1.1", 2, map[string]string{"1.1": ": > news/e.1.1; kill -TERM $PPID"}, 0, "1.1 2.1", "2.1"},
		{"no line that is being written", "1.1\n2.1\n3.1", "1.1", 2, nil, 0, "1.1 2.1", "2.1"},
		{"what comes later", "1.1\n", "1.1", 2, map[string]string{"1.1": "echo 2.1 >> pool/p/list"}, 0, "1.1 2.1", "2.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := stepFolder(t, c.list, c.do)
			cmd := exec.Command("sh", filepath.Join(dir, "step.sh"), dir, "p", "7", fmt.Sprint(c.line), "60", c.task)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit status %d, want %d: %s", code, c.code, out)
			}
			if ran := strings.Join(strings.Fields(read(t, dir, "ran")), " "); ran != c.ran {
				t.Errorf("it executed %q, want %q", ran, c.ran)
			}
			if at := strings.TrimSpace(read(t, dir, "pool/p/at.7")); at != c.at {
				t.Errorf("the last task is %q, want %q", at, c.at)
			}
		})
	}
}

func TestStepTakesNoTasksAfterItsSpan(t *testing.T) {
	dir := stepFolder(t, "1.1\n2.1\n", nil)
	if out, err := exec.Command("sh", filepath.Join(dir, "step.sh"), dir, "p", "7", "2", "0", "1.1").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if ran := read(t, dir, "ran"); ran != "1.1\n" {
		t.Errorf("it executed %q", ran)
	}
}

// A task whose step has gone on gets no signal: it would hit another one.
func TestMarkOfTasksThatWereLeft(t *testing.T) {
	dir := stepFolder(t, "", nil)
	f := folder{}
	tasks := []*task{{job: executor.Job{ID: executor.ID{Node: 1, Execution: 1}}}, {job: executor.Job{ID: executor.ID{Node: 2, Execution: 1}}}}
	if err := os.WriteFile(filepath.Join(dir, "stops/1.1"), []byte("left\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, signal := range []string{"TERM", "KILL"} {
		cmd := exec.Command("sh", "-c", f.mark(tasks, signal))
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil || string(out) != "left 1.1\n" {
			t.Errorf("%s: %q, %v", signal, out, err)
		}
		if got := read(t, dir, "stops/1.1") + read(t, dir, "stops/2.1"); got != "left\n"+signal+"\n" {
			t.Errorf("%s: the files are %q", signal, got)
		}
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An allocation has as many tasks as it executes at once, and what ends until the look after the next one.
func TestDepthOfAnAllocation(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const poll = 2 * time.Second
	for _, c := range []struct {
		name        string
		load, ended int
		after       time.Duration
		depth       int
		eager       bool
	}{
		{"nothing has ended", 12, 0, 10 * time.Second, 12, false},
		{"a long task has ended", 11, 1, time.Hour, 12, false},
		{"all have ended", 0, 12, 2 * time.Second, 12 + 2*24, true},
		{"some have ended", 90, 10, 2 * time.Second, 12 + 2*10, false},
		{"very many have ended", 0, 900, time.Millisecond, 1200, true},
	} {
		h := &hold{Width: 12, depth: 12, ended: c.ended, since: start}
		now := start.Add(c.after)
		h.adapt(c.load, poll, now)
		if eager := now.Before(h.eager); h.depth != c.depth || eager != c.eager {
			t.Errorf("%s: depth %d, eager %t", c.name, h.depth, eager)
		}
	}
	h := &hold{Width: 12, depth: 500, since: start}
	if h.adapt(0, poll, start.Add(time.Minute)); h.depth != 12 {
		t.Errorf("depth %d after a time without tasks", h.depth)
	}
}

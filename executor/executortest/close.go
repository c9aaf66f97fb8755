package executortest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"wf/executor"
	"wf/executor/proc"
)

var closeCases = []testCase{
	{"nothing is left", func(h *Harness) {
		ready := h.Pipe("ready")
		pids := []int{}
		commands := []string{`sleep 1000 & echo $! >%s`}
		if h.promised.LocalProcesses {
			commands = append(commands,
				`setsid sh -c 'echo $$ >%[1]s; exec sleep 1000' &`,
				`(env -i setsid sh -c 'trap "" TERM; echo $$ >%[1]s; while :; do sleep 1000; done' &)`,
				`setsid sh -c 'echo $$ >%[1]s; kill -STOP $$' &`)
		}
		for node, command := range commands {
			h.Start(node, fmt.Sprintf(command, ready))
			pids = append(pids, h.AwaitPID(ready))
			h.Ended(node)
		}
		if survivors := h.Close(); len(survivors) > 0 {
			h.Errorf("survivors %v", survivors)
		}
		count := 0
		for _, r := range h.Reports() {
			if r.Kind == executor.Leftovers {
				count += r.Count
			}
		}
		if h.promised.LocalProcesses && count < len(pids) {
			h.Errorf("%d processes were left behind, %d are reported", len(pids), count)
		}
		for _, pid := range pids {
			if proc.IsAlive(pid) {
				h.Errorf("process %d is left", pid)
			}
		}
	}},
	{"running executions are stopped and reported", func(h *Harness) {
		ready := h.Pipe("ready")
		h.Start(0, fmt.Sprintf(families[1].command, ready))
		pid := h.AwaitPID(ready)
		h.Close()
		h.expectStopped(0, syscall.SIGKILL)
		if proc.IsAlive(pid) {
			h.Errorf("process %d is left", pid)
		}
	}},
	{"the environment is removed from the disk", func(h *Harness) {
		secret := "TOKEN=do-not-keep-me"
		h.Close()
		h.Spec.Dir = filepath.Join(h.TempDir(), "second")
		if err := os.Mkdir(h.Spec.Dir, 0o700); err != nil {
			h.Fatal(err)
		}
		h.Spec.Env = append(h.Spec.Env, secret)
		h.Open()
		h.Execute(0, "true")
		h.Close()
		h.expectNowhere("do-not-keep-me")
	}},
	{"a closed run takes no jobs", func(h *Harness) {
		session := h.Session
		h.Close()
		if session.Start([]executor.Job{h.Job(0, "true")}) == nil {
			h.Error("a job was taken")
		}
	}},
	{"close after an end that is not reported yet", func(h *Harness) {
		h.Start(0, "exit 3")
		h.Close()
		if r := h.Ended(0); r.Exit.Code != 3 && !r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a run without jobs", func(h *Harness) {
		ctx, cancel := context.WithTimeout(context.Background(), Timeout)
		defer cancel()
		begin := time.Now()
		if survivors, err := h.Session.Close(ctx); len(survivors) > 0 || err != nil {
			h.Errorf("survivors %v, error %v", survivors, err)
		}
		h.Session = nil
		h.Logf("closed after %v", time.Since(begin))
	}},
}

// expectNowhere checks that no file in the folder of the run contains text.
func (h *Harness) expectNowhere(text string) {
	h.Helper()
	err := filepath.WalkDir(h.Spec.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.Contains(content, []byte(text)) {
			h.Errorf("%s contains a value of the environment", path)
		}
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
}

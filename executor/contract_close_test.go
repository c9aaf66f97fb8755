package executor_test

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
	"wf/executor/wire"
)

var closeCases = []testCase{
	{"nothing is left", func(h *harness) {
		ready := h.pipe("ready")
		pids := []int{}
		for node, command := range []string{
			`sleep 1000 & echo $! >%s`,
			`setsid sh -c 'echo $$ >%[1]s; exec sleep 1000' &`,
			`(env -i setsid sh -c 'trap "" TERM; echo $$ >%[1]s; while :; do sleep 1000; done' &)`,
			`setsid sh -c 'echo $$ >%[1]s; kill -STOP $$' &`,
		} {
			h.start(node, fmt.Sprintf(command, ready))
			pids = append(pids, h.awaitPID(ready))
			h.ended(node)
		}
		if survivors := h.close(); len(survivors) > 0 {
			h.Errorf("survivors %v", survivors)
		}
		count := 0
		for _, r := range h.news.all() {
			if r.Kind == executor.Leftovers {
				count += r.Count
			}
		}
		if count < len(pids) {
			h.Errorf("%d processes were left behind, %d are reported", len(pids), count)
		}
		for _, pid := range pids {
			if proc.IsAlive(pid) {
				h.Errorf("process %d is left", pid)
			}
		}
	}},
	{"running executions are stopped and reported", func(h *harness) {
		ready := h.pipe("ready")
		h.start(0, fmt.Sprintf(families[1].command, ready))
		pid := h.awaitPID(ready)
		h.close()
		h.expectStopped(0, syscall.SIGKILL)
		if proc.IsAlive(pid) {
			h.Errorf("process %d is left", pid)
		}
	}},
	{"the environment is removed from the disk", func(h *harness) {
		secret := "TOKEN=do-not-keep-me"
		h.close()
		h.spec.Dir = filepath.Join(h.TempDir(), "second")
		if err := os.Mkdir(h.spec.Dir, 0o700); err != nil {
			h.Fatal(err)
		}
		h.spec.Env = append(h.spec.Env, secret)
		h.open()
		h.run(0, "true")
		h.close()
		h.expectNowhere("do-not-keep-me")
	}},
	{"a closed run takes no jobs", func(h *harness) {
		session := h.session
		h.close()
		if session.Start([]wire.Job{h.job(0, "true")}) == nil {
			h.Error("a job was taken")
		}
	}},
	{"close after an end that is not reported yet", func(h *harness) {
		h.start(0, "exit 3")
		h.close()
		if r := h.ended(0); r.Exit.Code != 3 && !r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a run without jobs", func(h *harness) {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		begin := time.Now()
		if survivors, err := h.session.Close(ctx); len(survivors) > 0 || err != nil {
			h.Errorf("survivors %v, error %v", survivors, err)
		}
		h.session = nil
		h.Logf("closed after %v", time.Since(begin))
	}},
}

// expectNowhere checks that no file in the folder of the run contains text.
func (h *harness) expectNowhere(text string) {
	h.Helper()
	err := filepath.WalkDir(h.spec.Dir, func(path string, d os.DirEntry, err error) error {
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

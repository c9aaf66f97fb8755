package executor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"wf/executor"
	"wf/executor/proc"
	"wf/executor/wire"
)

var followCases = []testCase{
	{"executions that have ended meanwhile or still run", func(h *harness) {
		ready, proceed, done := h.pipe("ready"), h.pipe("go"), h.pipe("done")
		h.start(0, "echo zero; exit 3", "echo one; echo >"+ready.path+"; read x <"+proceed.path+"; exit 4",
			"read x <"+done.path+"; exit 5")
		h.ended(0)
		h.awaitLine(ready)
		before := h.started(1)
		h.started(2)
		h.session.Detach()
		h.release(done)
		h.spec.Env = nil
		h.open()
		if r := h.ended(0); r.Exit.Code != 3 || h.output(r.Out) != "zero\n" {
			h.Errorf("ended before detaching: %+v", r)
		}
		if r := h.ended(2); r.Exit.Code != 5 {
			h.Errorf("ended meanwhile: %+v", r.Exit)
		}
		if again := h.started(1); again.PID != before.PID || !again.Time.Equal(before.Time) {
			h.Errorf("started %+v, then %+v", before, again)
		}
		h.release(proceed)
		if r := h.ended(1); r.Exit.Code != 4 || h.output(r.Out) != "one\n" {
			h.Errorf("still running: %+v", r)
		}
	}},
	{"all reports are repeated in order", func(h *harness) {
		const nodes = 30
		for node := range nodes {
			h.run(node, fmt.Sprintf("exit %d", node))
		}
		first := h.news.all()
		h.reopen()
		h.run(nodes, "true")
		again := h.news.all()[:len(first)]
		if !slices.EqualFunc(first, again, sameNews) {
			h.Errorf("first %+v\nthen %+v", first, again)
		}
	}},
	{"the run keeps its environment", func(h *harness) {
		h.reopen()
		if r := h.run(0, `echo "$COLOUR"; pwd -P`); h.output(r.Out) != "blue\n"+realPath(h.spec.Cwd)+"\n" {
			h.Errorf("output %q", h.output(r.Out))
		}
	}},
	{"an execution is not repeated", func(h *harness) {
		h.run(0, "echo once >>"+h.file("log"))
		h.reopen()
		h.start(0, "echo twice >>"+h.file("log"))
		h.run(1, "true")
		if text, _ := os.ReadFile(h.file("log")); string(text) != "once\n" {
			h.Errorf("log %q", text)
		}
	}},
	{"a job handed over before detaching is executed", func(h *harness) {
		h.start(0, "echo kept")
		h.reopen()
		if r := h.ended(0); h.output(r.Out) != "kept\n" {
			h.Errorf("output %q", h.output(r.Out))
		}
	}},
	{"reports once when everything earlier is reported", func(h *harness) {
		proceed := h.pipe("go")
		h.run(0, "true")
		h.start(1, "read x <"+proceed.path)
		h.startAfter(11, "touch "+h.file("ran"), 1)
		h.started(1)
		before := len(h.news.all())
		h.reopen()
		h.news.caughtUp(h.T)
		h.release(proceed)
		h.ended(1)
		h.run(2, "")
		if count := h.news.caughtUp(h.T); count != before {
			h.Errorf("caught up after %d of %d reports", count, before)
		}
		if _, err := os.Stat(h.file("ran")); err == nil || h.has(executor.Started, 11) {
			h.Error("a job has started that was not handed over again")
		}
	}},
	{"stop an execution of an earlier session", func(h *harness) {
		ready := h.pipe("ready")
		h.start(0, fmt.Sprintf(families[1].command, ready))
		pid := h.awaitPID(ready)
		h.reopen()
		h.session.Stop([]wire.ID{id(0)}, shortGrace)
		h.expectStopped(0, syscall.SIGKILL)
		if proc.IsAlive(pid) {
			h.Errorf("process %d is left", pid)
		}
	}},
	{"a stop outlives its session", func(h *harness) {
		ready := h.pipe("ready")
		h.start(0, fmt.Sprintf(families[1].command, ready))
		h.awaitLine(ready)
		h.session.Stop([]wire.ID{id(0)}, shortGrace)
		h.reopen()
		h.expectStopped(0, syscall.SIGKILL)
	}},
}

func sameNews(a, b executor.Report) bool {
	return a.Kind == b.Kind && a.ID == b.ID && a.PID == b.PID && a.Time.Equal(b.Time) &&
		a.Out == b.Out && a.Err == b.Err && a.Exit == b.Exit && a.Message == b.Message
}

func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	return real
}

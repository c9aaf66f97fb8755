package executortest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"wf/executor"
	"wf/executor/proc"
)

var followCases = []testCase{
	{"executions that have ended meanwhile or still run", func(h *Harness) {
		ready, proceed, done := h.Pipe("ready"), h.Pipe("go"), h.Pipe("done")
		h.Start(0, "echo zero; exit 3", "echo one; echo >"+ready.path+"; read x <"+proceed.path+"; exit 4",
			"read x <"+done.path+"; exit 5")
		h.Ended(0)
		h.AwaitLine(ready)
		before := h.Started(1)
		h.Started(2)
		h.Session.Detach()
		h.Release(done)
		h.Spec.Env = nil
		h.Open()
		if r := h.Ended(0); r.Exit.Code != 3 || h.Read(r.Out) != "zero\n" {
			h.Errorf("ended before detaching: %+v", r)
		}
		if r := h.Ended(2); r.Exit.Code != 5 {
			h.Errorf("ended meanwhile: %+v", r.Exit)
		}
		if again := h.Started(1); again.PID != before.PID || !again.Time.Equal(before.Time) {
			h.Errorf("started %+v, then %+v", before, again)
		}
		h.Release(proceed)
		if r := h.Ended(1); r.Exit.Code != 4 || h.Read(r.Out) != "one\n" {
			h.Errorf("still running: %+v", r)
		}
	}},
	{"all reports are repeated in order", func(h *Harness) {
		nodes := h.many(30)
		for node := range nodes {
			h.Execute(node, fmt.Sprintf("exit %d", node))
		}
		first := h.Reports()
		h.Reopen()
		h.Execute(nodes, "true")
		again := h.Reports()[:len(first)]
		if !slices.EqualFunc(first, again, sameNews) {
			h.Errorf("first %+v\nthen %+v", first, again)
		}
	}},
	{"the run keeps its environment", func(h *Harness) {
		h.Reopen()
		if r := h.Execute(0, `echo "$COLOUR"; pwd -P`); h.Read(r.Out) != "blue\n"+realPath(h.Spec.Cwd)+"\n" {
			h.Errorf("output %q", h.Read(r.Out))
		}
	}},
	{"an execution is not repeated", func(h *Harness) {
		h.Execute(0, "echo once >>"+h.File("log"))
		h.Reopen()
		h.Start(0, "echo twice >>"+h.File("log"))
		h.Execute(1, "true")
		if text, _ := os.ReadFile(h.File("log")); string(text) != "once\n" {
			h.Errorf("log %q", text)
		}
	}},
	{"a job handed over before detaching is executed", func(h *Harness) {
		h.Start(0, "echo kept")
		h.Reopen()
		if r := h.Ended(0); h.Read(r.Out) != "kept\n" {
			h.Errorf("output %q", h.Read(r.Out))
		}
	}},
	{"reports once when everything earlier is reported", func(h *Harness) {
		proceed := h.Pipe("go")
		h.Execute(0, "true")
		h.Start(1, "read x <"+proceed.path)
		if h.promised.Gates {
			h.StartAfter(11, "touch "+h.File("ran"), 1)
		}
		h.Started(1)
		before := len(h.Reports())
		h.Reopen()
		h.news.caughtUp(h.T)
		h.Release(proceed)
		h.Ended(1)
		h.Execute(2, "")
		if count := h.news.caughtUp(h.T); count != before {
			h.Errorf("caught up after %d of %d reports", count, before)
		}
		if _, err := os.Stat(h.File("ran")); err == nil || h.Has(executor.Started, 11) {
			h.Error("a job has started that was not handed over again")
		}
	}},
	{"stop an execution of an earlier session", func(h *Harness) {
		ready := h.Pipe("ready")
		h.Start(0, fmt.Sprintf(families[1].command, ready))
		pid := h.AwaitPID(ready)
		h.Reopen()
		h.Session.Stop([]executor.ID{ID(0)}, shortGrace)
		h.expectStopped(0, syscall.SIGKILL)
		if proc.IsAlive(pid) {
			h.Errorf("process %d is left", pid)
		}
	}},
	{"a stop outlives its session", func(h *Harness) {
		ready := h.Pipe("ready")
		h.Start(0, fmt.Sprintf(families[1].command, ready))
		h.AwaitLine(ready)
		h.Session.Stop([]executor.ID{ID(0)}, shortGrace)
		h.Reopen()
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

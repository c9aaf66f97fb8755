package executortest

import (
	"fmt"
	"os"

	"wf/executor"
)

// gateCases are about jobs that wait for others.
var gateCases = []testCase{
	{"starts when the other job has succeeded", func(h *Harness) {
		proceed := h.Pipe("go")
		h.Start(0, "read x <"+proceed.path)
		h.StartAfter(1, "exit 3", 0)
		h.Execute(2, "")
		if h.Has(executor.Started, 1) {
			h.Error("started too early")
		}
		h.Release(proceed)
		if r := h.Ended(1); r.Exit.Code != 3 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a chain, in order", func(h *Harness) {
		nodes := h.many(300)
		log := h.File("log")
		h.Session.SetWidth(8)
		h.Start(0, "echo 0 >>"+log)
		for node := 1; node < nodes; node++ {
			h.StartAfter(node, fmt.Sprintf("echo %d >>%s", node, log), node-1)
		}
		if r := h.Ended(nodes - 1); r.Exit.Code != 0 {
			h.Errorf("exit %+v", r.Exit)
		}
		want := ""
		for node := range nodes {
			want += fmt.Sprintln(node)
		}
		if text, err := os.ReadFile(log); err != nil || string(text) != want {
			h.Errorf("log %q (%v)", text, err)
		}
		h.expectInOrder()
	}},
	{"a chain of blank jobs", func(h *Harness) {
		proceed := h.Pipe("go")
		h.Start(0, "read x <"+proceed.path)
		for node := 1; node < 100; node++ {
			h.StartAfter(node, "", node-1)
		}
		h.StartAfter(100, "exit 9", 99)
		h.Release(proceed)
		if r := h.Ended(100); r.Exit.Code != 9 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"never starts if the other job fails", func(h *Harness) {
		h.failing(map[int]string{1: "exit 1", 2: "kill -9 $$", 3: "/nonexistent/program"})
		h.expectShut(11, 12, 13)
	}},
	{"never starts if the other job is stopped", func(h *Harness) {
		ready, never := h.Pipe("ready"), h.Pipe("never")
		h.Start(0, "trap 'exit 0' TERM; echo >"+ready.path+"; read x <"+never.path)
		h.StartAfter(11, "touch "+h.File("ran"), 0)
		h.AwaitLine(ready)
		h.Session.Stop([]executor.ID{ID(0)}, longGrace)
		if r := h.Ended(0); r.Exit.Code != 0 || !r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
		h.expectShut(11)
	}},
	{"the other jobs have already ended", func(h *Harness) {
		h.Execute(0, "true")
		h.Execute(1, "exit 1")
		h.Execute(2, "")
		h.StartAfter(3, "exit 7", 0, 2)
		if r := h.Ended(3); r.Exit.Code != 7 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.StartAfter(11, "touch "+h.File("ran"), 0, 1)
		h.expectShut(11)
	}},
	{"after many", func(h *Harness) {
		sources := h.many(40)
		var all []int
		proceed := h.Pipe("go")
		for node := range sources {
			h.Start(node, "true")
			all = append(all, node)
		}
		h.Start(sources, "read x <"+proceed.path)
		h.StartAfter(sources+1, "exit 8", append(all, sources, sources)...) // one of them twice
		for _, node := range all {
			h.Ended(node)
		}
		h.Execute(sources+2, "")
		if h.Has(executor.Started, sources+1) {
			h.Error("started before the last one has succeeded")
		}
		h.Release(proceed)
		if r := h.Ended(sources + 1); r.Exit.Code != 8 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"many after one, and never more at once", func(h *Harness) {
		h.need(h.promised.Width, widthLimits)
		nodes := h.many(20)
		h.Session.SetWidth(2)
		gate := h.File("gate")
		if err := os.Mkdir(gate, 0o700); err != nil {
			h.Fatal(err)
		}
		h.Start(0, "true")
		for node := 1; node <= nodes; node++ {
			h.StartAfter(node, fmt.Sprintf("cd %s && mkdir %d && ls | wc -l && rmdir %d", gate, node, node), 0)
		}
		for node := 1; node <= nodes; node++ {
			var at int
			if _, err := fmt.Sscan(h.Read(h.Ended(node).Out), &at); err != nil || at < 1 || at > 2 {
				h.Errorf("node %d: %d at once, %v", node, at, err)
			}
		}
	}},
	{"a job behind a gate occupies no place", func(h *Harness) {
		h.need(h.promised.Width, widthLimits)
		h.Session.SetWidth(1)
		proceed := h.Pipe("go")
		h.Start(0, "read x <"+proceed.path)
		h.StartAfter(1, "exit 4", 0)
		h.Session.SetWidth(2)
		if r := h.Execute(2, "exit 5"); r.Exit.Code != 5 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.Release(proceed)
		if r := h.Ended(1); r.Exit.Code != 4 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"handed over again without a gate", func(h *Harness) {
		h.Execute(0, "exit 1")
		h.StartAfter(1, "exit 6", 0)
		h.Start(1, "exit 6")
		if r := h.Ended(1); r.Exit.Code != 6 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.Start(2, "exit 7")
		h.Ended(2)
	}},
	{"stopped behind its gate", func(h *Harness) {
		proceed := h.Pipe("go")
		h.Start(0, "read x <"+proceed.path)
		h.StartAfter(11, "touch "+h.File("ran"), 0)
		h.StartAfter(12, "touch "+h.File("ran"), 11)
		h.Session.Stop([]executor.ID{ID(11)}, longGrace)
		if r := h.Ended(11); !r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
		h.Release(proceed)
		h.Ended(0)
		h.expectShut(12)
	}},
	{"never starts once the run is closed", func(h *Harness) {
		h.Start(0, "sleep 1000")
		h.StartAfter(1, "touch "+h.File("ran"), 0)
		h.Started(0)
		h.Close()
		if _, err := os.Stat(h.File("ran")); err == nil {
			h.Error("it ran")
		}
	}},
	{"starts while no session is open", func(h *Harness) {
		h.need(h.promised.Unattended, startsAlone)
		first, last := h.Pipe("first"), h.Pipe("last")
		h.Start(0, "read x <"+first.path)
		h.StartAfter(1, "true", 0)
		h.StartAfter(2, "echo >"+last.path+"; exit 7", 1)
		h.Session.Detach()
		h.Release(first)
		h.AwaitLine(last)
		h.Spec.Env = nil
		h.Open()
		if r := h.Ended(2); r.Exit.Code != 7 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a new session must hand over the job again", func(h *Harness) {
		proceed := h.Pipe("go")
		h.Start(0, "read x <"+proceed.path)
		h.StartAfter(11, "touch "+h.File("ran"), 0)
		h.StartAfter(2, "exit 3", 0)
		h.Reopen()
		h.StartAfter(2, "exit 4", 0)
		h.Release(proceed)
		if r := h.Ended(2); r.Exit.Code != 4 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.Execute(3, "")
		if _, err := os.Stat(h.File("ran")); err == nil || h.Has(executor.Started, 11) {
			h.Error("started although it was not handed over again")
		}
	}},
}

// noGateCases are about executors without gates.
var noGateCases = []testCase{
	{"a job that waits for others is refused", func(h *Harness) {
		h.Execute(0, "true")
		behind := h.Job(2, "touch "+h.File("ran"))
		behind.After = []executor.ID{ID(0)}
		if h.Session.Gates() || h.Session.Start([]executor.Job{h.Job(1, "touch "+h.File("ran")), behind}) == nil {
			h.Error("the session claims to support gates")
		}
		h.Execute(3, "true") // the others would have started before it
		if _, err := os.Stat(h.File("ran")); err == nil || h.Has(executor.Started, 1) {
			h.Error("a job has started although Start returned an error")
		}
	}},
}

// failing hands over commands and, for each of them, a job of the node ten higher that waits for it. It returns when the
// commands have ended.
func (h *Harness) failing(commands map[int]string) {
	h.Helper()
	for node, c := range commands {
		h.Start(node, c)
		h.StartAfter(node+10, "touch "+h.File("ran"), node)
	}
	for node := range commands {
		h.Ended(node)
	}
}

// expectShut checks that nodes have not started, and that they are reported as stopped after a stop.
func (h *Harness) expectShut(nodes ...int) {
	h.Helper()
	h.Execute(99, "true") // the others would have started before it
	for _, node := range nodes {
		if h.Has(executor.Started, node) || h.Has(executor.Ended, node) {
			h.Errorf("node %d has started", node)
		}
		h.Session.Stop([]executor.ID{ID(node)}, 0)
		if r := h.Ended(node); !r.Exit.Stopped || r.PID != 0 {
			h.Errorf("node %d: %+v", node, r)
		}
	}
	if _, err := os.Stat(h.File("ran")); err == nil {
		h.Error("it ran")
	}
}

// StartAfter hands over a command that waits for the first executions of nodes.
func (h *Harness) StartAfter(node int, command string, after ...int) {
	h.Helper()
	if !h.Session.Gates() { // the runner has not said hello yet
		h.Execute(1000, "")
	}
	j := h.Job(node, command)
	for _, a := range after {
		j.After = append(j.After, ID(a))
	}
	h.StartJobs(j)
}

package executor_test

import (
	"fmt"
	"os"

	"wf/executor"
	"wf/executor/wire"
)

// gateCases are about jobs that wait for others.
var gateCases = []testCase{
	{"starts when the other job has succeeded", func(h *harness) {
		proceed := h.pipe("go")
		h.start(0, "read x <"+proceed.path)
		h.startAfter(1, "exit 3", 0)
		h.run(2, "")
		if h.has(executor.Started, 1) {
			h.Error("started too early")
		}
		h.release(proceed)
		if r := h.ended(1); r.Exit.Code != 3 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a chain, in order", func(h *harness) {
		const nodes = 300
		log := h.file("log")
		h.session.SetWidth(8)
		h.start(0, "echo 0 >>"+log)
		for node := 1; node < nodes; node++ {
			h.startAfter(node, fmt.Sprintf("echo %d >>%s", node, log), node-1)
		}
		if r := h.ended(nodes - 1); r.Exit.Code != 0 {
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
	{"a chain of blank jobs", func(h *harness) {
		proceed := h.pipe("go")
		h.start(0, "read x <"+proceed.path)
		for node := 1; node < 100; node++ {
			h.startAfter(node, "", node-1)
		}
		h.startAfter(100, "exit 9", 99)
		h.release(proceed)
		if r := h.ended(100); r.Exit.Code != 9 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"never starts if the other job fails", func(h *harness) {
		h.failing(map[int]string{1: "exit 1", 2: "kill -9 $$", 3: "/nonexistent/program"})
		h.expectShut(11, 12, 13)
	}},
	{"never starts if the other job is stopped", func(h *harness) {
		ready, never := h.pipe("ready"), h.pipe("never")
		h.start(0, "trap 'exit 0' TERM; echo >"+ready.path+"; read x <"+never.path)
		h.startAfter(11, "touch "+h.file("ran"), 0)
		h.awaitLine(ready)
		h.session.Stop([]wire.ID{id(0)}, longGrace)
		if r := h.ended(0); r.Exit.Code != 0 || !r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
		h.expectShut(11)
	}},
	{"the other jobs have already ended", func(h *harness) {
		h.run(0, "true")
		h.run(1, "exit 1")
		h.run(2, "")
		h.startAfter(3, "exit 7", 0, 2)
		if r := h.ended(3); r.Exit.Code != 7 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.startAfter(11, "touch "+h.file("ran"), 0, 1)
		h.expectShut(11)
	}},
	{"after many", func(h *harness) {
		const sources = 40
		var all []int
		proceed := h.pipe("go")
		for node := range sources {
			h.start(node, "true")
			all = append(all, node)
		}
		h.start(sources, "read x <"+proceed.path)
		h.startAfter(sources+1, "exit 8", append(all, sources, sources)...) // one of them twice
		for _, node := range all {
			h.ended(node)
		}
		h.run(sources+2, "")
		if h.has(executor.Started, sources+1) {
			h.Error("started before the last one has succeeded")
		}
		h.release(proceed)
		if r := h.ended(sources + 1); r.Exit.Code != 8 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"many after one, and never more at once", func(h *harness) {
		const nodes = 20
		h.session.SetWidth(2)
		gate := h.file("gate")
		if err := os.Mkdir(gate, 0o700); err != nil {
			h.Fatal(err)
		}
		h.start(0, "true")
		for node := 1; node <= nodes; node++ {
			h.startAfter(node, fmt.Sprintf("cd %s && mkdir %d && ls | wc -l && rmdir %d", gate, node, node), 0)
		}
		for node := 1; node <= nodes; node++ {
			var at int
			if _, err := fmt.Sscan(h.output(h.ended(node).Out), &at); err != nil || at < 1 || at > 2 {
				h.Errorf("node %d: %d at once, %v", node, at, err)
			}
		}
	}},
	{"a job behind a gate occupies no place", func(h *harness) {
		h.session.SetWidth(1)
		proceed := h.pipe("go")
		h.start(0, "read x <"+proceed.path)
		h.startAfter(1, "exit 4", 0)
		h.session.SetWidth(2)
		if r := h.run(2, "exit 5"); r.Exit.Code != 5 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.release(proceed)
		if r := h.ended(1); r.Exit.Code != 4 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"handed over again without a gate", func(h *harness) {
		h.run(0, "exit 1")
		h.startAfter(1, "exit 6", 0)
		h.start(1, "exit 6")
		if r := h.ended(1); r.Exit.Code != 6 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.start(2, "exit 7")
		h.ended(2)
	}},
	{"stopped behind its gate", func(h *harness) {
		proceed := h.pipe("go")
		h.start(0, "read x <"+proceed.path)
		h.startAfter(11, "touch "+h.file("ran"), 0)
		h.startAfter(12, "touch "+h.file("ran"), 11)
		h.session.Stop([]wire.ID{id(11)}, longGrace)
		if r := h.ended(11); !r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
		h.release(proceed)
		h.ended(0)
		h.expectShut(12)
	}},
	{"never starts once the run is closed", func(h *harness) {
		h.start(0, "sleep 1000")
		h.startAfter(1, "touch "+h.file("ran"), 0)
		h.started(0)
		h.close()
		if _, err := os.Stat(h.file("ran")); err == nil {
			h.Error("it ran")
		}
	}},
	{"starts while no session is open", func(h *harness) {
		first, last := h.pipe("first"), h.pipe("last")
		h.start(0, "read x <"+first.path)
		h.startAfter(1, "true", 0)
		h.startAfter(2, "echo >"+last.path+"; exit 7", 1)
		h.session.Detach()
		h.release(first)
		h.awaitLine(last)
		h.spec.Env = nil
		h.open()
		if r := h.ended(2); r.Exit.Code != 7 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a new session must hand over the job again", func(h *harness) {
		proceed := h.pipe("go")
		h.start(0, "read x <"+proceed.path)
		h.startAfter(11, "touch "+h.file("ran"), 0)
		h.startAfter(2, "exit 3", 0)
		h.reopen()
		h.startAfter(2, "exit 4", 0)
		h.release(proceed)
		if r := h.ended(2); r.Exit.Code != 4 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.run(3, "")
		if _, err := os.Stat(h.file("ran")); err == nil || h.has(executor.Started, 11) {
			h.Error("started although it was not handed over again")
		}
	}},
}

// failing hands over commands and, for each of them, a job of the node ten higher that waits for it. It returns when the
// commands have ended.
func (h *harness) failing(commands map[int]string) {
	h.Helper()
	for node, c := range commands {
		h.start(node, c)
		h.startAfter(node+10, "touch "+h.file("ran"), node)
	}
	for node := range commands {
		h.ended(node)
	}
}

// expectShut checks that nodes have not started, and that they are reported as stopped after a stop.
func (h *harness) expectShut(nodes ...int) {
	h.Helper()
	h.run(99, "true") // the others would have started before it
	for _, node := range nodes {
		if h.has(executor.Started, node) || h.has(executor.Ended, node) {
			h.Errorf("node %d has started", node)
		}
		h.session.Stop([]wire.ID{id(node)}, 0)
		if r := h.ended(node); !r.Exit.Stopped || r.PID != 0 {
			h.Errorf("node %d: %+v", node, r)
		}
	}
	if _, err := os.Stat(h.file("ran")); err == nil {
		h.Error("it ran")
	}
}

// startAfter hands over a command that waits for the first executions of nodes.
func (h *harness) startAfter(node int, command string, after ...int) {
	h.Helper()
	if !h.session.Gates() { // the runner has not said hello yet
		h.run(1000, "")
	}
	j := h.job(node, command)
	for _, a := range after {
		j.After = append(j.After, id(a))
	}
	if err := h.session.Start([]wire.Job{j}); err != nil {
		h.Fatalf("start: %v", err)
	}
}

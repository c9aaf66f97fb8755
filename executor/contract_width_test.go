package executor_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"wf/executor"
	"wf/executor/wire"
)

// widthCases are about jobs that wait for a place.
var widthCases = []testCase{
	{"never more at once, and in order", func(h *harness) {
		const width, nodes = 3, 24
		h.session.SetWidth(width)
		gate := h.file("gate")
		if err := os.Mkdir(gate, 0o700); err != nil {
			h.Fatal(err)
		}
		var commands []string
		for node := range nodes {
			// The folder of a node exists while the node runs.
			commands = append(commands, fmt.Sprintf("cd %s && mkdir %d && ls | wc -l && rmdir %d", gate, node, node))
		}
		h.start(0, commands...)
		for node := range nodes {
			r := h.ended(node)
			var at int
			if _, err := fmt.Sscan(h.output(r.Out), &at); err != nil || r.Exit.Code != 0 {
				h.Fatalf("node %d: %+v, %v", node, r.Exit, err)
			}
			if at < 1 || at > width {
				h.Errorf("node %d: %d at once", node, at)
			}
		}
		h.expectInOrder()
	}},
	{"none with a width of 0", func(h *harness) {
		h.session.SetWidth(0)
		h.start(0, "touch "+h.file("ran"))
		h.run(1, "") // needs no place, and arrives after the other
		if _, err := os.Stat(h.file("ran")); err == nil || h.has(executor.Started, 0) {
			h.Error("started without a place")
		}
		h.session.SetWidth(1)
		if r := h.ended(0); r.Exit.Code != 0 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a larger width starts more at once", func(h *harness) {
		h.session.SetWidth(1)
		proceed := h.pipe("go")
		h.start(0, "read x <"+proceed.path, "read x <"+proceed.path, "read x <"+proceed.path)
		h.started(0)
		h.run(3, "")
		if h.has(executor.Started, 1) {
			h.Error("two at once")
		}
		h.session.SetWidth(3)
		h.started(1)
		h.started(2)
		for range 3 {
			h.release(proceed)
		}
		for node := range 3 {
			h.ended(node)
		}
	}},
	{"a smaller width is reached as executions end", func(h *harness) {
		h.session.SetWidth(2)
		first, second := h.pipe("first"), h.pipe("second")
		h.start(0, "read x <"+first.path+"; exit 3", "read x <"+second.path+"; exit 4", "exit 5")
		h.started(1)
		h.session.SetWidth(1)
		if !h.news.resized(1) {
			h.Fatal("the executor does not report the width")
		}
		h.release(first)
		if r := h.ended(0); r.Exit.Code != 3 || r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
		h.run(3, "")
		if h.has(executor.Started, 2) {
			h.Error("started although the width is taken")
		}
		h.release(second)
		if r := h.ended(1); r.Exit.Code != 4 || r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
		if r := h.ended(2); r.Exit.Code != 5 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a waiting job can be stopped", func(h *harness) {
		h.session.SetWidth(1)
		proceed := h.pipe("go")
		h.start(0, "read x <"+proceed.path, "touch "+h.file("ran"), "exit 6")
		h.started(0)
		h.session.Stop([]wire.ID{id(1)}, longGrace)
		if r := h.ended(1); !r.Exit.Stopped || h.has(executor.Started, 1) {
			h.Errorf("exit %+v", r.Exit)
		}
		h.release(proceed)
		if r := h.ended(2); r.Exit.Code != 6 {
			h.Errorf("exit %+v of the job after it", r.Exit)
		}
		if _, err := os.Stat(h.file("ran")); err == nil {
			h.Error("it ran")
		}
	}},
	{"a waiting job never starts once the run is closed", func(h *harness) {
		h.session.SetWidth(1)
		h.start(0, "sleep 1000", "touch "+h.file("ran"), "touch "+h.file("ran"))
		h.started(0)
		h.close()
		h.expectStopped(0, syscall.SIGKILL)
		for node := 1; node <= 2; node++ {
			if r := h.ended(node); !r.Exit.Stopped {
				h.Errorf("exit %+v", r.Exit)
			}
		}
		if _, err := os.Stat(h.file("ran")); err == nil {
			h.Error("it ran")
		}
	}},
	{"a waiting job starts while no session is open", func(h *harness) {
		h.session.SetWidth(1)
		first, second := h.pipe("first"), h.pipe("second")
		h.start(0, "read x <"+first.path, "echo >"+second.path+"; exit 7")
		h.started(0)
		h.session.Detach()
		h.release(first)
		h.awaitLine(second)
		h.spec.Env, h.spec.Width = nil, 0
		h.open()
		if r := h.ended(1); r.Exit.Code != 7 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a new session sets the width", func(h *harness) {
		h.session.SetWidth(1)
		proceed := h.pipe("go")
		h.start(0, "read x <"+proceed.path, "read x <"+proceed.path, "exit 8")
		h.started(0)
		h.spec.Width = 3
		h.reopen()
		h.started(1)
		if r := h.ended(2); r.Exit.Code != 8 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.release(proceed)
		h.release(proceed)
	}},
	{"a thousand", func(h *harness) {
		const nodes = 1000
		h.session.SetWidth(8)
		h.start(0, strings.Split(strings.Repeat("true\n", nodes-1)+"true", "\n")...)
		for node := range nodes {
			if r := h.ended(node); r.Exit.Code != 0 || r.Exit.Failed || r.Exit.Lost {
				h.Errorf("node %d: %+v", node, r.Exit)
			}
		}
		h.expectInOrder()
	}},
}

// has reports whether such a report has arrived.
func (h *harness) has(kind executor.Kind, node int) bool {
	for _, r := range h.news.all() {
		if r.Kind == kind && r.ID == id(node) {
			return true
		}
	}
	return false
}

// expectInOrder checks that the nodes were started in the order of their numbers.
func (h *harness) expectInOrder() {
	h.Helper()
	next := 0
	for _, r := range h.news.all() {
		if r.Kind != executor.Started {
			continue
		}
		if r.ID != id(next) {
			h.Fatalf("node %d is started instead of %d", r.ID.Node, next)
		}
		next++
	}
}

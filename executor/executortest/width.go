package executortest

import (
	"fmt"
	"os"
	"syscall"

	"wf/executor"
)

// widthCases are about jobs that wait for a place.
var widthCases = []testCase{
	{"never more at once, and in order", func(h *Harness) {
		const width = 3
		nodes := h.many(24)
		h.Session.SetWidth(width)
		gate := h.File("gate")
		if err := os.Mkdir(gate, 0o700); err != nil {
			h.Fatal(err)
		}
		var commands []string
		for node := range nodes {
			// The folder of a node exists while the node runs.
			commands = append(commands, fmt.Sprintf("cd %s && mkdir %d && ls | wc -l && rmdir %d", gate, node, node))
		}
		h.Start(0, commands...)
		for node := range nodes {
			r := h.Ended(node)
			var at int
			if _, err := fmt.Sscan(h.Read(r.Out), &at); err != nil || r.Exit.Code != 0 {
				h.Fatalf("node %d: %+v, %v", node, r.Exit, err)
			}
			if at < 1 || at > width {
				h.Errorf("node %d: %d at once", node, at)
			}
		}
		if h.promised.Order {
			h.expectInOrder()
		}
	}},
	{"none with a width of 0", func(h *Harness) {
		h.Session.SetWidth(0)
		h.Start(0, "touch "+h.File("ran"))
		h.Execute(1, "") // needs no place, and arrives after the other
		if _, err := os.Stat(h.File("ran")); err == nil || h.Has(executor.Started, 0) {
			h.Error("started without a place")
		}
		h.Session.SetWidth(1)
		if r := h.Ended(0); r.Exit.Code != 0 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a larger width starts more at once", func(h *Harness) {
		h.Session.SetWidth(1)
		proceed := h.Pipe("go")
		h.Start(0, "read x <"+proceed.path, "read x <"+proceed.path, "read x <"+proceed.path)
		h.Started(0)
		h.Execute(3, "")
		if h.Has(executor.Started, 1) {
			h.Error("two at once")
		}
		h.Session.SetWidth(3)
		h.Started(1)
		h.Started(2)
		for range 3 {
			h.Release(proceed)
		}
		for node := range 3 {
			h.Ended(node)
		}
	}},
	{"a smaller width is reached as executions end", func(h *Harness) {
		h.Session.SetWidth(2)
		first, second := h.Pipe("first"), h.Pipe("second")
		h.Start(0, "read x <"+first.path+"; exit 3", "read x <"+second.path+"; exit 4", "exit 5")
		h.Started(1)
		h.Session.SetWidth(1)
		if !h.news.resized(1) {
			h.Fatal("the executor does not report the width")
		}
		h.Release(first)
		if r := h.Ended(0); r.Exit.Code != 3 || r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
		h.Execute(3, "")
		if h.Has(executor.Started, 2) {
			h.Error("started although the width is taken")
		}
		h.Release(second)
		if r := h.Ended(1); r.Exit.Code != 4 || r.Exit.Stopped {
			h.Errorf("exit %+v", r.Exit)
		}
		if r := h.Ended(2); r.Exit.Code != 5 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a waiting job can be stopped", func(h *Harness) {
		h.Session.SetWidth(1)
		proceed := h.Pipe("go")
		h.Start(0, "read x <"+proceed.path, "touch "+h.File("ran"), "exit 6")
		h.Started(0)
		h.Session.Stop([]executor.ID{ID(1)}, longGrace)
		if r := h.Ended(1); !r.Exit.Stopped || h.Has(executor.Started, 1) {
			h.Errorf("exit %+v", r.Exit)
		}
		h.Release(proceed)
		if r := h.Ended(2); r.Exit.Code != 6 {
			h.Errorf("exit %+v of the job after it", r.Exit)
		}
		if _, err := os.Stat(h.File("ran")); err == nil {
			h.Error("it ran")
		}
	}},
	{"a waiting job never starts once the run is closed", func(h *Harness) {
		h.Session.SetWidth(1)
		h.Start(0, "sleep 1000", "touch "+h.File("ran"), "touch "+h.File("ran"))
		h.Started(0)
		h.Close()
		h.expectStopped(0, syscall.SIGKILL)
		for node := 1; node <= 2; node++ {
			if r := h.Ended(node); !r.Exit.Stopped {
				h.Errorf("exit %+v", r.Exit)
			}
		}
		if _, err := os.Stat(h.File("ran")); err == nil {
			h.Error("it ran")
		}
	}},
	{"a waiting job starts while no session is open", func(h *Harness) {
		h.need(h.promised.Unattended, startsAlone)
		h.Session.SetWidth(1)
		first, second := h.Pipe("first"), h.Pipe("second")
		h.Start(0, "read x <"+first.path, "echo >"+second.path+"; exit 7")
		h.Started(0)
		h.Session.Detach()
		h.Release(first)
		h.AwaitLine(second)
		h.Spec.Env, h.Spec.Width = nil, 0
		h.Open()
		if r := h.Ended(1); r.Exit.Code != 7 {
			h.Errorf("exit %+v", r.Exit)
		}
	}},
	{"a new session sets the width", func(h *Harness) {
		h.Session.SetWidth(1)
		proceed := h.Pipe("go")
		h.Start(0, "read x <"+proceed.path, "read x <"+proceed.path, "exit 8")
		h.Started(0)
		h.Spec.Width = 3
		h.Reopen()
		h.Started(1)
		if r := h.Ended(2); r.Exit.Code != 8 {
			h.Errorf("exit %+v", r.Exit)
		}
		h.Release(proceed)
		h.Release(proceed)
	}},
}

package executor_test

import (
	"fmt"
	"syscall"
	"time"

	"wf/executor"
	"wf/executor/proc"
	"wf/executor/wire"
)

// longGrace is for commands that obey TERM; shortGrace has to pass.
const (
	longGrace  = time.Hour
	shortGrace = 100 * time.Millisecond
)

// A family is a command whose processes make a stop difficult in some way. %s is the pipe through which each process sends
// its pid when it is ready.
type family struct {
	name    string
	command string
	members int // how many send their pid
	obeys   bool
}

var families = []family{
	{"obedient", `echo $$ >%[1]s; exec sleep 1000`, 1, true},
	{"ignores TERM", `trap '' TERM; echo $$ >%[1]s; while :; do sleep 1000; done`, 1, false},
	{"halted", `echo $$ >%[1]s; kill -STOP $$; sleep 1000`, 1, true},
	{"leader exits on TERM, member ignores it",
		`sh -c 'trap "" TERM; echo $$ >%[1]s; while :; do sleep 1000; done' & trap 'exit 3' TERM; echo $$ >%[1]s; while :; do sleep 1000 & wait; done`, 2, false},
	{"child in another session",
		`setsid sh -c 'trap "" TERM; echo $$ >%[1]s; while :; do sleep 1000; done' & echo $$ >%[1]s; wait`, 2, false},
	{"double fork",
		`(setsid sh -c 'trap "" TERM; echo $$ >%[1]s; while :; do sleep 1000; done' &) ; echo $$ >%[1]s; exec sleep 1000`, 2, false},
	{"halted member that ignores TERM",
		`sh -c 'trap "" TERM; echo $$ >%[1]s; kill -STOP $$; sleep 1000' & echo $$ >%[1]s; wait`, 2, false},
}

var stopCases = append(familyCases(), []testCase{
	{"a second stop shortens the grace", func(h *harness) {
		ready := h.pipe("ready")
		h.start(0, fmt.Sprintf(families[1].command, ready))
		pid := h.awaitPID(ready)
		h.session.Stop([]wire.ID{id(0)}, longGrace)
		h.run(1, "true") // the first stop has arrived before this ends
		if !proc.IsAlive(pid) {
			h.Error("a command that ignores TERM was killed before the end of its grace")
		}
		h.session.Stop([]wire.ID{id(0)}, 0)
		h.expectStopped(0, syscall.SIGKILL)
	}},
	{"a later stop does not lengthen the grace", func(h *harness) {
		ready := h.pipe("ready")
		h.start(0, fmt.Sprintf(families[1].command, ready))
		h.awaitLine(ready)
		h.session.Stop([]wire.ID{id(0)}, shortGrace)
		h.session.Stop([]wire.ID{id(0)}, longGrace)
		h.expectStopped(0, syscall.SIGKILL)
	}},
	{"no grace", func(h *harness) {
		ready := h.pipe("ready")
		h.start(0, "trap 'echo cleaned up' TERM; echo >"+ready.path+"; while :; do sleep 0.01; done")
		h.awaitLine(ready)
		h.session.Stop([]wire.ID{id(0)}, 0)
		if r := h.expectStopped(0, syscall.SIGKILL); h.output(r.Out) != "" {
			h.Errorf("output %q: TERM was sent", h.output(r.Out))
		}
	}},
	{"a handler's exit code and output are kept", func(h *harness) {
		ready := h.pipe("ready")
		h.start(0, "trap 'echo bye; exit 9' TERM; echo >"+ready.path+"; while :; do sleep 0.01; done")
		h.awaitLine(ready)
		h.session.Stop([]wire.ID{id(0)}, longGrace)
		r := h.ended(0)
		if !r.Exit.Stopped || r.Exit.Code != 9 || r.Exit.Signal != 0 || h.output(r.Out) != "bye\n" {
			h.Errorf("exit %+v, output %q", r.Exit, h.output(r.Out))
		}
	}},
	{"several at once, the others go on", func(h *harness) {
		ready, proceed := h.pipe("ready"), h.pipe("go")
		h.start(0, "echo >"+ready.path+"; sleep 1000", "echo >"+ready.path+"; read x <"+proceed.path+"; exit 5")
		h.awaitLine(ready)
		h.start(2, "sleep 1000", "sleep 1000")
		h.started(3)
		h.session.Stop([]wire.ID{id(0), id(2), id(3), id(77)}, longGrace)
		for _, node := range []int{0, 2, 3} {
			h.expectStopped(node, syscall.SIGTERM)
		}
		h.release(proceed)
		if r := h.ended(1); r.Exit.Code != 5 || r.Exit.Stopped {
			h.Errorf("the execution that was not stopped: %+v", r.Exit)
		}
	}},
	{"jobs that are stopped at once", func(h *harness) {
		const jobs = 20
		var ids []wire.ID
		for node := range jobs {
			h.start(node, "sleep 1000")
			ids = append(ids, id(node))
		}
		h.session.Stop(ids, 0)
		for node := range jobs {
			if r := h.ended(node); !r.Exit.Stopped {
				h.Errorf("node %d: %+v", node, r.Exit)
			}
		}
	}},
	{"a stop of an ended execution has no effect", func(h *harness) {
		h.run(0, "exit 6")
		h.session.Stop([]wire.ID{id(0), id(99)}, 0)
		h.run(1, "true")
		ends := 0
		for _, r := range h.news.all() {
			if r.Kind == executor.Ended && r.ID == id(0) {
				ends++
			}
		}
		if ends != 1 {
			h.Errorf("%d ends", ends)
		}
	}},
}...)

// familyCases stops every family: no process is left when the end is reported.
func familyCases() []testCase {
	var cases []testCase
	for _, f := range families {
		cases = append(cases, testCase{f.name, func(h *harness) {
			ready := h.pipe("ready")
			h.start(0, fmt.Sprintf(f.command, ready))
			pids := []int{h.started(0).PID}
			for range f.members {
				pids = append(pids, h.awaitPID(ready))
			}
			grace := shortGrace
			if f.obeys {
				grace = longGrace
			}
			h.session.Stop([]wire.ID{id(0)}, grace)
			if r := h.ended(0); !r.Exit.Stopped || r.Exit.Lost {
				h.Errorf("exit %+v", r.Exit)
			}
			for _, pid := range pids {
				if proc.IsAlive(pid) {
					h.Errorf("process %d is left", pid)
				}
			}
		}})
	}
	return cases
}

func (h *harness) expectStopped(node int, by syscall.Signal) executor.Report {
	h.Helper()
	r := h.ended(node)
	if !r.Exit.Stopped || r.Exit.Signal != int(by) {
		h.Errorf("node %d: exit %+v, want stopped by %v", node, r.Exit, by)
	}
	return r
}

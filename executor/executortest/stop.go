package executortest

import (
	"fmt"
	"syscall"
	"time"

	"wf/executor"
	"wf/executor/proc"
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
	members int  // how many send their pid
	obeys   bool // it ends after TERM
	leaves  bool // a member leaves the session of the command
}

var families = []family{
	{"obedient", `echo $$ >%[1]s; exec sleep 1000`, 1, true, false},
	{"ignores TERM", `trap '' TERM; echo $$ >%[1]s; while :; do sleep 1000; done`, 1, false, false},
	{"halted", `echo $$ >%[1]s; kill -STOP $$; sleep 1000`, 1, true, false},
	{"leader exits on TERM, member ignores it",
		`sh -c 'trap "" TERM; echo $$ >%[1]s; while :; do sleep 1000; done' & trap 'exit 3' TERM; echo $$ >%[1]s; while :; do sleep 1000 & wait; done`, 2, false, false},
	{"child in another session",
		`setsid sh -c 'trap "" TERM; echo $$ >%[1]s; while :; do sleep 1000; done' & echo $$ >%[1]s; wait`, 2, false, true},
	{"double fork",
		`(setsid sh -c 'trap "" TERM; echo $$ >%[1]s; while :; do sleep 1000; done' &) ; echo $$ >%[1]s; exec sleep 1000`, 2, false, true},
	{"halted member that ignores TERM",
		`sh -c 'trap "" TERM; echo $$ >%[1]s; kill -STOP $$; sleep 1000' & echo $$ >%[1]s; wait`, 2, false, false},
}

var stopCases = append(familyCases(), []testCase{
	{"a second stop shortens the grace", func(h *Harness) {
		ready := h.Pipe("ready")
		h.Start(0, fmt.Sprintf(families[1].command, ready))
		pid := h.AwaitPID(ready)
		h.Session.Stop([]executor.ID{ID(0)}, longGrace)
		h.Execute(1, "true") // the first stop has arrived before this ends
		if !proc.IsAlive(pid) {
			h.Error("a command that ignores TERM was killed before the end of its grace")
		}
		h.Session.Stop([]executor.ID{ID(0)}, 0)
		h.expectStopped(0, syscall.SIGKILL)
	}},
	{"a later stop does not lengthen the grace", func(h *Harness) {
		ready := h.Pipe("ready")
		h.Start(0, fmt.Sprintf(families[1].command, ready))
		h.AwaitLine(ready)
		h.Session.Stop([]executor.ID{ID(0)}, shortGrace)
		h.Session.Stop([]executor.ID{ID(0)}, longGrace)
		h.expectStopped(0, syscall.SIGKILL)
	}},
	{"no grace", func(h *Harness) {
		ready := h.Pipe("ready")
		h.Start(0, "trap 'echo cleaned up' TERM; echo >"+ready.path+"; while :; do sleep 0.01; done")
		h.AwaitLine(ready)
		h.Session.Stop([]executor.ID{ID(0)}, 0)
		if r := h.expectStopped(0, syscall.SIGKILL); h.Read(r.Out) != "" {
			h.Errorf("output %q: TERM was sent", h.Read(r.Out))
		}
	}},
	{"a handler's exit code and output are kept", func(h *Harness) {
		ready := h.Pipe("ready")
		h.Start(0, "trap 'echo bye; exit 9' TERM; echo >"+ready.path+"; while :; do sleep 0.01; done")
		h.AwaitLine(ready)
		h.Session.Stop([]executor.ID{ID(0)}, longGrace)
		r := h.Ended(0)
		if !r.Exit.Stopped || r.Exit.Code != 9 || r.Exit.Signal != 0 || h.Read(r.Out) != "bye\n" {
			h.Errorf("exit %+v, output %q", r.Exit, h.Read(r.Out))
		}
	}},
	{"several at once, the others go on", func(h *Harness) {
		ready, proceed := h.Pipe("ready"), h.Pipe("go")
		h.Start(0, "echo >"+ready.path+"; sleep 1000", "echo >"+ready.path+"; read x <"+proceed.path+"; exit 5")
		h.AwaitLine(ready)
		h.Start(2, "sleep 1000", "sleep 1000")
		h.Started(2)
		h.Started(3)
		h.Session.Stop([]executor.ID{ID(0), ID(2), ID(3), ID(77)}, longGrace)
		for _, node := range []int{0, 2, 3} {
			h.expectStopped(node, syscall.SIGTERM)
		}
		h.Release(proceed)
		if r := h.Ended(1); r.Exit.Code != 5 || r.Exit.Stopped {
			h.Errorf("the execution that was not stopped: %+v", r.Exit)
		}
	}},
	{"jobs that are stopped at once", func(h *Harness) {
		jobs := h.many(20)
		var ids []executor.ID
		for node := range jobs {
			h.Start(node, "sleep 1000")
			ids = append(ids, ID(node))
		}
		h.Session.Stop(ids, 0)
		for node := range jobs {
			if r := h.Ended(node); !r.Exit.Stopped {
				h.Errorf("node %d: %+v", node, r.Exit)
			}
		}
	}},
	{"a stop of an ended execution has no effect", func(h *Harness) {
		h.Execute(0, "exit 6")
		h.Session.Stop([]executor.ID{ID(0), ID(99)}, 0)
		h.Execute(1, "true")
		ends := 0
		for _, r := range h.Reports() {
			if r.Kind == executor.Ended && r.ID == ID(0) {
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
		cases = append(cases, testCase{f.name, func(h *Harness) {
			if f.leaves {
				h.need(h.promised.LocalProcesses, sessionsFound)
			}
			ready := h.Pipe("ready")
			h.Start(0, fmt.Sprintf(f.command, ready))
			var pids []int
			if pid := h.Started(0).PID; h.promised.LocalProcesses {
				pids = append(pids, pid)
			}
			for range f.members {
				pids = append(pids, h.AwaitPID(ready))
			}
			grace := shortGrace
			if f.obeys {
				grace = longGrace
			}
			h.Session.Stop([]executor.ID{ID(0)}, grace)
			if r := h.Ended(0); !r.Exit.Stopped || r.Exit.Lost {
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

func (h *Harness) expectStopped(node int, by syscall.Signal) executor.Report {
	h.Helper()
	r := h.Ended(node)
	if !r.Exit.Stopped || r.Exit.Signal != int(by) {
		h.Errorf("node %d: exit %+v, want stopped by %v", node, r.Exit, by)
	}
	return r
}

package executor

import (
	"cmp"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/wire"
)

// handover returns what the next runner gets about the one before, see wire.Handover: a variable, and files that the
// caller closes.
func (h *runnerHandle) handover() (variable string, handles []*os.File, err error) {
	var ids []ID
	for id := range h.handles {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ID) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Execution, b.Execution)) })
	for _, id := range ids {
		fd, err := unix.FcntlInt(uintptr(h.handles[id]), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			closeAll(handles)
			return "", nil, os.NewSyscallError("fcntl", err)
		}
		handles = append(handles, os.NewFile(uintptr(fd), "pidfd"))
	}
	return wire.EncodeHandover(h.claim.inherits(), ids), handles, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// watch opens a pidfd of an execution whose runner is not a child of this process.
func (h *runnerHandle) watch(id ID, pid int, startWindow proc.Window) {
	if _, ok := h.handles[id]; ok || h.claim.inherits() {
		return
	}
	if fd := proc.OpenHandle(pid, startWindow); fd >= 0 {
		if h.handles == nil {
			h.handles = make(map[ID]int)
		}
		h.handles[id] = fd
	}
}

// unwatch closes the pidfd of an execution that has ended.
func (h *runnerHandle) unwatch(id ID) {
	if fd, ok := h.handles[id]; ok {
		unix.Close(fd)
		delete(h.handles, id)
	}
}

// unwatchAll closes all pidfds.
func (h *runnerHandle) unwatchAll() {
	for id := range h.handles {
		h.unwatch(id)
	}
}

// watchRunning opens handles of the running executions, if they would not become children of this process at the death of
// their runner.
func (s *session) watchRunning() {
	if !s.greeted || s.runner.claim.inherits() {
		return
	}
	for id, p := range s.running {
		s.runner.watch(id, p.pid, p.startWindow)
	}
}

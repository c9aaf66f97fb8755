package wire

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A Handover is what the daemon gives a new runner about the runner before it, in addition to the runner log.
type Handover struct {
	// Inherited says that the daemon was the parent of the earlier runner and was alive when that runner died, so
	// that all children of that runner, living or zombies, are children of the daemon now.
	Inherited bool
	// Handles are pidfds of executions of a runner that was not a child of the daemon. Another process reaps them,
	// and only the kernel can still report how they ended.
	Handles map[ID]int
}

// HandoverVariable contains the pid of the daemon, or 0 if nothing was inherited, and the executions whose handles are
// the descriptors from firstHandleFD on, as NODE.EXECUTION. A runner of an old version ignores it.
const (
	HandoverVariable = "WF_RUNNER_HEIR"
	firstHandleFD    = 5
)

// EncodeHandover returns HandoverVariable with its value; ids are in the order of the descriptors.
func EncodeHandover(inherited bool, ids []ID) string {
	parent := 0
	if inherited {
		parent = os.Getpid()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s=%d", HandoverVariable, parent)
	for _, id := range ids {
		fmt.Fprintf(&b, " %d.%d", id.Node, id.Execution)
	}
	return b.String()
}

// TakeHandover reads the handover of this process. It returns nil if there is none.
func TakeHandover() *Handover {
	fields := strings.Fields(os.Getenv(HandoverVariable))
	if len(fields) == 0 {
		return nil
	}
	h := &Handover{Handles: make(map[ID]int)}
	// If that daemon has died meanwhile, it is no longer the parent of what it inherited, nor of this process.
	h.Inherited = fields[0] == strconv.Itoa(os.Getppid())
	for i, text := range fields[1:] {
		var id ID
		if n, err := fmt.Sscanf(text, "%d.%d", &id.Node, &id.Execution); n != 2 || err != nil {
			return &Handover{Inherited: h.Inherited}
		}
		h.Handles[id] = firstHandleFD + i
	}
	return h
}

// Handle returns the pidfd of an execution, or -1.
func (h *Handover) Handle(id ID) int {
	if h == nil {
		return -1
	}
	if fd, ok := h.Handles[id]; ok {
		return fd
	}
	return -1
}

// The descriptors that a runner inherits, besides the standard three.
const (
	ConnectionFD = 3 // the connection to the daemon that started it
	LockFD       = 4 // the lock file of the run, locked as long as the runner lives
)

package wire

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// An heir is what the daemon hands over to a runner beyond the record, of the runner before it.
type Handover struct {
	// Inherited: the daemon has lived through the death of the runner before and was its parent, so
	// that all its children are the daemon's now, living or zombies, and none of them is missing.
	Inherited bool
	// Handles are pidfds of executions whose runner was not below the daemon: after its death
	// somebody else reaps them, and only the kernel can still say how they ended.
	Handles map[ID]int
}

// HandoverVariable hands an heir over: the pid of the daemon, or 0 where nothing was inherited, and the
// executions whose handles are the descriptors from firstHandleFD on, as NODE.EXECUTION. A runner
// that does not know it takes over with less.
const (
	HandoverVariable = "WF_RUNNER_HEIR"
	firstHandleFD    = 5
)

// EncodeHandover encodes the heir; ids are in the order of the descriptors.
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

// TakeHandover reads what the daemon has handed over; with anything else in its place there is nothing.
func TakeHandover() *Handover {
	fields := strings.Fields(os.Getenv(HandoverVariable))
	if len(fields) == 0 {
		return nil
	}
	h := &Handover{Handles: make(map[ID]int)}
	// A daemon that has died meanwhile has taken what it inherited with it.
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

// Handle returns the descriptor of an execution, or -1.
func (h *Handover) Handle(id ID) int {
	if h == nil {
		return -1
	}
	if fd, ok := h.Handles[id]; ok {
		return fd
	}
	return -1
}

// The descriptors with which Local starts a runner, after the standard three.
const (
	ConnectionFD = 3 // the connection to the daemon that started it
	LockFD       = 4 // the run's lock, held as long as the runner lives
)

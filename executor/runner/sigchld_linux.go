package runner

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// An action is a sigaction of the kernel for one signal, as rt_sigaction reads and writes it. It is larger than on any
// architecture: three or four words and the mask of signals.
type action [64]byte

// leaveDeaths gives SIGCHLD its default action, which is to do nothing: docs/decisions/sigchld.md. The runtime of Go has a handler
// for every signal, so the end of each command would wake one more thread of this process, which has nothing to do. The loop
// hears of deaths from the descriptors of the processes, and nothing here asks os/signal for SIGCHLD. Unlike an ignored SIGCHLD
// the default action leaves it to the process to reap its children.
//
// It returns the action before it.
func leaveDeaths() (before action) {
	var none action // SIG_DFL without flags
	// An error is impossible with a valid signal, and it would leave the handler of Go, which costs time only.
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD),
		uintptr(unsafe.Pointer(&none)), uintptr(unsafe.Pointer(&before)), maskSize, 0, 0)
	return before
}

// maskSize is the size of a mask of signals in bytes.
const maskSize = 8

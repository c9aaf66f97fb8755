package procattr

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Call is a system call that sets an attribute of the process. Its error is ignored, because attributes are set only
// as far as the process may.
type Call struct {
	Number, A, B, C, D uintptr
	keep               unsafe.Pointer // keeps alive what an argument points to
}

func limitCall(kind int, l *unix.Rlimit) Call {
	return Call{Number: unix.SYS_PRLIMIT64, B: uintptr(kind), C: uintptr(unsafe.Pointer(l)), keep: unsafe.Pointer(l)}
}

func affinityCall(set *unix.CPUSet) Call {
	return Call{Number: unix.SYS_SCHED_SETAFFINITY, B: unsafe.Sizeof(*set), C: uintptr(unsafe.Pointer(set)), keep: unsafe.Pointer(set)}
}

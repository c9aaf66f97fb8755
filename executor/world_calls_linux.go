package executor

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A birthCall is a system call that a child makes before it executes its program. An error of it counts for
// nothing. The last one of a list has endOfCalls as its number.
type birthCall struct {
	number, a, b, c, d uintptr
	keep               unsafe.Pointer // what an argument points to
}

const endOfCalls = ^uintptr(0)

func limitCall(kind int, l *unix.Rlimit) birthCall {
	return birthCall{number: unix.SYS_PRLIMIT64, b: uintptr(kind), c: uintptr(unsafe.Pointer(l)), keep: unsafe.Pointer(l)}
}

func affinityCall(set *unix.CPUSet) birthCall {
	return birthCall{number: unix.SYS_SCHED_SETAFFINITY, b: unsafe.Sizeof(*set), c: uintptr(unsafe.Pointer(set)), keep: unsafe.Pointer(set)}
}

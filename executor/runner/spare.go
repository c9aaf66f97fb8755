package runner

import (
	"errors"
	"io"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/procattr"
	"wf/executor/wire"
)

// AwaitRun returns the arguments of Main. If args are those of a spare runner, it first waits for the run, and prepares
// this process like one that was started for that run: its folder, its descriptors and its variables. It returns nil if
// the daemon does not need the spare runner any more.
func AwaitRun(args []string) ([]string, error) {
	if len(args) == 0 || args[0] != wire.SpareOption {
		return args, nil
	}
	runtime.LockOSThread() // as in onOwnThread, for which the runtime starts a thread
	runtime.GOMAXPROCS(runnerProcs)
	if err := warmUp(); err != nil {
		return nil, err
	}
	a, err := wire.ReceiveAssignment()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = enter(a)
	if err = errors.Join(err, a.Answer(err == nil)); err != nil {
		return nil, err
	}
	showArguments(a.Dir, a.Socket)
	return []string{a.Dir, a.Socket}, nil
}

// warmUp does the preparations that do not depend on the run, so that the run does not wait for them.
func warmUp() error {
	if _, err := proc.BootID(); err != nil {
		return err
	}
	procattr.Prepare()
	return sealDescriptors()
}

// enter gives this process what a runner inherits.
func enter(a *wire.Assignment) error {
	if err := unix.Chdir(a.Cwd); err != nil {
		return err
	}
	if err := unix.Dup2(int(a.Stderr.Fd()), unix.Stderr); err != nil {
		return err
	}
	if err := unix.Dup2(int(a.Lock.Fd()), wire.LockFD); err != nil {
		return err
	}
	unix.CloseOnExec(wire.LockFD)
	if len(a.Attributes) > 0 {
		if err := os.Setenv(procattr.Variable, a.Attributes); err != nil {
			return err
		}
	}
	return errors.Join(a.Stderr.Close(), a.Lock.Close())
}

// showArguments overwrites the padding of the command line, which lists of processes show.
func showArguments(args ...string) {
	last := len(os.Args) - 1
	if os.Args[last] != wire.SparePadding {
		return
	}
	// The kernel has put the arguments one behind the other. Their memory may be written.
	option, padding := unsafe.StringData(os.Args[last-1]), len(wire.SpareOption)+1+len(wire.SparePadding)
	place := unsafe.Slice((*byte)(unsafe.Pointer(option)), padding)
	var text []byte
	for _, arg := range args {
		text = append(append(text, arg...), 0)
	}
	if len(text) <= len(place) {
		clear(place)
		copy(place, text)
	}
}

//go:build linux && (amd64 || arm64)

package runner

import (
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/procattr"
	"wf/executor/wire"
)

// A forker starts programs, with fewer system calls than syscall.ForkExec: the kernel resets the
// handlers of signals (55 calls in the child), and why a program was refused is read from memory that
// both share (a pipe). What the program gets to see is the same; TestForkersAgree holds them together.
//
// It belongs to one goroutine. The zero forker is ready for use.
type forker struct {
	plain  bool // this kernel, or a filter of system calls, will not have it: syscall.ForkExec only
	forks  int  // so far
	limits procattr.FileLimits
	args   forkArgs
	note   *forkNote // nil = not opened yet, or it cannot be had
	opened bool

	// What the program gets, kept from one fork to the next: a child is done with it when the fork
	// is over.
	path, argv, env cStrings

	world   []childCall // that lead into the World of the commands
	entered bool        // world is known
}

// plainForks is how many children come from syscall.ForkExec first where nobody has told the limit: to
// find it out costs as much as this many of them could save. Tests set it to 0.
var plainForks = 8

// notes reports whether the kernel notes the children of this runner in its folder, see forkNote.
func (f *forker) notes(dir string) bool {
	if !f.opened {
		f.opened, f.note = true, openForkNote(dir)
	}
	return f.note != nil
}

// fork starts the program at path for an execution, in a session of its own, with files as its standard
// three.
func (f *forker) fork(id wire.ID, path string, argv, env []string, files [3]int) (child, error) {
	if !f.ready(files) {
		f.note.begin(id, forkPlain)
		path, argv = procattr.ThroughHelper(path, argv)
		return forkExec(path, argv, env, files)
	}
	b := &f.args
	*b = forkArgs{}
	for _, err := range []error{f.path.set(path), f.argv.set(argv...), f.env.set(env...)} {
		if err != nil {
			return child{}, err
		}
	}
	b.path, b.argv, b.envp = f.path.pointers[0], &f.argv.pointers[0], &f.env.pointers[0]
	b.in, b.out, b.err = uintptr(files[0]), uintptr(files[1]), uintptr(files[2])
	b.limit = f.limits.ToRestore()
	if len(f.world) > 0 {
		b.calls = &f.world[0]
	}
	b.all = ^uint64(0)
	b.clone = cloneArgs{
		flags:      unix.CLONE_VM | unix.CLONE_VFORK | unix.CLONE_PIDFD | unix.CLONE_CLEAR_SIGHAND,
		pidfd:      &b.pidfd,
		exitSignal: uint64(unix.SIGCHLD),
	}
	if f.note != nil {
		b.clone.flags |= unix.CLONE_PARENT_SETTID
		b.clone.parentTID = &f.note.pid
	}
	f.note.begin(id, forkNoted)
	syscall.ForkLock.Lock() // nobody has a descriptor that is not close-on-exec yet
	pid, errno := vforkExec(b)
	syscall.ForkLock.Unlock()
	runtime.KeepAlive(f)
	switch {
	case errno == unix.ENOSYS || errno == unix.EPERM || errno == unix.EINVAL:
		f.plain = true // before Linux 5.5, or in a container that forbids it
		f.note.begin(id, forkPlain)
		path, argv = procattr.ThroughHelper(path, argv)
		return forkExec(path, argv, env, files)
	case errno != 0:
		return child{}, errno
	case b.errno != 0:
		unix.Close(int(b.pidfd))
		proc.Reap(pid)
		return child{}, b.errno
	}
	return child{pid, int(b.pidfd)}, nil
}

// ready reports whether this fork can do without syscall.ForkExec.
func (f *forker) ready(files [3]int) bool {
	// Descriptors that are among the standard three already would need care in their order.
	if f.plain || min(files[0], files[1], files[2]) < len(files) {
		return false
	}
	if f.forks == 0 {
		f.limits.Inherit()
	}
	if !f.entered {
		f.entered = true
		if w, err := procattr.Parse([]byte(os.Getenv(procattr.Variable))); err == nil {
			for _, c := range w.Calls() {
				f.world = append(f.world, childCall(c))
			}
		}
		if len(f.world) > 0 {
			f.world = append(f.world, childCall{Number: endOfCalls})
		}
	}
	if f.forks++; f.forks <= plainForks && !f.limits.Known && len(f.world) == 0 {
		return false
	}
	if !f.limits.Known {
		f.plain = f.limits.Find(files[0]) != nil
	}
	return !f.plain
}

// cStrings are texts as the kernel wants them: one behind the other, each ended by a NUL, and a list
// of pointers to them that ends with nil. The memory is used again.
type cStrings struct {
	bytes    []byte
	pointers []*byte
}

// set replaces the texts. The error is EINVAL if one holds a NUL.
func (c *cStrings) set(texts ...string) error {
	c.bytes, c.pointers = c.bytes[:0], c.pointers[:0]
	for _, text := range texts {
		if strings.IndexByte(text, 0) >= 0 {
			return unix.EINVAL
		}
		c.bytes = append(append(c.bytes, text...), 0)
	}
	at := 0 // only now, when the bytes move no more
	for _, text := range texts {
		c.pointers = append(c.pointers, &c.bytes[at])
		at += len(text) + 1
	}
	c.pointers = append(c.pointers, nil)
	return nil
}

// A birth is all that vforkExec and the child need, and what they say. It lies on the heap, whose
// objects do not move, as part of a forker that is kept alive until the fork is over.
type forkArgs struct {
	clone cloneArgs
	all   uint64 // a set of all signals
	//lint:ignore U1000 the assembly alone uses it
	mask uint64 // what the thread had blocked before; the program begins with the same, as in ForkExec

	in, out, err uintptr      // descriptors, above 2
	limit        *unix.Rlimit // of open files, to be set; nil = none
	calls        *childCall   // into the world of the commands; nil = none
	path         *byte
	argv, envp   **byte

	pidfd int32
	errno syscall.Errno // why there is no program; set by the child
}

// A childCall is a system call of the child before it executes its program. The Number of the last one of a list
// is endOfCalls.
type childCall procattr.Call

const endOfCalls = ^uintptr(0)

// cloneArgs is struct clone_args of the kernel, in the first of its sizes.
type cloneArgs struct {
	flags      uint64
	pidfd      *int32 // where to put the descriptor
	_          uint64 // child_tid
	parentTID  *int32 // where to put the pid, before the child runs
	exitSignal uint64
	_          [3]uint64 // stack, stack_size: 0, that of the parent; tls
}

// vforkExec forks, has the child execute its program, and returns when it does so or has given up: then
// b.errno is set, and the child, which is about to end, must be reaped. errno is that of clone3.
//
// The child runs in the parent's memory, on its stack, while the thread of the parent stands still in
// clone3. So it may touch nothing but b: it makes system calls one after the other, and neither calls,
// returns nor pushes anything. That is why this is one assembly function from the first block of
// signals to their release:
//
//   - No signal arrives in between that would run a handler of Go's on this stack: in the parent they
//     are blocked, and wait. In the child, CLONE_CLEAR_SIGHAND has put those that Go handles back to
//     their defaults before it begins, so that it may let them in before the exec; what was ignored
//     stays so. A signal that kills the child in between kills it as a command that has just begun.
//   - The Go scheduler does not see that the thread waits. It cannot preempt assembly, nor move the
//     stack below it; the collector waits for the thread at most as long as an exec takes, as it does
//     in ForkExec.
//
//go:norace
func vforkExec(b *forkArgs) (pid int, errno syscall.Errno)

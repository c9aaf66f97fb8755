//go:build linux && (amd64 || arm64)

package runner

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
	"wf/executor/procattr"
	"wf/executor/wire"
)

// A forker starts programs with fewer system calls than syscall.ForkExec: the kernel resets the signal handlers, which
// saves 55 calls in the child, and the child reports a failed exec through shared memory instead of a pipe. The program
// cannot see a difference; TestForkersAgree checks that.
//
// It belongs to one goroutine. The zero forker is ready for use.
type forker struct {
	plain  bool // the kernel, or a filter of system calls, rejects vforkExec: use only syscall.ForkExec
	forks  int  // so far
	limits procattr.FileLimits
	args   forkArgs
	note   *forkNote // nil if it is not opened yet or could not be opened
	opened bool

	// The strings for the program. Their memory is used again: a child no longer needs it when the fork returns.
	path, argv, env cStrings

	attributes []childCall // the calls that set the process attributes of the commands
	prepared   bool        // attributes is set
}

// plainForks is how many children are forked by syscall.ForkExec first, if the limit of open files is unknown: to find
// the limit costs as much as so many calls of vforkExec save. Tests set it to 0.
var plainForks = 8

// notes reports whether the kernel writes the pids of children into the fork note in dir.
func (f *forker) notes(dir string) bool {
	if !f.opened {
		f.opened, f.note = true, openForkNote(dir)
	}
	return f.note != nil
}

// fork starts the program at path for an execution, as the leader of a new session, with files as its standard input,
// output and error.
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
	if len(f.attributes) > 0 {
		b.calls = &f.attributes[0]
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
	syscall.ForkLock.Lock() // no other goroutine holds a descriptor that is not close-on-exec yet
	pid, errno := vforkExec(b)
	syscall.ForkLock.Unlock()
	runtime.KeepAlive(f)
	switch {
	case errno == unix.ENOSYS || errno == unix.EPERM || errno == unix.EINVAL:
		f.plain = true // before Linux 5.5, or in a container that forbids clone3
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
	return child{pid: pid, handle: int(b.pidfd), noted: f.note != nil}, nil
}

// ready reports whether this fork can use vforkExec.
func (f *forker) ready(files [3]int) bool {
	// The child would overwrite descriptors that are among the standard three already.
	if f.plain || min(files[0], files[1], files[2]) < len(files) {
		return false
	}
	if f.forks == 0 {
		f.limits.Inherit()
	}
	if !f.prepared {
		f.prepared = true
		if w, err := procattr.Parse([]byte(os.Getenv(procattr.Variable))); err == nil {
			for _, c := range w.Calls() {
				f.attributes = append(f.attributes, childCall(c))
			}
		}
		if len(f.attributes) > 0 {
			f.attributes = append(f.attributes, childCall{Number: endOfCalls})
		}
	}
	if f.forks++; f.forks <= plainForks && !f.limits.Known && len(f.attributes) == 0 {
		return false
	}
	if !f.limits.Known {
		f.plain = f.limits.Find(files[0]) != nil
	}
	return !f.plain
}

// cStrings are NUL-terminated strings, one after the other, and a nil-terminated list of pointers to them, as the kernel
// expects them. Their memory is used again.
type cStrings struct {
	texts    []string // that bytes contains
	ends     []int    // where each of them ends in bytes
	bytes    []byte
	pointers []*byte
}

// set replaces the strings. It returns EINVAL if one contains a NUL. The first strings are usually those of the last call,
// because the commands of a run share most of their environment, so it copies only from the first other string on.
func (c *cStrings) set(texts ...string) error {
	same := 0
	for same < min(len(texts), len(c.texts)) && sameString(texts[same], c.texts[same]) {
		same++
	}
	end := 0
	if same > 0 {
		end = c.ends[same-1]
	}
	c.texts, c.ends, c.bytes = c.texts[:same], c.ends[:same], c.bytes[:end]
	for _, text := range texts[same:] {
		if strings.IndexByte(text, 0) >= 0 {
			return unix.EINVAL
		}
		c.bytes = append(append(c.bytes, text...), 0)
		c.texts, c.ends = append(c.texts, text), append(c.ends, len(c.bytes))
	}
	c.pointers = c.pointers[:0]
	start := 0
	for _, end := range c.ends { // the addresses are final only now
		c.pointers = append(c.pointers, &c.bytes[start])
		start = end
	}
	c.pointers = append(c.pointers, nil)
	return nil
}

// sameString reports whether two strings share their memory. It compares no bytes.
func sameString(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// forkArgs are the arguments and results of vforkExec and its child. They lie on the heap, whose objects do not move, in
// a forker that is kept alive until the fork is over.
type forkArgs struct {
	clone cloneArgs
	all   uint64 // the set of all signals
	//lint:ignore U1000 the assembly alone uses it
	mask uint64 // the thread's mask of blocked signals before the fork, which the program gets, as in ForkExec

	in, out, err uintptr      // descriptors, above 2
	limit        *unix.Rlimit // of open files, for the program; nil = leave it
	calls        *childCall   // that set the process attributes; nil = none
	path         *byte
	argv, envp   **byte

	pidfd int32
	errno syscall.Errno // of the failed exec, set by the child
}

// A childCall is a system call that the child makes before exec. The last one of a list has the Number endOfCalls.
type childCall procattr.Call

const endOfCalls = ^uintptr(0)

// cloneArgs is struct clone_args of the kernel in its first size.
type cloneArgs struct {
	flags      uint64
	pidfd      *int32 // where the kernel stores the descriptor
	_          uint64 // child_tid
	parentTID  *int32 // where the kernel stores the pid before the child runs
	exitSignal uint64
	_          [3]uint64 // stack, stack_size: 0, to use the parent's stack; tls
}

// vforkExec forks and returns when the child has executed its program, or has failed to. In that case b.errno is set,
// and the caller must reap the child, which is about to end. errno is the error of clone3.
//
// The child runs in the parent's memory and on its stack, while the parent's thread waits in clone3. It may change
// nothing but b: it only makes system calls, and neither calls, returns nor pushes anything. That is why everything from
// the blocking of signals to their release is one assembly function:
//
//   - No signal handler of Go may run on this stack. In the parent the signals are blocked meanwhile. In the child,
//     CLONE_CLEAR_SIGHAND resets the handlers to their defaults before it runs, so that it can unblock the signals
//     before the exec; ignored signals stay ignored. A signal that kills the child at this time has the same effect
//     as one that kills a command at its start.
//   - The Go scheduler does not see that the thread waits. It cannot preempt assembly or move the stack below it. The
//     garbage collector waits for the thread at most for the time of an exec, as it does in ForkExec.
//
//go:norace
func vforkExec(b *forkArgs) (pid int, errno syscall.Errno)

//go:build linux && (amd64 || arm64)

package executor

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A forker starts programs, with fewer system calls than syscall.ForkExec: the kernel resets the
// handlers of signals (55 calls in the child), and why a program was refused is read from memory that
// both share (a pipe). What the program gets to see is the same; TestForkersAgree holds them together.
//
// It belongs to one goroutine. The zero forker is ready for use.
type forker struct {
	plain  bool // this kernel, or a filter of system calls, will not have it: syscall.ForkExec only
	forks  int  // so far
	limits limits
	birth  birth
	note   *birthNote // nil = not opened yet, or it cannot be had
	opened bool

	// What the program gets, kept from one fork to the next: a child is done with it when the fork
	// is over.
	path, argv, env cStrings

	world   []birthCall // that lead into the World of the commands
	entered bool        // world is known
}

// plainForks is how many children come from syscall.ForkExec first where nobody has told the limit: to
// find it out costs as much as this many of them could save. Tests set it to 0.
var plainForks = 8

// notes reports whether the kernel notes the children of this runner in its folder, see birthNote.
func (f *forker) notes(dir string) bool {
	if !f.opened {
		f.opened, f.note = true, openBirthNote(dir)
	}
	return f.note != nil
}

// fork starts the program at path for an execution, in a session of its own, with files as its standard
// three.
func (f *forker) fork(id ID, path string, argv, env []string, files [3]int) (child, error) {
	if !f.ready(files) {
		f.note.begin(id, birthPlain)
		path, argv = throughWorld(path, argv)
		return forkExec(path, argv, env, files)
	}
	b := &f.birth
	*b = birth{}
	for _, err := range []error{f.path.set(path), f.argv.set(argv...), f.env.set(env...)} {
		if err != nil {
			return child{}, err
		}
	}
	b.path, b.argv, b.envp = f.path.pointers[0], &f.argv.pointers[0], &f.env.pointers[0]
	b.in, b.out, b.err = uintptr(files[0]), uintptr(files[1]), uintptr(files[2])
	b.limit = f.limits.toRestore()
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
	f.note.begin(id, birthNoted)
	syscall.ForkLock.Lock() // nobody has a descriptor that is not close-on-exec yet
	pid, errno := vforkExec(b)
	syscall.ForkLock.Unlock()
	runtime.KeepAlive(f)
	switch {
	case errno == unix.ENOSYS || errno == unix.EPERM || errno == unix.EINVAL:
		f.plain = true // before Linux 5.5, or in a container that forbids it
		f.note.begin(id, birthPlain)
		path, argv = throughWorld(path, argv)
		return forkExec(path, argv, env, files)
	case errno != 0:
		return child{}, errno
	case b.errno != 0:
		unix.Close(int(b.pidfd))
		reap(pid)
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
		f.limits.inherit()
	}
	if !f.entered {
		f.entered = true
		if w, err := ParseWorld([]byte(os.Getenv(worldVariable))); err == nil {
			for _, c := range w.calls() {
				f.world = append(f.world, birthCall(c))
			}
		}
		if len(f.world) > 0 {
			f.world = append(f.world, birthCall{Number: endOfCalls})
		}
	}
	if f.forks++; f.forks <= plainForks && !f.limits.known && len(f.world) == 0 {
		return false
	}
	if !f.limits.known {
		f.plain = f.limits.find(files[0]) != nil
	}
	return !f.plain
}

// limits are those of open files: the Go runtime raises the soft one when a program starts, and
// syscall.ForkExec gives back to each child what there was before, which it tells nobody else. (Until
// the program sets one itself, which this one never does.)
type limits struct {
	known          bool
	before, raised unix.Rlimit
}

// find asks a child of syscall.ForkExec. It is a shell that has nothing to execute and so does not
// change what is asked for; without a session of its own it is never taken for a command, see search.
func (l *limits) find(null int) error {
	const shell = "/bin/sh"
	pid, err := syscall.ForkExec(shell, []string{shell}, &syscall.ProcAttr{
		Env: []string{}, Files: []uintptr{uintptr(null), uintptr(null), uintptr(null)},
	})
	if err != nil {
		return err
	}
	err = errors.Join(
		unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &l.before), // a zombie has its limits, too
		unix.Getrlimit(unix.RLIMIT_NOFILE, &l.raised),
	)
	unix.Kill(pid, unix.SIGKILL)
	reap(pid)
	l.known = err == nil
	return err
}

// limitVariable tells a runner what its daemon has found: "SOFT:HARD".
const limitVariable = "WF_RUNNER_NOFILE"

// fileLimit returns the variable for runners, or "". It is found once, while no child is reaped.
var fileLimit = sync.OnceValue(func() string {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(null)
	var l limits
	if l.find(null) != nil {
		return ""
	}
	return fmt.Sprintf("%s=%d:%d", limitVariable, l.before.Cur, l.before.Max)
})

// inherit takes what the daemon has found. Both were started with the same limits.
func (l *limits) inherit() {
	n, err := fmt.Sscanf(os.Getenv(limitVariable), "%d:%d", &l.before.Cur, &l.before.Max)
	l.known = n == 2 && err == nil && unix.Getrlimit(unix.RLIMIT_NOFILE, &l.raised) == nil
}

// filesBefore is the limit of open files that this process began with, see limits.
var filesBefore = sync.OnceValues(func() (unix.Rlimit, bool) {
	var l limits
	if l.inherit(); l.known {
		return l.before, true
	}
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return l.before, false
	}
	defer unix.Close(null)
	return l.before, l.find(null) == nil
})

// toRestore returns what a child must set, or nil: nothing was raised, or somebody has changed our
// limits since, and means the children by it.
func (l *limits) toRestore() *unix.Rlimit {
	var now unix.Rlimit
	if l.before == l.raised || unix.Getrlimit(unix.RLIMIT_NOFILE, &now) == nil && now != l.raised {
		return nil
	}
	return &l.before
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
type birth struct {
	clone cloneArgs
	all   uint64 // a set of all signals
	//lint:ignore U1000 the assembly alone uses it
	mask uint64 // what the thread had blocked before; the program begins with the same, as in ForkExec

	in, out, err uintptr      // descriptors, above 2
	limit        *unix.Rlimit // of open files, to be set; nil = none
	calls        *birthCall   // into the world of the commands; nil = none
	path         *byte
	argv, envp   **byte

	pidfd int32
	errno syscall.Errno // why there is no program; set by the child
}

// A birthCall is a system call of the child before it executes its program. The Number of the last one of a list
// is endOfCalls.
type birthCall Call

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
func vforkExec(b *birth) (pid int, errno syscall.Errno)

//go:build linux && (amd64 || arm64)

package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/proc"
	"wf/executor/wire"
)

// A way is one of the two ways to fork.
type way func(path string, argv, env []string, files [3]int) (child, error)

// ownFork returns a forker that uses vforkExec from the first fork on. It skips the test if the system does not allow
// that.
func ownFork(t testing.TB) way {
	t.Helper()
	vforkFromStart(t)
	f := new(forker)
	null := openNull(t)
	c, err := f.fork(wire.ID{}, "/bin/true", []string{"true"}, nil, [3]int{null, null, null})
	if err != nil {
		t.Fatal(err)
	}
	exitCode(t, c)
	if f.plain {
		t.Skip("this kernel has no clone3 that resets signals, or forbids it")
	}
	return func(path string, argv, env []string, files [3]int) (child, error) {
		return f.fork(wire.ID{}, path, argv, env, files)
	}
}

// vforkFromStart makes forkers use vforkExec from the first fork on.
func vforkFromStart(t testing.TB) {
	old := plainForks
	plainForks = 0
	t.Cleanup(func() { plainForks = old })
}

func openNull(t testing.TB) int {
	t.Helper()
	fd, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// exitCode waits for the child and closes its handle.
func exitCode(t testing.TB, c child) int {
	t.Helper()
	defer unix.Close(c.handle)
	var status unix.WaitStatus
	_, err := unix.Wait4(c.pid, &status, 0, nil)
	for errors.Is(err, unix.EINTR) {
		_, err = unix.Wait4(c.pid, &status, 0, nil)
	}
	if err != nil || !status.Exited() {
		t.Fatalf("process %d: %v, wait status %#x", c.pid, err, status)
	}
	return status.ExitStatus()
}

// outputOf starts a program and returns what it prints.
func outputOf(t *testing.T, fork way, argv ...string) (pid int, text string) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	null := openNull(t)
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	c, err := fork(path, argv, []string{"A=1", "LC_ALL=C", "PATH=/usr/bin:/bin", "EMPTY="}, [3]int{null, int(out.Fd()), int(out.Fd())})
	if err != nil {
		t.Fatal(err)
	}
	code := exitCode(t, c)
	printed, err := os.ReadFile(out.Name())
	if err != nil || code != 0 {
		t.Fatalf("%v: exit code %d, %v\n%s", argv, code, err, printed)
	}
	return c.pid, strings.ReplaceAll(string(printed), out.Name(), "OUT")
}

// describeProcess describes all state of a program that depends on its parent.
func describeProcess(t *testing.T, fork way) string {
	t.Helper()
	var b strings.Builder
	_, status := outputOf(t, fork, "cat", "/proc/self/status")
	for line := range strings.Lines(status) {
		key, _, _ := strings.Cut(line, ":")
		switch key {
		case "Umask", "PPid", "TracerPid", "Uid", "Gid", "Groups", "Threads", "SigBlk", "SigIgn", "SigCgt",
			"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Cpus_allowed":
			b.WriteString(line)
		}
	}
	for _, file := range []string{"limits", "environ", "cmdline", "cgroup", "oom_score_adj", "timerslack_ns"} {
		_, text := outputOf(t, fork, "cat", "/proc/self/"+file)
		fmt.Fprintf(&b, "%s: %q\n", file, text)
	}
	_, links := outputOf(t, fork, "sh", "-c", "for n in /proc/$$/fd/* /proc/$$/cwd; do readlink $n; done")
	fmt.Fprintf(&b, "descriptors and folder: %q\n", strings.ReplaceAll(links, "/proc/", ""))
	pid, stat := outputOf(t, fork, "cat", "/proc/self/stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	fmt.Fprintf(&b, "leads group: %v, session: %v, terminal: %s, signal at its end: %s\n",
		fields[2] == fmt.Sprint(pid), fields[3] == fmt.Sprint(pid), fields[4], fields[35])
	return b.String()
}

// conditions are states of the forking process. Each function sets one and returns how to leave it.
var conditions = map[string]func(t *testing.T) (leave func()){
	"as it is": func(*testing.T) func() { return func() {} },
	"signals blocked": func(t *testing.T) func() {
		set, old := unix.Sigset_t{}, unix.Sigset_t{}
		set.Val[0] = 1<<(unix.SIGUSR1-1) | 1<<(unix.SIGTERM-1)
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, &set, &old); err != nil {
			t.Fatal(err)
		}
		return func() { unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }
	},
	"signals ignored": func(*testing.T) func() {
		signal.Ignore(unix.SIGPIPE, unix.SIGUSR2, unix.SIGINT)
		return func() { signal.Reset(unix.SIGPIPE, unix.SIGUSR2, unix.SIGINT) }
	},
	"signals handled": func(*testing.T) func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, unix.SIGUSR1, unix.SIGHUP, unix.SIGCHLD)
		return func() { signal.Stop(c) }
	},
	"an open descriptor": func(t *testing.T) func() {
		fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(err)
		}
		return func() { unix.Close(fd) }
	},
	"changed limits": func(t *testing.T) func() {
		return limitFiles(t, 200)
	},
}

// limitFiles sets the soft limit as another process would: the function of package syscall would make the Go runtime forget
// the original limit.
func limitFiles(t *testing.T, soft int) (restore func()) {
	t.Helper()
	set := func(to, old *unix.Rlimit) {
		_, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE,
			uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(old)), 0, 0)
		if errno != 0 {
			t.Fatal(errno)
		}
	}
	var old unix.Rlimit
	set(nil, &old)
	set(&unix.Rlimit{Cur: uint64(soft), Max: old.Max}, nil)
	return func() { set(&old, nil) }
}

// TestForkersAgree checks that a program sees the same state as when syscall.ForkExec starts it.
func TestForkersAgree(t *testing.T) {
	own := ownFork(t)
	runtime.LockOSThread() // the child inherits the signal mask of the thread
	defer runtime.UnlockOSThread()
	for name, enter := range conditions {
		leave := enter(t)
		theirs, ours := describeProcess(t, forkExec), describeProcess(t, own)
		leave()
		if ours != theirs {
			t.Errorf("%s: the program sees\n%s\nand from syscall.ForkExec\n%s", name, ours, theirs)
		}
		if !strings.Contains(ours, "leads group: true, session: true") {
			t.Errorf("%s: no session of its own\n%s", name, ours)
		}
	}
}

// helperVariable is set in a process that a shell has prepared as a Go program cannot prepare itself.
const helperVariable = "WF_TEST_ELSEWHERE"

// TestForkersAgreeElsewhere does the same in a process that was started with a low soft limit of open files, which Go has
// raised, and with ignored signals.
func TestForkersAgreeElsewhere(t *testing.T) {
	ownFork(t)
	cmd := exec.Command("/bin/sh", "-c", `ulimit -Sn 300; trap '' HUP TERM USR1; exec "$0" "$@"`,
		os.Args[0], "-test.run=^TestForkersAgree$|^TestLimitIsFound$", "-test.v")
	cmd.Env = append(os.Environ(), helperVariable+"=1")
	text, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(text), "--- PASS") != 2 {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestLimitIsFound is a part of TestForkersAgreeElsewhere.
func TestLimitIsFound(t *testing.T) {
	if os.Getenv(helperVariable) == "" {
		t.Skip("part of TestForkersAgreeElsewhere")
	}
	if _, text := outputOf(t, ownFork(t), "sh", "-c", "ulimit -Sn"); text != "300\n" {
		t.Errorf("a command may open %s files, not 300", text)
	}
}

// TestForkersFailAlike checks that both ways return the same errors and leave nothing behind.
func TestForkersFailAlike(t *testing.T) {
	own := ownFork(t)
	null := openNull(t)
	good := [3]int{null, null, null}
	dir := t.TempDir()
	others, err := proc.Children() // adopted orphans of other tests
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		path  string
		args  []string
		env   []string
		files [3]int
		want  error
	}{
		"no such file":             {path: "/no/such/file", files: good, want: unix.ENOENT},
		"a folder":                 {path: dir, files: good, want: unix.EACCES},
		"not executable":           {path: write("data", "x", 0o600), files: good, want: unix.EACCES},
		"not a program":            {path: write("text", "x", 0o700), files: good, want: unix.ENOEXEC},
		"no interpreter":           {path: write("script", "#!/no/such\n", 0o700), files: good, want: unix.ENOENT},
		"too long an argument":     {path: "/bin/true", args: []string{strings.Repeat("x", 1<<20)}, files: good, want: unix.E2BIG},
		"NUL in the path":          {path: "/bin/\x00true", files: good, want: unix.EINVAL},
		"NUL in an argument":       {path: "/bin/true", args: []string{"a\x00b"}, files: good, want: unix.EINVAL},
		"NUL in a variable":        {path: "/bin/true", env: []string{"A=\x00"}, files: good, want: unix.EINVAL},
		"no such descriptor":       {path: "/bin/true", files: [3]int{null, 1 << 20, null}, want: unix.EBADF},
		"no such third descriptor": {path: "/bin/true", files: [3]int{null, null, 1 << 20}, want: unix.EBADF},
	} {
		before := openFiles(t)
		argv := append([]string{"true"}, c.args...)
		_, theirs := forkExec(c.path, argv, c.env, c.files)
		_, ours := own(c.path, argv, c.env, c.files)
		if !errors.Is(ours, c.want) || ours.Error() != theirs.Error() {
			t.Errorf("%s: %v, of syscall.ForkExec %v, want %v", name, ours, theirs, c.want)
		}
		if after := openFiles(t); after != before {
			t.Errorf("%s: %d descriptors are open, not %d", name, after, before)
		}
	}
	left, err := proc.Children()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range left {
		if !slices.Contains(others, pid) {
			t.Errorf("process %d is left", pid)
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestForkWithoutDescriptors checks that a shortage of descriptors is reported as one, so that the start is tried again.
func TestForkWithoutDescriptors(t *testing.T) {
	own := ownFork(t)
	null := openNull(t)
	defer limitFiles(t, 64)()
	for {
		fd, err := unix.FcntlInt(uintptr(null), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			break
		}
		defer unix.Close(fd)
	}
	_, err := own("/bin/true", []string{"true"}, nil, [3]int{null, null, null})
	if !errors.Is(err, unix.EMFILE) || !fault.Shortage(err) {
		t.Errorf("without a descriptor for the child: %v", err)
	}
}

// TestForkerFallsBack forbids clone3, as containers do. The command is started all the same.
func TestForkerFallsBack(t *testing.T) {
	ownFork(t)
	null := openNull(t)
	for _, refusal := range []unix.Errno{unix.ENOSYS, unix.EPERM} {
		var f forker
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // never unlocked, so that the thread ends with the goroutine, and its filter with it
			if err := refuse(unix.SYS_CLONE3, refusal); err != nil {
				done <- err
				return
			}
			for range 2 {
				c, err := f.fork(wire.ID{}, "/bin/true", []string{"true"}, nil, [3]int{null, null, null})
				if err != nil {
					done <- err
					return
				}
				exitCode(t, c)
			}
			done <- nil
		}()
		if err := <-done; err != nil || !f.plain {
			t.Errorf("%v: %v, falls back: %v", refusal, err, f.plain)
		}
	}
}

// refuse makes a system call fail in this thread from now on.
func refuse(call uint32, errno unix.Errno) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

// TestForkUnderLoad forks while the garbage collector runs all the time, signals arrive, and other goroutines fork.
func TestForkUnderLoad(t *testing.T) {
	own := ownFork(t)
	forks := 1000
	if testing.Short() {
		forks = 200
	}
	if *torture {
		forks = 10_000
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, unix.SIGUSR1, unix.SIGURG)
	defer signal.Stop(caught)
	var over atomic.Bool
	var fire sync.WaitGroup
	fire.Go(func() {
		for garbage := [][]byte(nil); !over.Load(); runtime.Gosched() {
			unix.Kill(os.Getpid(), unix.SIGUSR1)
			unix.Kill(os.Getpid(), unix.SIGURG)
			garbage = append(garbage[max(0, len(garbage)-9):], make([]byte, 1<<12))
		}
	})
	fire.Go(func() {
		for !over.Load() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				t.Error(err)
			}
		}
	})
	null := openNull(t)
	for i := range forks {
		want, path, argv := i%200, "/bin/sh", []string{"sh", "-c", fmt.Sprint("exit ", i%200)}
		if i%7 == 0 {
			path = "/no/such/file"
		}
		c, err := own(path, argv, []string{fmt.Sprint("I=", i)}, [3]int{null, null, null})
		switch {
		case i%7 == 0 && errors.Is(err, syscall.ENOENT):
		case err != nil:
			t.Fatalf("fork %d: %v", i, err)
		default:
			if got := exitCode(t, c); got != want {
				t.Fatalf("fork %d: exit code %d, want %d", i, got, want)
			}
		}
	}
	over.Store(true)
	fire.Wait()
}

// TestEndAndNextForkAreWrittenTogether counts the writes of the runner log: one from the death of a child to the fork of the
// next one, and none for the start, which the fork note already has.
func TestEndAndNextForkAreWrittenTogether(t *testing.T) {
	vforkFromStart(t)
	r, record := newTestRunner(t, 1)
	r.jobs.lookahead = lookahead{n: 4, since: time.Now().Add(time.Hour)}
	handOver(r, "true", "true", "sleep 100")
	now := time.Now()
	r.turn(now)
	if r.commands.forker.plain {
		t.Skip("this system has no clone3 that writes the fork note")
	}
	record.flushes = 0
	for begin := time.Now(); record.position(wire.EntryEnd, 1) < 0 && time.Since(begin) < time.Minute; {
		if _, _, err := r.poller.wait(time.Second); err != nil {
			t.Fatal(err)
		}
		r.reapDeaths(now)
		r.turn(now)
	}
	if record.flushes != 2 {
		t.Errorf("%d writes for two ends, two forks and two starts", record.flushes)
	}
	if record.written == len(record.entries) {
		t.Error("the last start is written")
	}
	if r.turn(now.Add(announceDelay)); record.written != len(record.entries) || len(r.news.pending) > 0 {
		t.Errorf("%d of %d entries written, pending %q", record.written, len(record.entries), r.news.pending)
	}
	for pid := range r.children.running {
		unix.Kill(-pid, unix.SIGKILL)
	}
	await(t, r, 1)
}

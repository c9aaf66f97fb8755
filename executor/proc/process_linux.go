package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ticksPerSecond is USER_HZ, the unit of times in /proc; every Linux that Go runs on has 100.
const ticksPerSecond = 100

// BecomeSubreaper makes this process the parent of all its orphaned descendants, so that it can find and reap them.
func BecomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	return nil
}

// BootID returns the id of this boot of the machine. Pids and ticks of another boot mean nothing.
func BootID() (string, error) {
	if id := bootID.Load(); id != nil {
		return *id, nil
	}
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(text))
	bootID.Store(&id)
	return id, nil
}

// bootID is the result of BootID after its first success.
var bootID atomic.Pointer[string]

// Ticks returns the start time that a process forked now would get. Two calls, before and after a fork, cost a tenth
// of reading the exact start time from /proc.
func Ticks() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return 0
	}
	return now.Nano() / (int64(time.Second) / ticksPerSecond)
}

// tableRounds is how often processes looks for processes that started while it was reading.
const tableRounds = 20

// processes reads all processes, again and again until it finds no new one: during one pass, a chain of short-lived
// processes can stay unseen, each forked by the one before and gone before its turn.
func processes() ([]Process, error) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	seen := make(map[int]Process)
	for range tableRounds {
		fresh, err := readNew(folder, seen)
		if err != nil {
			return nil, err
		}
		if adopted := rereadOrphans(seen); !fresh && !adopted {
			break
		}
	}
	return slices.Collect(maps.Values(seen)), nil
}

// readNew reads the processes that are not in seen, and reports whether there was one.
func readNew(folder *os.File, seen map[int]Process) (fresh bool, err error) {
	if _, err := folder.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if _, ok := seen[pid]; ok {
			continue
		}
		if p, err := Read(pid); err == nil { // otherwise it has ended
			seen[pid] = p
			fresh = true
		}
	}
	return fresh, nil
}

// rereadOrphans reads again the processes whose parent is not in seen: the parent has ended, and another process has
// adopted them. It reports whether the parent of one has changed.
func rereadOrphans(seen map[int]Process) (adopted bool) {
	for pid, p := range seen {
		if _, ok := seen[p.Parent]; ok || p.Parent == 0 {
			continue
		}
		now, err := Read(pid)
		switch {
		case err != nil:
			delete(seen, pid)
		case now.Parent != p.Parent:
			seen[pid] = now
			adopted = true
		}
	}
	return adopted
}

// errNoProcess says that no process has the pid.
var errNoProcess = errors.New("no such process")

// Read reads one process. It returns an error if no process has the pid.
func Read(pid int) (Process, error) {
	fields, err := statFields(pid)
	if err != nil {
		return Process{}, err
	}
	p := Process{PID: pid, Dead: fields[0] == "Z" || fields[0] == "X"}
	p.Parent, _ = strconv.Atoi(fields[1])
	p.Group, _ = strconv.Atoi(fields[2])
	p.Session, _ = strconv.Atoi(fields[3])
	const forkNoExec = 0x40 // PF_FORKNOEXEC; zombies keep it
	flags, _ := strconv.ParseUint(fields[6], 10, 64)
	p.BeforeExec = flags&forkNoExec != 0
	p.StartTicks, err = strconv.ParseInt(fields[19], 10, 64)
	return p, err
}

// statFields returns the fields of /proc/PID/stat from the third one, the state. The second one is the name in
// parentheses, which may contain blanks and parentheses.
func statFields(pid int) ([]string, error) {
	text, err := readSmall("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, errNoProcess
	}
	end := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[end+1:]))
	if end < 0 || len(fields) < 20 {
		return nil, fmt.Errorf("/proc/%d/stat: %q is not understood", pid, text)
	}
	return fields, nil
}

// readSmall reads a file of /proc of up to one page with a quarter of the system calls of os.ReadFile. ReadTable reads
// one for each process of the machine.
func readSmall(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	text := make([]byte, os.Getpagesize())
	n, err := unix.Read(fd, text)
	return text[:max(0, n)], err
}

// Environment returns the environment of the program that pid runs, or nil if this user may not read it.
// The kernel shows an empty one from the moment at which execve drops the old program until it has written
// the new environment; Environment waits up to 100 ms for the end of that.
func Environment(pid int) []string {
	path := "/proc/" + strconv.Itoa(pid) + "/environ"
	deadline := time.Now().Add(100 * time.Millisecond)
	for sawNone := 0; ; time.Sleep(100 * time.Microsecond) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		length, running := environmentLength(pid)
		if length == 0 {
			sawNone++ // the first time, execve may be about to write it
		}
		if len(text) > 0 || !running || sawNone == 3 || time.Now().After(deadline) {
			return strings.Split(string(text), "\x00")
		}
	}
}

// environmentLength returns the bytes of the environment of pid, -1 while execve has not placed it; running is
// false if pid has ended or is a thread of the kernel.
func environmentLength(pid int) (length int64, running bool) {
	const flagsField, startField, endField, kernelThread = 6, 47, 48, 0x00200000 // proc(5), counted from the state
	fields, err := statFields(pid)
	if err != nil || fields[0] == "Z" || fields[0] == "X" || len(fields) <= endField {
		return 0, false
	}
	flags, _ := strconv.ParseUint(fields[flagsField], 10, 64)
	start, _ := strconv.ParseInt(fields[startField], 10, 64)
	end, _ := strconv.ParseInt(fields[endField], 10, 64)
	if end == 0 {
		return -1, flags&kernelThread == 0
	}
	return end - start, flags&kernelThread == 0
}

// signalProcess opens a pidfd and compares the start time after that: from then on the descriptor cannot refer to
// another process.
func signalProcess(p Process, sig unix.Signal) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ENOSYS) {
		return signalBare(p, sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	now, err := Read(p.PID)
	if err != nil || now.StartTicks != p.StartTicks {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// signalBare is signalProcess for kernels before 5.3, with a gap of a few microseconds after the comparison.
func signalBare(p Process, sig unix.Signal) error {
	now, err := Read(p.PID)
	if err != nil || now.StartTicks != p.StartTicks {
		return unix.ESRCH
	}
	return unix.Kill(p.PID, sig)
}

// NextDeath returns a child that has ended; it stays a zombie until Reap. It returns nil if no child has ended, and the
// error ECHILD if there are no children.
func NextDeath() (*Death, error) {
	const options = unix.WEXITED | unix.WNOWAIT | unix.WNOHANG
	var info unix.Siginfo
	var usage unix.Rusage
	err := unix.Waitid(unix.P_ALL, 0, &info, options, &usage)
	for errors.Is(err, unix.EINTR) {
		err = unix.Waitid(unix.P_ALL, 0, &info, options, &usage)
	}
	child := (*childInfo)(unsafe.Add(unsafe.Pointer(&info), siginfoChild))
	if err != nil || child.pid == 0 {
		return nil, err
	}
	d := &Death{
		PID:    int(child.pid),
		User:   time.Duration(usage.Utime.Nano()),
		System: time.Duration(usage.Stime.Nano()),
		Peak:   peakOf(&usage),
	}
	const exited = 1 // CLD_EXITED; the others are kinds of death by signal
	if info.Code == exited {
		d.Code = int(child.status)
	} else {
		d.Signal = int(child.status)
	}
	return d, nil
}

// peakOf returns the peak of memory in bytes.
func peakOf(usage *unix.Rusage) int64 { return usage.Maxrss << 10 }

// childInfo is the part of siginfo_t that waitid fills in after the first three integers.
type childInfo struct {
	pid    int32
	uid    uint32
	status int32
}

// siginfoChild is the offset of childInfo, which is aligned to a pointer.
const siginfoChild = (3*4 + unsafe.Sizeof(uintptr(0)) - 1) / unsafe.Sizeof(uintptr(0)) * unsafe.Sizeof(uintptr(0))

// Reap removes a zombie.
func Reap(pid int) {
	for {
		if _, err := unix.Wait4(pid, nil, 0, nil); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// Program returns the name of the program that a process executes, or "" if the process has ended.
func Program(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
}

// OutputFiles returns the regular files among standard output and standard error of a process.
func OutputFiles(pid int) (files []os.FileInfo) {
	for fd := 1; fd <= 2; fd++ {
		info, err := os.Stat(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
		if err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	return files
}

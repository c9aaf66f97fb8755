package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func becomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	return nil
}

// processes returns all processes. It shares no code with executor/proc, because the attacks must not find processes with
// the code that they test.
func processes() ([]process, error) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil { // an error means that it has ended
			all = append(all, p)
		}
	}
	return all, nil
}

// readProcess returns one process; the error is errGone if it does not exist.
func readProcess(pid int) (process, error) {
	const state, parent, flags, started = 0, 1, 6, 19 // after the name, which is in parentheses
	const forkNoExec = 0x40                           // PF_FORKNOEXEC
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, errGone
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= started {
		return process{}, fmt.Errorf("/proc/%d/stat: %q is not understood", pid, text)
	}
	p := process{pid: pid, zombie: fields[state] == "Z" || fields[state] == "X", waits: fields[state] == "D"}
	if p.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return p, err
	}
	bits, err := strconv.ParseUint(fields[flags], 10, 64)
	if err != nil {
		return p, err
	}
	p.bare = bits&forkNoExec != 0
	p.started, err = strconv.ParseUint(fields[started], 10, 64)
	return p, err
}

func (p process) file(name string) string { return fmt.Sprintf("/proc/%d/%s", p.pid, name) }

// program returns the path of the executable, "" for a zombie and without permission.
func (p process) program() string {
	path, _ := os.Readlink(p.file("exe"))
	return path
}

// cwd returns the working directory, "" as with program.
func (p process) cwd() string {
	path, _ := os.Readlink(p.file("cwd"))
	return path
}

func (p process) argv() []string {
	text, _ := os.ReadFile(p.file("cmdline")) // empty if it has ended
	return strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
}

// signal sends sig only to p: it compares the process after opening the pid.
func (p process) signal(sig unix.Signal) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return errGone
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if now, err := readProcess(p.pid); err != nil || now.started != p.started || now.zombie {
		return errGone
	}
	if err := unix.PidfdSendSignal(fd, sig, nil, 0); errors.Is(err, unix.ESRCH) {
		return errGone
	} else if err != nil {
		return err
	}
	return nil
}

// term sends SIGTERM.
func (p process) term() error { return p.signal(unix.SIGTERM) }

// kill sends SIGKILL.
func (p process) kill() error { return p.signal(unix.SIGKILL) }

// pause stops the process until goOn.
func (p process) pause() error { return p.signal(unix.SIGSTOP) }

func (p process) goOn() error { return p.signal(unix.SIGCONT) }

// quit makes a Go program print its goroutines and end.
func (p process) quit() error { return p.signal(unix.SIGQUIT) }

// A footprint is what a process uses of the machine.
type footprint struct {
	descriptors, threads, children, zombies int
	memoryKB                                int64
}

func (p process) footprint() (footprint, error) {
	var f footprint
	open, err := filepath.Glob(p.file("fd/*"))
	if err != nil {
		return f, err
	}
	f.descriptors = len(open)
	status, err := os.ReadFile(p.file("status"))
	if err != nil {
		return f, err
	}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		switch fields := strings.Fields(value); key {
		case "Threads":
			f.threads, err = strconv.Atoi(fields[0])
		case "VmRSS":
			f.memoryKB, err = strconv.ParseInt(fields[0], 10, 64)
		}
		if err != nil {
			return f, fmt.Errorf("%s: %w", p.file("status"), err)
		}
	}
	all, err := processes()
	for _, c := range all {
		if c.parent == p.pid && !slices.Contains(c.argv(), "--spare") { // the daemon keeps one runner for the next run
			f.children++
			if c.zombie {
				f.zombies++
			}
		}
	}
	return f, err
}

// ticksPerSecond is USER_HZ, the unit of times in /proc; every Linux that Go runs on has 100.
const ticksPerSecond = 100

// cpu returns the CPU time of p itself, in steps of 10 ms.
func (p process) cpu() (time.Duration, error) {
	const user, system = 11, 12 // see readProcess
	text, err := os.ReadFile(p.file("stat"))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= system {
		return 0, fmt.Errorf("%s: %q is not understood", p.file("stat"), text)
	}
	var ticks int64
	for _, f := range fields[user : system+1] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}

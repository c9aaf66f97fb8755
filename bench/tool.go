package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Names of tools in reports.
const (
	toolWf    = "wf" // with the suffix of its client
	toolOther = "other wf"
	toolNinja = "ninja"
	toolMake  = "make"
	toolFloor = "floor"
)

// maxrssPerKB is the unit of ru_maxrss: bytes on macOS.
var maxrssPerKB = map[bool]int64{false: 1, true: 1024}[runtime.GOOS == "darwin"]

// A sample is one timed run.
type sample struct {
	wall time.Duration
	cpu  time.Duration // of the process and all processes that it waited for
	// commands is the part of cpu that commands used; only the floor can separate it.
	commands time.Duration
	peakKB   int64 // memory of the largest process, in KiB
	self     usage // of the process without its children, if known; the switches only of a process without children
}

// A tool can run a case. prepare, if not nil, is called before every run, untimed.
type tool struct {
	name    string
	prepare func() error
	command func(ctx context.Context) *exec.Cmd
	// discard says that standard error is thrown away, because it is progress and not only errors.
	discard bool
	// split reads the CPU times of spawner and commands from the output of the tool; nil = unknown.
	split func(stdout string) (own, commands time.Duration, err error)
	// finish, if not nil, is called with the output of the process after its end, and returns when the work is done.
	finish func(ctx context.Context, stdout string) error
}

// time runs the tool once.
func (t *tool) time(ctx context.Context) (sample, error) {
	if t.prepare != nil {
		if err := t.prepare(); err != nil {
			return sample{}, err
		}
	}
	cmd := t.command(ctx)
	var stdout, stderr bytes.Buffer
	if t.split != nil || t.finish != nil {
		cmd.Stdout = &stdout // little output, so a pipe costs nothing
	}
	if !t.discard {
		cmd.Stderr = &stderr
	}
	cmd.WaitDelay = time.Second
	begin := time.Now()
	self, err := runAlone(cmd)
	if err == nil && t.finish != nil {
		err = t.finish(ctx, stdout.String())
	}
	s := sample{wall: time.Since(begin), self: usage{cpu: self}}
	if ctx.Err() != nil {
		err = ctx.Err() // instead of the signal that ended it
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, tail(stderr.String()))
	}
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.peakKB = int64(usage.Maxrss) / maxrssPerKB
		s.self.switches = int64(usage.Nvcsw) + int64(usage.Nivcsw)
	}
	if t.split != nil {
		var own time.Duration
		if own, s.commands, err = t.split(stdout.String()); err != nil {
			return s, err
		}
		s.cpu, s.self.cpu = own+s.commands, own
	}
	return s, nil
}

// tail returns the last lines of an output, for an error.
func tail(text string) string {
	const lines = 10
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func ninja(c *benchCase, load bool) *tool {
	args := []string{"--quiet", "-j", strconv.Itoa(c.jobs)}
	if load {
		args = []string{"-t", "rules"}
	}
	return &tool{
		name: toolNinja,
		// Its log of earlier runs would make every run read more than the previous one.
		prepare: func() error { return os.RemoveAll(filepath.Join(c.dir, ".ninja_log")) },
		command: func(ctx context.Context) *exec.Cmd { return in(c.dir, exec.CommandContext(ctx, "ninja", args...)) },
	}
}

func gnuMake(c *benchCase, load bool) *tool {
	args := []string{"-r", "-j", strconv.Itoa(c.jobs)}
	if c.shell == shellBash {
		args = append(args, "SHELL=/bin/bash")
	}
	if load {
		args = append(args, "nothing")
	}
	return &tool{
		name:    toolMake,
		command: func(ctx context.Context) *exec.Cmd { return in(c.dir, exec.CommandContext(ctx, "make", args...)) },
	}
}

// floor returns a tool that only starts the commands of a case, with one spawner per processor as far as
// there is work.
func floor(c *benchCase, program string) *tool {
	inFlight := c.jobs
	if c.oneAtATime() {
		inFlight = 1
	}
	spawners := min(inFlight, runtime.NumCPU())
	args := append([]string{strconv.Itoa(spawners), strconv.Itoa(inFlight), strconv.Itoa(c.nodes())}, c.argv...)
	return &tool{
		name:    toolFloor,
		command: func(ctx context.Context) *exec.Cmd { return in(c.dir, exec.CommandContext(ctx, program, args...)) },
		split:   splitFloor,
	}
}

func splitFloor(stdout string) (own, commands time.Duration, err error) {
	var ownUS, commandsUS int64
	if _, err := fmt.Sscan(stdout, &ownUS, &commandsUS); err != nil {
		return 0, 0, fmt.Errorf("the floor printed %q: %w", stdout, err)
	}
	return time.Duration(ownUS) * time.Microsecond, time.Duration(commandsUS) * time.Microsecond, nil
}

func in(dir string, cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = dir
	return cmd
}

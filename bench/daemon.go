package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"wf/api"
)

// A daemon is a wf daemon of this program, in its own folders.
type daemon struct {
	wfBuild
	dir  string
	env  []string
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
	err  error         // its error, after done
}

// Time limits for a daemon.
const (
	startTime = 10 * time.Second
	stopTime  = 20 * time.Second
)

// A wfBuild is a wf binary and its name in reports.
type wfBuild struct{ name, program string }

// startDaemon starts a daemon in a new folder below work and returns when it answers. The caller must call stop.
func startDaemon(ctx context.Context, b wfBuild, work string, slots int) (*daemon, error) {
	dir, err := os.MkdirTemp(work, "d")
	if err != nil {
		return nil, err
	}
	d := &daemon{wfBuild: b, dir: dir, done: make(chan struct{})}
	runtimeDir, state := filepath.Join(dir, "run"), filepath.Join(dir, "state")
	d.env = append(os.Environ(), "WF_RUNTIME_DIR="+runtimeDir, "WF_STATE_DIR="+state, "WF_SLOTS="+strconv.Itoa(slots))
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	// Not bound to ctx: when ctx ends, the daemon is still stopped properly.
	d.cmd = exec.Command(d.program, "server", "start", "--foreground", "--idle-timeout", "0")
	d.cmd.Env, d.cmd.Stdout, d.cmd.Stderr = d.env, log, log
	// Its own process group: Ctrl-C is for this program, which then stops the daemon.
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		d.err = d.cmd.Wait()
		close(d.done)
	}()
	if err := d.awaitRegistry(ctx, filepath.Join(runtimeDir, api.FileRegistry)); err != nil {
		_, stopErr := d.stop()
		return nil, errors.Join(err, stopErr)
	}
	return d, nil
}

// awaitRegistry waits for the file by which a daemon announces that it listens.
func (d *daemon) awaitRegistry(ctx context.Context, path string) error {
	deadline := time.After(startTime)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		select {
		case <-tick.C:
		case <-d.done:
			return fmt.Errorf("the daemon ended: %w\n%s", d.err, d.log())
		case <-deadline:
			return fmt.Errorf("the daemon does not answer after %s\n%s", startTime, d.log())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *daemon) log() string {
	data, _ := os.ReadFile(filepath.Join(d.dir, "log")) // only for an error message
	return tail(string(data))
}

// tool returns the wf client for d.
func (d *daemon) tool(c *benchCase, load bool) *tool {
	args := []string{"run", "Workfile", "--fresh", "-j", strconv.Itoa(c.jobs), "--progress", "none"}
	if load {
		args = []string{"check", "Workfile"}
	}
	return &tool{name: d.name, command: func(ctx context.Context) *exec.Cmd {
		cmd := in(c.dir, exec.CommandContext(ctx, d.program, args...))
		cmd.Env = d.env
		return cmd
	}}
}

// stop ends the daemon with its runs, and returns the CPU time of the daemon, its runners and their
// commands. The kernel adds the time of a process to its parent's when it is waited for, so after the end
// it is complete and exact to the microsecond. The folders are removed.
func (d *daemon) stop() (time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	ask := exec.CommandContext(ctx, d.program, "server", "stop", "--cancel")
	ask.Env = d.env
	out, askErr := ask.CombinedOutput()
	if askErr != nil {
		d.cmd.Process.Signal(syscall.SIGTERM) // fails only if it has already ended
	}
	select {
	case <-d.done:
	case <-ctx.Done():
		d.cmd.Process.Kill() // see above
		<-d.done
		return 0, errors.Join(fmt.Errorf("the daemon did not stop within %s: %w\n%s%s", stopTime, askErr, out, d.log()), os.RemoveAll(d.dir))
	}
	state := d.cmd.ProcessState
	return state.UserTime() + state.SystemTime(), os.RemoveAll(d.dir)
}

// watchRunners samples the daemon's runners until the returned function is called, which returns the
// largest memory of one, in KiB. It disturbs the measurement, so it is only for rounds that are not timed.
func (d *daemon) watchRunners() (largest func() int64) {
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		largest := int64(0)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				peak <- largest
				return
			case <-tick.C:
			}
			for _, pid := range childrenOf(d.cmd.Process.Pid) {
				largest = max(largest, peakKB(pid))
			}
		}
	}()
	return sync.OnceValue(func() int64 {
		close(stop)
		return <-peak
	})
}

// childrenOf returns the children of all threads; none if the kernel does not list them.
func childrenOf(pid int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// peakKB returns the peak memory of a process, in KiB; 0 if unknown.
func peakKB(pid int) int64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64)
			return kb
		}
	}
	return 0
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
	// runners is set when cmd has started.
	runners *runnerWatch
	// What the daemon and its runners had used at the end of the warm-up.
	warm, warmRunners usage
}

// Time limits for a daemon.
const (
	startTime = 10 * time.Second
	stopTime  = 20 * time.Second
)

// A wfBuild is a wf binary and its name in reports.
type wfBuild struct {
	name, program string
	client        client
}

// A client is how wf run follows its run.
type client struct {
	name   string // in the flag -clients
	suffix string // of wf in reports
	args   []string
}

// The clients. A quiet one gets the events of the run and of failures only, a watching one those of every
// node, of which it prints each end.
var (
	quiet    = client{"quiet", "", []string{"--progress", "none"}}
	watching = client{"watching", ", watched", []string{"--progress", "plain"}}
	noClient = client{"none", ", no client", []string{"--progress", "none", "--detach"}}
	clients  = []client{quiet, watching, noClient}
)

// selectClients returns the clients with these names.
func selectClients(names []string) (selected []client, err error) {
	for _, name := range names {
		i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-clients: no client %q", name)
		}
		selected = append(selected, clients[i])
	}
	if len(selected) == 0 {
		return nil, errors.New("-clients: no client")
	}
	return selected, nil
}

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
	d.runners = newRunnerWatch(d.cmd.Process.Pid)
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
	t := &tool{name: d.name}
	args := append([]string{"run", "Workfile", "--fresh", "-j", strconv.Itoa(c.jobs)}, d.client.args...)
	switch {
	case load:
		args = []string{"check", "Workfile"}
	case d.client.name == noClient.name:
		t.finish = d.awaitResult
	case d.client.name == watching.name:
		t.discard = true
	}
	t.command = func(ctx context.Context) *exec.Cmd {
		cmd := in(c.dir, exec.CommandContext(ctx, d.program, args...))
		cmd.Env = d.env
		return cmd
	}
	return t
}

// awaitResult waits until a run has written its result, without asking the daemon for it. The workfile is
// saved before. stdout is the output of wf run --detach, the number of the run.
func (d *daemon) awaitResult(ctx context.Context, stdout string) error {
	pattern := filepath.Join(d.dir, "state", "workspaces", "*", "runs", strings.TrimSpace(stdout), "result.json")
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) > 0 {
			return errors.Join(err, checkResult(found))
		}
		select {
		case <-tick.C:
		case <-d.done:
			return fmt.Errorf("the daemon ended: %w\n%s", d.err, d.log())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// checkResult returns an error unless the run with this result file succeeded.
func checkResult(files []string) error {
	if len(files) != 1 {
		return fmt.Errorf("%d results of one run", len(files))
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	var run struct {
		Result string `json:"result"`
	}
	if err := json.Unmarshal(data, &run); err != nil {
		return err
	}
	if run.Result != string(api.Succeeded) {
		return fmt.Errorf("the run is %q", run.Result)
	}
	return nil
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

// endWarmUp makes timedUsage count from now on.
func (d *daemon) endWarmUp() {
	d.warm, d.warmRunners = usageOf(d.cmd.Process.Pid), d.runners.total
}

// timedUsage returns what the daemon and its runners have used since the warm-up, in the given number of
// rounds. The runners' context switches are those of the warm-up, as often.
func (d *daemon) timedUsage(rounds int) (daemon, runners usage) {
	return usageOf(d.cmd.Process.Pid).minus(d.warm),
		usage{d.runners.total.cpu - d.warmRunners.cpu, d.warmRunners.switches * int64(rounds)}
}

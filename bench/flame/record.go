package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"wf/api"
	"wf/bench/dag"
)

// A recording runs wf under perf, with a daemon of its own.
type recording struct {
	options
	dir    string   // contains Workfile and perf.data
	env    []string // of wf
	daemon int      // process ID
}

// record runs the workflow under perf and returns where the time went.
func record(ctx context.Context, o options, work string) (p *profile, err error) {
	r := &recording{options: o, dir: filepath.Join(work, "w")}
	runtimeDir := filepath.Join(work, "run")
	r.env = append(os.Environ(), "WF_RUNTIME_DIR="+runtimeDir, "WF_STATE_DIR="+filepath.Join(work, "state"), "WF_SLOTS="+strconv.Itoa(o.jobs))
	if err := r.writeWorkfile(); err != nil {
		return nil, err
	}
	if _, err := output(ctx, r.env, o.wf, "server", "start", "--idle-timeout", "0"); err != nil {
		return nil, err
	}
	defer func() {
		// Also when ctx has ended.
		_, stopErr := output(context.WithoutCancel(ctx), r.env, o.wf, "server", "stop", "--cancel")
		err = errors.Join(err, stopErr)
	}()
	if r.daemon, err = daemonPID(filepath.Join(runtimeDir, api.FileRegistry)); err != nil {
		return nil, err
	}
	if _, err := output(ctx, r.env, o.wf, r.runArgs()...); err != nil {
		return nil, err
	}
	p = newProfile()
	for range o.runs {
		if err := r.recordRun(ctx, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (r *recording) writeWorkfile() error {
	g, err := dag.New(r.shape, r.nodes, "true", 1)
	if err != nil {
		return err
	}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(r.dir, "Workfile"))
	if err != nil {
		return err
	}
	return errors.Join(g.Write(f, "workfile"), f.Close())
}

func (r *recording) runArgs() []string {
	return []string{"run", filepath.Join(r.dir, "Workfile"), "--fresh", "-j", strconv.Itoa(r.jobs), "--progress", "plain"}
}

// recordRun records one run and adds its samples to p.
func (r *recording) recordRun(ctx context.Context, p *profile) error {
	data := filepath.Join(r.dir, "perf.data")
	args := []string{"record", "-q", "-F", strconv.Itoa(r.frequency), "-a", "-g", "-e", "cpu-clock", "-o", data, "--", r.wf}
	perf := exec.CommandContext(ctx, "perf", append(args, r.runArgs()...)...)
	perf.Env = r.env // the client's progress goes to /dev/null
	if err := perf.Run(); err != nil {
		return fmt.Errorf("perf record: %w", err)
	}
	script := exec.CommandContext(ctx, "perf", "script", "-i", data, "--show-task-events", "-F", "comm,pid,tid,time,event,ip,sym,dso")
	text, err := script.StdoutPipe()
	if err != nil {
		return err
	}
	if err := script.Start(); err != nil {
		return err
	}
	err = p.read(text, newFamily(filepath.Base(r.wf), perf.Process.Pid, r.daemon))
	return errors.Join(err, script.Wait())
}

// daemonPID reads the process ID of the daemon from its registry.
func daemonPID(registry string) (int, error) {
	data, err := os.ReadFile(registry)
	if err != nil {
		return 0, err
	}
	var daemon struct {
		PID int `json:"pid"`
	}
	err = json.Unmarshal(data, &daemon)
	return daemon.PID, err
}

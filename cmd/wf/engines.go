package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"wf/cmd/wf/settings"
	"wf/executor"
	"wf/executor/cluster"
	"wf/executor/cluster/slurm"
	"wf/executor/engines"
	"wf/executor/login"
)

// engineFinder has the executors for the engines that the user's configuration describes. The configuration is read when a run
// uses an engine, so that changes are effective without a restart of the daemon.
type engineFinder struct {
	e       *env
	runtime string // the folder for sockets of ssh

	mu     sync.Mutex // guards what follows
	found  map[namedProfile]*cluster.Cluster
	latest map[string]*cluster.Cluster // by name: what find has returned
}

// A namedProfile identifies a cluster: runs that began with other settings have one of their own.
type namedProfile struct {
	name string
	settings.Profile
}

// find returns the executor for an engine. If the configuration cannot be read, for example while the user changes it, the
// latest one counts.
func (f *engineFinder) find(name string) (executor.Executor, error) {
	profiles, err := settings.Profiles(&f.e.Console)
	p, known := profiles[name]
	f.mu.Lock()
	defer f.mu.Unlock()
	switch latest := f.latest[name]; {
	case err != nil && latest != nil:
		return latest, nil
	case err != nil:
		return nil, err
	case !known:
		return nil, executor.CheckEngine(name, slices.Sorted(maps.Keys(profiles)))
	}
	key := namedProfile{name, p}
	c := f.found[key]
	if c == nil {
		if c, err = f.newCluster(name, p); err != nil {
			return nil, err
		}
		f.found[key] = c
	}
	f.latest[name] = c
	return c, nil
}

func (f *engineFinder) newCluster(name string, p settings.Profile) (*cluster.Cluster, error) {
	c := &cluster.Cluster{Name: name, Engine: slurm.Slurm{}, Shell: profileShell(p, f.runtime), Dir: p.Dir,
		QueueSize: p.QueueSize, ArraySize: p.ArraySize, Resources: executor.Resources(p.Resources),
		SubmitRate: cluster.Rate{Calls: p.Limits.SubmitCalls, Per: p.Limits.SubmitTime}, Limits: executor.Resources(p.Limits.Resources),
		Pool: cluster.Pool{Size: p.Limits.PoolSize, Time: p.Limits.PoolTime, Idle: p.Limits.PoolIdle, Limit: p.Limits.PoolCount}}
	if p.Type != settings.ProfileSlurm {
		engine, err := p.NewEngine()
		if err != nil {
			return nil, err
		}
		if c.Engine = engine; !engine.Arrays() {
			c.ArraySize = 1
		}
	}
	return c, nil
}

// profileShell returns the shell for the commands of a cluster. Control sockets of ssh are in the folder runtime.
func profileShell(p settings.Profile, runtime string) *login.Shell {
	shell := &login.Shell{Via: strings.Fields(p.Via)}
	if p.Via != "" {
		shell.Control = filepath.Join(runtime, fmt.Sprintf("ssh-%x", sha256.Sum256([]byte(p.Via)))[:16])
	}
	return shell
}

// engineNames returns the names of the executors of the configuration. A mistake in it is reported when it is read for the command, or
// when a job needs an executor.
func engineNames(e *env) []string {
	profiles, _ := settings.Profiles(&e.Console)
	return slices.Sorted(maps.Keys(profiles))
}

// A distributor executes commands on this machine and on the engines that the user's configuration describes. Questions of
// package params are answered on this machine.
type distributor struct {
	executor.Executor
	local *executor.Local
	e     *env
}

func newDistributor(e *env, local *executor.Local, runtime string) *distributor {
	f := &engineFinder{e: e, runtime: runtime, found: map[namedProfile]*cluster.Cluster{}, latest: map[string]*cluster.Cluster{}}
	return &distributor{&engines.Engines{Local: local, Find: f.find, Used: cluster.Used}, local, e}
}

// Engines implements executor.EngineLister.
func (d *distributor) Engines() []string { return engineNames(d.e) }

// Ask implements params.Asker.
func (d *distributor) Ask(ctx context.Context, q executor.Question) ([]byte, error) {
	return d.local.Ask(ctx, q)
}

// Expect implements the daemon's expecter.
func (d *distributor) Expect() (over func()) { return d.local.Expect() }

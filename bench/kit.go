package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A kit contains the tools of this machine to measure with.
type kit struct {
	o       options
	machine machine
	work    string
	wf      string        // path of the binary
	spawn   string        // path of the floor; "" = no compiler
	absent  []string      // tools that are not installed
	idle    time.Duration // CPU time of a daemon that starts and stops without work
}

// newKit finds the tools and builds wf and the floor. Missing tools are named and left out.
func newKit(ctx context.Context, o options, root, work string) (*kit, error) {
	k := &kit{o: o, work: work, wf: o.wf, machine: describeMachine(ctx, root)}
	if k.wf == "" {
		k.wf = filepath.Join(root, "bin", "wf")
		if err := build(ctx, root, "go", "build", "-trimpath", "-o", k.wf, "./cmd/wf"); err != nil {
			return nil, err
		}
	}
	var err error
	if k.wf, err = filepath.Abs(k.wf); err != nil {
		return nil, err
	}
	if k.o.other != "" {
		if k.o.other, err = filepath.Abs(k.o.other); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{toolNinja, toolMake} {
		if _, err := exec.LookPath(name); err != nil {
			k.absent = append(k.absent, name)
		}
	}
	if _, err := exec.LookPath("cc"); err != nil {
		k.absent = append(k.absent, toolFloor)
	} else {
		k.spawn = filepath.Join(work, "spawn")
		if err := build(ctx, root, "cc", "-O2", "-o", k.spawn, filepath.Join("bench", "spawn.c")); err != nil {
			return nil, err
		}
	}
	for _, name := range k.absent {
		fmt.Fprintf(os.Stderr, "bench: no %s here: it is left out\n", name)
	}
	k.idle, err = k.idleDaemon(ctx)
	return k, err
}

func build(ctx context.Context, root, name string, args ...string) error {
	cmd := in(root, exec.CommandContext(ctx, name, args...))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, tail(string(out)))
	}
	return nil
}

// builds returns the wf binaries to measure; with each client; the first is the one that other tools are compared with.
func (k *kit) builds() []wfBuild {
	selected := k.o.clients
	if k.o.load || k.o.cli {
		selected = []client{quiet}
	}
	var all []wfBuild
	for _, c := range selected {
		all = append(all, wfBuild{toolWf + c.suffix, k.wf, c})
		if k.o.other != "" {
			all = append(all, wfBuild{toolOther + c.suffix, k.o.other, c})
		}
	}
	return all
}

// idleDaemon measures the cost of a daemon without work, to be subtracted from the others.
func (k *kit) idleDaemon(ctx context.Context) (time.Duration, error) {
	d, err := startDaemon(ctx, k.builds()[0], k.work, 1)
	if err != nil {
		return 0, err
	}
	return d.stop()
}

// tools returns the tools that can run c, wf first, which the daemons serve.
func (k *kit) tools(c *benchCase, daemons []*daemon) (tools []*tool) {
	for _, d := range daemons {
		tools = append(tools, d.tool(c, k.o.load))
	}
	for _, t := range []*tool{ninja(c, k.o.load), gnuMake(c, k.o.load)} {
		if !k.lacks(t.name) {
			tools = append(tools, t)
		}
	}
	if !k.lacks(toolFloor) && c.argv != nil && !k.o.load {
		tools = append(tools, floor(c, k.spawn))
	}
	return tools
}

func (k *kit) lacks(name string) bool {
	return slices.Contains(k.absent, name)
}

// measure runs every tool in turn, once to warm up and then for each round. A build of wf has one daemon for
// all its runs, whose CPU time is known when it has ended.
func (k *kit) measure(ctx context.Context, c *benchCase) (*report, error) {
	rep := newReport(k, c)
	var daemons []*daemon
	var err error
	for _, b := range k.builds() {
		var d *daemon
		if d, err = startDaemon(ctx, b, k.work, c.jobs); err != nil {
			break
		}
		daemons = append(daemons, d)
	}
	if err == nil {
		before := readProcessorTime()
		err = k.rounds(ctx, rep, k.tools(c, daemons), daemons)
		rep.Stolen = readProcessorTime().stolenSince(before)
		rep.DaemonPeakKB = peakKB(daemons[0].cmd.Process.Pid)
	}
	for _, d := range daemons {
		cpu, stopErr := d.stop()
		if err = errors.Join(err, stopErr); err == nil {
			rep.tool(d.name).cpu += max(0, cpu-k.idle)
		}
	}
	if err != nil {
		return nil, err
	}
	rep.close()
	return rep, nil
}

// rounds times the tools, of which the first are those of the daemons. The first round only warms up; what
// daemons and runners use is counted from its end on.
func (k *kit) rounds(ctx context.Context, rep *report, tools []*tool, daemons []*daemon) error {
	for round := range k.o.rounds + 1 {
		for i, t := range tools {
			var d *daemon
			if i < len(daemons) {
				d = daemons[i]
			}
			s, err := k.time(ctx, t, d, round == 0)
			if err != nil {
				return err
			}
			rep.add(t.name, s, round == 0)
		}
		if round == 0 {
			for _, d := range daemons {
				d.endWarmUp()
			}
		}
	}
	for _, d := range daemons {
		f := rep.tool(d.name)
		f.daemon, f.runners = d.timedUsage(k.o.rounds)
		f.served = true
	}
	rep.RunnerPeakKB = daemons[0].runners.peakKB
	return nil
}

// time runs a tool once, within the time limit. The runners of d, if it is not nil, are watched.
func (k *kit) time(ctx context.Context, t *tool, d *daemon, warmUp bool) (sample, error) {
	limited, cancel := context.WithTimeout(ctx, k.o.timeout)
	defer cancel()
	if d != nil {
		d.runners.start(warmUp)
		defer d.runners.stop()
	}
	return t.time(limited)
}

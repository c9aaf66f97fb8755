package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"wf/bench/dag"
)

// A resister is a command whose processes do not want to be stopped. Each member adds a line to
// the file ready when it is.
type resister struct {
	name    string
	command string
	ready   int  // lines
	members int  // processes that live then, at least
	waits   bool // one of them in the kernel
}

// stubborn is a process that TERM does not end.
const stubborn = `trap "" TERM; echo >>ready; while :; do sleep 1000; done`

var resisters = []resister{
	{"ignores TERM", stubborn, 1, 2, false},
	{"leader exits at TERM", "sh -c '" + stubborn + "' & trap 'exit 3' TERM; echo >>ready; while :; do sleep 1000 & wait; done", 2, 4, false},
	{"leader exited before", "sh -c '" + stubborn + "' & exit 0", 1, 2, false},
	{"setsid", "setsid sh -c '" + stubborn + "' & echo >>ready; wait", 2, 3, false},
	{"double fork", "(setsid sh -c '" + stubborn + "' &); echo >>ready; exec sleep 1000", 2, 3, false},
	{"env -i setsid", `env -i PATH="$PATH" setsid sh -c '(` + stubborn + ") & exit 0'; echo >>ready; exec sleep 1000", 2, 3, false},
	{"fork storm", "trap '' TERM; ./storm 4000 & ./storm 4000 & echo >>ready; wait", 1, 6, false},
	{"stopped process", `sh -c 'trap "" TERM; echo >>ready; kill -STOP $$; sleep 1000' & echo >>ready; wait`, 2, 2, false},
	{"waits in the kernel", "trap '' TERM; sh -c './vfork; :' & echo >>ready; wait", 1, 4, true},
}

// stormScript is a chain of processes, each of which starts the next one in a session of its own
// and stays a little while. It ends by itself, so that a storm nobody can stop does.
const stormScript = `#!/bin/sh
trap '' TERM
test "$1" = 0 && exit
setsid ./storm $(($1 - 1)) &
exec sleep 0.02
`

//go:embed vfork.c
var vforkSource []byte

// stopOptions are the flags of stop.
type stopOptions struct {
	rounds int
	grace  time.Duration
	limit  time.Duration
}

func setupStop(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &stopOptions{}
	flags.IntVar(&o.rounds, "n", 10, "stops of each kind")
	flags.DurationVar(&o.grace, "grace", 200*time.Millisecond, "from TERM to KILL")
	flags.DurationVar(&o.limit, "limit", 8*time.Second, "of one stop, beyond the grace")
	return o.attack
}

func (o *stopOptions) attack(ctx context.Context, w *world) (*report, error) {
	rep := newReport("kind", "stops", "left over", "slowest stop")
	for _, r := range resisters {
		if r.waits {
			if _, err := exec.LookPath("cc"); err != nil {
				rep.note("%s: left out, there is no cc", r.name)
				continue
			}
		}
		left, slowest := 0, time.Duration(0)
		for round := range o.rounds {
			dir, err := o.prepare(ctx, w, r, round)
			if err != nil {
				return rep, err
			}
			found, took, err := o.stop(ctx, w, r, dir)
			if err != nil {
				return rep, fmt.Errorf("%s, round %d: %w", r.name, round, err)
			}
			for _, p := range found {
				rep.violate("%s, round %d: process %d is left: %q", r.name, round, p.pid, p.argv())
			}
			if took > o.grace+o.limit {
				rep.violate("%s, round %d: the stop took %s", r.name, round, took)
			}
			left, slowest = left+len(found), max(slowest, took)
		}
		rep.row(r.name, o.rounds, left, slowest.Round(time.Millisecond))
	}
	return rep, nil
}

// prepare makes the folder of one run: the resister, and a node that keeps the run going when the
// leader of the resister has ended.
func (o *stopOptions) prepare(ctx context.Context, w *world, r resister, round int) (string, error) {
	dir, err := w.folder(fmt.Sprintf("%s%d", strings.ReplaceAll(r.name, " ", "-"), round))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "storm"), []byte(stormScript), 0o700); err != nil {
		return "", err
	}
	if r.waits {
		if err := o.compile(ctx, w, filepath.Join(dir, "vfork")); err != nil {
			return "", err
		}
	}
	g := &dag.Graph{Nodes: []dag.Node{{ID: "resister", Command: r.command}, {ID: "keeper", Command: "exec sleep 1000"}}}
	return dir, writeWorkfile(dir, g)
}

func (o *stopOptions) compile(ctx context.Context, w *world, program string) error {
	source := filepath.Join(w.dir, "vfork.c")
	if err := os.WriteFile(source, vforkSource, 0o600); err != nil {
		return err
	}
	if out, err := w.output(exec.CommandContext(ctx, "cc", "-O1", "-o", program, source)); err != nil {
		return fmt.Errorf("cc: %w\n%s", err, out)
	}
	return nil
}

// stop starts the run, stops it when everybody is ready, and returns who is there in spite of it.
func (o *stopOptions) stop(ctx context.Context, w *world, r resister, dir string) ([]process, time.Duration, error) {
	a, err := w.wf(ctx, dir, "run", "-d", "-j", "2")
	if err == nil && a.status != 0 {
		err = fmt.Errorf("wf run: %v", a)
	}
	if err != nil {
		return nil, 0, err
	}
	err = await(ctx, targetTime, "everybody is ready", func() (bool, error) { return w.resisting(r, dir) })
	if err != nil {
		return nil, 0, err
	}
	begin := time.Now()
	a, err = w.wf(ctx, dir, "stop", "--grace", o.grace.String())
	took := time.Since(begin)
	if err == nil && a.status != 0 {
		err = fmt.Errorf("wf stop: %v", a)
	}
	if err != nil {
		return nil, took, err
	}
	left, err := w.below(dir)
	return left, took, err
}

// resisting reports whether all members live, besides the keeper.
func (w *world) resisting(r resister, dir string) (bool, error) {
	ready, err := os.ReadFile(filepath.Join(dir, "ready"))
	if err != nil || len(ready) < r.ready {
		return false, nil // not yet
	}
	all, err := w.below(dir)
	members, waits := -1, false
	for _, p := range all {
		if p.program() != w.program {
			members++
		}
		waits = waits || p.waits
	}
	return members >= r.members && (waits || !r.waits), err
}

package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"wf/bench/dag"
)

// A resister is a command whose processes resist being stopped. Each member adds a line to the file ready
// when it is ready.
type resister struct {
	name    string
	command string
	ready   int  // lines
	members int  // minimum number of live processes then
	waits   bool // one of them waits in the kernel
}

// stubborn is a process that ignores TERM.
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

// stormScript is a chain of processes, each of which starts the next one in its own session and lives for
// a short time. It ends by itself if it cannot be stopped.
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
	ending string
	kind   string
	grace  time.Duration
	limit  time.Duration
}

func setupStop(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &stopOptions{}
	flags.IntVar(&o.rounds, "n", 10, "stops of each kind and ending")
	flags.StringVar(&o.ending, "ending", "", "only this one of: "+strings.Join(endingNames(), ", "))
	flags.StringVar(&o.kind, "kind", "", "only this kind, as the table names it")
	flags.DurationVar(&o.grace, "grace", 200*time.Millisecond, "from TERM to KILL")
	flags.DurationVar(&o.limit, "limit", 8*time.Second, "of one stop, beyond the grace")
	return o.attack
}

func endingNames() []string {
	var names []string
	for _, g := range endings {
		names = append(names, g.name)
	}
	return names
}

func (o *stopOptions) attack(ctx context.Context, w *world) (*report, error) {
	rep := newReport("ending", "kind", "stops", "left over", "slowest stop")
	for _, r := range resisters {
		if o.kind != "" && o.kind != r.name {
			continue
		}
		if r.waits {
			if _, err := exec.LookPath("cc"); err != nil {
				rep.note("%s: left out, there is no cc", r.name)
				continue
			}
		}
		for _, g := range endings {
			if o.ending != "" && o.ending != g.name {
				continue
			}
			if err := o.cell(ctx, w, rep, r, g); err != nil {
				return rep, err
			}
		}
	}
	if len(rep.rows) == 0 {
		return nil, errors.New("no such kind or ending, or nothing to do")
	}
	return rep, nil
}

// cell ends runs with one kind of resister in one way.
func (o *stopOptions) cell(ctx context.Context, w *world, rep *report, r resister, g ending) error {
	left, slowest := 0, time.Duration(0)
	for round := range o.rounds {
		where := fmt.Sprintf("%s, %s, round %d", r.name, g.name, round)
		dir, err := o.prepare(ctx, w, r, g, round)
		if err != nil {
			return err
		}
		end, err := o.stop(ctx, w, r, g, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		for _, p := range end.left {
			rep.violate("%s: process %d is left: %q", where, p.pid, p.argv())
		}
		if end.took > o.grace+o.limit {
			rep.violate("%s: the stop took %s", where, end.took)
		}
		if end.status != g.status {
			rep.violate("%s: wf run ended with exit status %d, not %d", where, end.status, g.status)
		}
		left, slowest = left+len(end.left), max(slowest, end.took)
	}
	rep.row(g.name, r.name, o.rounds, left, slowest.Round(time.Millisecond))
	return nil
}

// prepare makes the folder of one run: the resister, and a node that keeps the run going when the leader
// of the resister has ended.
func (o *stopOptions) prepare(ctx context.Context, w *world, r resister, g ending, round int) (string, error) {
	dir, err := w.folder(strings.ReplaceAll(fmt.Sprintf("%s-%s-%d", r.name, g.name, round), " ", "-"))
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
	graph := &dag.Graph{Nodes: []dag.Node{{ID: "resister", Command: g.command(r)}}}
	if g.keeps {
		graph.Nodes = append(graph.Nodes, dag.Node{ID: "keeper", Command: "exec sleep 1000"})
	}
	return dir, writeWorkfile(dir, graph)
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

// An end is the observed end of a run.
type end struct {
	left   []process     // remaining processes
	took   time.Duration // from the trigger until wf run and the command that stopped it ended
	status int           // of wf run
}

// stop starts the run and ends it when all members are ready.
func (o *stopOptions) stop(ctx context.Context, w *world, r resister, g ending, dir string) (end, error) {
	args := append([]string{"run", "-j", "2", "--progress", "none", "--grace", o.grace.String()}, g.flag...)
	run, err := w.start(ctx, dir, args...)
	if err != nil {
		return end{}, err
	}
	begin := time.Now()
	if g.keeps {
		err := await(ctx, targetTime, "all commands are ready", func() (bool, error) { return w.resisting(r, dir) })
		if err != nil {
			return end{}, err
		}
		if g.trigger == nil { // the timeout of the run is the trigger
			begin = begin.Add(timeLimit)
		} else {
			begin = time.Now()
		}
	}
	if g.trigger != nil {
		if err := g.trigger(ctx, w, dir, o, run); err != nil {
			return end{}, err
		}
	}
	select {
	case <-run.done:
	case <-time.After(clientTime):
		return end{}, fmt.Errorf("wf run does not end")
	}
	left, err := w.below(dir)
	return end{left, time.Since(begin), run.answer.status}, errors.Join(run.err, err)
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

package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// controlWorkfile contains all that a run waits for or decides: items of a command, conditions, retries, a
// timer, a loop, outputs and a person. Every command records that it ran.
//
//go:embed control.graphml
var controlWorkfile []byte

// controlItems and controlRounds are the numbers of instances of its sub-flows.
const (
	controlItems    = 50
	controlRounds   = 10
	controlAttempts = 4 // of the node that is repeated
)

// controlKills is the number of kills in one run, which lasts for a second or two.
const controlKills = 8

// controlAnswer is the answer of the person: a value with characters that are special in a shell.
const controlAnswer = `v'; rm -rf ~ #$(x)`

// controlOptions are the flags of control.
type controlOptions struct {
	kills           int
	kinds           string
	interval, limit time.Duration
}

func setupControl(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &controlOptions{}
	flags.IntVar(&o.kills, "n", 50, "kills of each kind")
	flags.StringVar(&o.kinds, "kinds", "daemon,runner", "what to kill")
	flags.DurationVar(&o.interval, "interval", 120*time.Millisecond, "mean time between what can be killed and its death")
	flags.DurationVar(&o.limit, "limit", 90*time.Second, "of one run")
	return o.attack
}

func (o *controlOptions) attack(ctx context.Context, w *world) (*report, error) {
	rep := newReport("killed", "kills", "runs", "executions", "violations", "time")
	for _, kind := range strings.Split(o.kinds, ",") {
		if kind != killDaemon && kind != killRunner {
			return nil, fmt.Errorf("-kinds: nothing is called %q", kind)
		}
		begin, t := time.Now(), controlToll{}
		for t.kills < o.kills && ctx.Err() == nil {
			if err := o.run(ctx, w, kind, &t, rep); err != nil {
				return rep, fmt.Errorf("%s, run %d: %w", kind, t.runs, err)
			}
		}
		rep.row(kind, t.kills, t.runs, t.executions, t.violations, time.Since(begin).Round(time.Second))
	}
	return rep, ctx.Err()
}

// A controlToll is the row of one kind.
type controlToll struct{ kills, runs, executions, violations int }

// run attacks one run, answers its approval, and checks the result.
func (o *controlOptions) run(ctx context.Context, w *world, kind string, t *controlToll, rep *report) error {
	t.runs++
	name := fmt.Sprintf("control-%s%d", kind, t.runs)
	dir, err := w.folder(name)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "Workfile"), controlWorkfile, 0o644)
	}
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	c, err := w.start(limited, dir, "run", "--approval", "wait", "-j", "6", "--progress", "none", "--output", "none")
	if err != nil {
		return err
	}
	k := &killer{w: w, kind: kind, dir: dir, chance: w.random(name), interval: o.interval, client: c, left: min(o.kills-t.kills, controlKills)}
	if kind == killRunner {
		k.left = min(k.left, runnerKills)
	}
	err = k.loop(limited)
	if err == nil {
		err = approve(limited, w, dir, c)
	}
	if err != nil {
		cancel()
	}
	<-c.done
	t.kills += k.kills
	if err = errors.Join(err, c.err); err != nil {
		return err
	}
	faults, executions, err := judgeControl(ctx, w, dir, c.answer)
	t.executions += executions
	t.violations += len(faults)
	for _, fault := range faults {
		rep.violate("%s (run %s, after %d kills): %s", kind, name, k.kills, fault)
	}
	return err
}

// approve gives the answer that the run waits for, unless the run is over.
func approve(ctx context.Context, w *world, dir string, run *command) error {
	return await(ctx, targetTime, "the approval", func() (bool, error) {
		select {
		case <-run.done:
			return true, nil
		default:
		}
		a, err := w.wf(ctx, dir, "approve", "ask", "--set", "x="+controlAnswer)
		return err == nil && a.status == 0, err
	})
}

// judgeControl compares the executions with the expected ones, each exactly once.
func judgeControl(ctx context.Context, w *world, dir string, client answer) (faults []string, executions int, err error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if client.status != 0 {
		fault("wf run must end with 0: %v", client)
	}
	text, err := os.ReadFile(filepath.Join(dir, "trace"))
	if err != nil {
		return faults, 0, err
	}
	ran := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 4 && fields[0] == "begin" {
			ran[fields[1]+" "+fields[2]]++
			executions++
		}
	}
	want := controlExecutions()
	for _, x := range slices.Sorted(maps.Keys(want)) {
		if ran[x] != 1 {
			fault("%s ran %d times", x, ran[x])
		}
	}
	for _, x := range slices.Sorted(maps.Keys(ran)) {
		if !want[x] {
			fault("%s must not have run", x)
		}
	}
	a, err := w.wf(ctx, dir, "logs", "end")
	if said, must := string(a.out), fmt.Sprintf("%d 42 %s\n", controlItems, controlAnswer); err == nil && said != must {
		fault("the last node said %q, and must say %q", said, must)
	}
	return faults, executions, err
}

// controlExecutions returns the expected executions of the workfile, by path and number.
func controlExecutions() map[string]bool {
	want := map[string]bool{"gen 1": true, "timer 1": true, "ask 1": true, "end 1": true}
	for i := range controlItems {
		want[fmt.Sprintf("each[%d]/a 1", i)], want[fmt.Sprintf("each[%d]/b 1", i)] = true, true
		if i%2 == 1 { // these fail, and an edge fires for the failure
			want[fmt.Sprintf("each[%d]/c 1", i)] = true
		}
	}
	for i := range controlRounds {
		want[fmt.Sprintf("rounds[%d]/t 1", i)] = true
	}
	for i := range controlAttempts {
		want[fmt.Sprintf("again %d", i+1)] = true
	}
	return want
}

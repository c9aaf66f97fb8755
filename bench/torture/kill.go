package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wf/workspace/history"
)

// The processes to kill.
const (
	killDaemon = "daemon"
	killRunner = "runner"
	killBoth   = "both" // one directly after the other, in either order
)

// runnerKills is the number of kills of the runner of one run: the fifth death within a minute is a crash
// loop, which wf ends intentionally.
const runnerKills = 4

// killOptions are the flags of kill.
type killOptions struct {
	kills, nodes, jobs int
	near               int
	kinds              string
	interval, limit    time.Duration
}

func setupKill(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &killOptions{}
	flags.IntVar(&o.kills, "n", 50, "kills of each kind")
	flags.IntVar(&o.nodes, "nodes", 60, "nodes of a run")
	flags.IntVar(&o.jobs, "j", 4, "nodes at once")
	flags.IntVar(&o.near, "near", 0, "make chains: each node follows one or two of so many latest; 0 = any, or none")
	flags.StringVar(&o.kinds, "kinds", "daemon,runner,both", "what to kill")
	flags.DurationVar(&o.interval, "interval", 30*time.Millisecond, "mean time between what can be killed and its death")
	flags.DurationVar(&o.limit, "limit", 90*time.Second, "of one run")
	return o.attack
}

// A toll is the row of one kind.
type toll struct {
	verdict
	kills, runs, nodes, left, clients int
	told                              map[process]bool // leftovers that were reported, so that each is reported only once
}

func (o *killOptions) attack(ctx context.Context, w *world) (*report, error) {
	rep := newReport("killed", "kills", "runs", "nodes", "lost", "lost wrongly", "never ran", "ran twice", "wrong", "bad logs",
		"left over", "bad clients", "time")
	for _, kind := range strings.Split(o.kinds, ",") {
		if kind != killDaemon && kind != killRunner && kind != killBoth {
			return nil, fmt.Errorf("-kinds: nothing is called %q", kind)
		}
		begin := time.Now()
		t := &toll{told: map[process]bool{}}
		for t.kills < o.kills && ctx.Err() == nil {
			if err := o.run(ctx, w, kind, t, rep); err != nil {
				return rep, fmt.Errorf("%s, run %d: %w", kind, t.runs, err)
			}
		}
		rep.row(kind, t.kills, t.runs, t.nodes, t.lost, t.unjust, t.missing, t.twice, t.wrong, t.logs,
			t.left, t.clients, time.Since(begin).Round(time.Second))
	}
	return rep, ctx.Err()
}

// run attacks one run and checks the result.
func (o *killOptions) run(ctx context.Context, w *world, kind string, t *toll, rep *report) error {
	t.runs++
	name := fmt.Sprintf("%s%d", kind, t.runs)
	chance := w.random(name)
	p := newPlan(o.nodes, o.near, chance)
	dir, err := w.folder(name)
	if err == nil {
		err = p.write(dir)
	}
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	c, err := w.start(limited, dir, "run", "--fresh", "-j", strconv.Itoa(o.jobs), "--progress", "none", "--output", "none")
	if err != nil {
		return err
	}
	k := &killer{w: w, kind: kind, dir: dir, chance: chance, interval: o.interval, client: c, left: o.kills - t.kills}
	if kind == killRunner {
		k.left = min(k.left, runnerKills)
	}
	err = k.loop(limited)
	if err != nil {
		cancel()
	}
	<-c.done
	t.kills += k.kills
	t.nodes += len(p)
	fail := func(count *int, format string, args ...any) {
		*count++
		rep.violate("%s (run %s, after %d kills): %s", kind, name, k.kills, fmt.Sprintf(format, args...))
	}
	switch {
	case err != nil || ctx.Err() != nil:
		return errors.Join(err, ctx.Err())
	case c.err != nil:
		fail(&t.clients, "the run did not end: %v", c.err)
		return nil
	}
	return o.judge(ctx, w, t, &attacked{p, dir, k.doubles, c.answer}, fail)
}

// attacked is a run that is over and has to be checked.
type attacked struct {
	plan    plan
	dir     string
	doubles []double
	client  answer // of wf run
}

// judge adds the faults of a run to the toll.
func (o *killOptions) judge(ctx context.Context, w *world, t *toll, a *attacked, fail func(*int, string, ...any)) error {
	var left []process
	err := await(ctx, leftTime, "", func() (gone bool, err error) {
		left, err = w.remains(a.dir)
		return len(left) == 0, err
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	for _, p := range left {
		if t.told[p] {
			continue
		}
		t.told[p] = true
		fail(&t.left, "process %d is left: zombie %v, %q", p.pid, p.zombie, p.argv())
	}
	s, err := w.look(ctx, a.dir)
	if err != nil {
		fail(&t.clients, "%v", err)
		return nil
	}
	v := a.plan.judge(s, a.doubles, o.jobs)
	t.lost += v.lost
	for _, c := range []struct{ sum, add *int }{{&t.unjust, &v.unjust}, {&t.missing, &v.missing}, {&t.twice, &v.twice},
		{&t.wrong, &v.wrong}, {&t.logs, &v.logs}} {
		*c.sum += *c.add
	}
	for _, fault := range v.faults {
		fail(new(int), "%s", fault)
	}
	want := 0
	if s.detail.Counts.Failed > 0 {
		want = 1
	}
	if a.client.status != want {
		fail(&t.clients, "wf run must end with %d: %v", want, a.client)
	}
	return nil
}

// leftTime is how long processes of a run may still exist after its end: a runner whose daemon died ends
// without a parent that waits for it. It is shorter than the life of an idle daemon, with which its
// zombies would disappear.
const leftTime = 500 * time.Millisecond

// remains returns the processes that a run in dir has left after its end, including zombies that the
// daemon inherited and does not reap.
func (w *world) remains(dir string) ([]process, error) {
	left, err := w.below(dir)
	if err != nil {
		return nil, err
	}
	daemon, err := w.daemon()
	if err != nil {
		return left, ignoreGone(err)
	}
	all, err := processes()
	for _, p := range all {
		if p.zombie && p.parent == daemon.pid {
			left = append(left, p)
		}
	}
	return left, err
}

// A killer kills during one run.
type killer struct {
	w        *world
	kind     string
	dir      string
	chance   *rand.Rand
	interval time.Duration
	client   *command // of the run
	left     int      // remaining kills

	kills   int
	looks   []double // at the trace, in order
	doubles []double
}

// errOver ends a wait: the run is over.
var errOver = errors.New("the run is over")

// targetTime is how long it may take until a daemon or runner exists again.
const targetTime = 20 * time.Second

// loop kills until the run is over or the number of kills is reached.
func (k *killer) loop(ctx context.Context) error {
	err := k.await(ctx, "the first command", func() (bool, error) {
		info, err := os.Stat(filepath.Join(k.dir, "trace"))
		return err == nil && info.Size() > 0, nil
	})
	for err == nil && k.left > 0 {
		err = k.strike(ctx)
	}
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// await waits for a condition, or for the end of the run.
func (k *killer) await(ctx context.Context, what string, look func() (bool, error)) error {
	return await(ctx, targetTime, what, func() (bool, error) {
		select {
		case <-k.client.done:
			return false, errOver
		default:
			return look()
		}
	})
}

// spare lets a daemon live until it serves if two have died before that: wf intentionally quarantines a
// workfile after three.
func (k *killer) spare(ctx context.Context) error {
	return k.await(ctx, "the third daemon serves", func() (bool, error) {
		held, err := history.Quarantined(k.w.state())
		return len(held) == 0, err
	})
}

// strike waits for a process to kill, then for a random time, and kills it.
func (k *killer) strike(ctx context.Context) error {
	var targets []process
	err := k.await(ctx, "a process to kill", func() (found bool, err error) {
		targets, err = k.targets()
		return err == nil, ignoreGone(err)
	})
	if err != nil {
		return err
	}
	if err := k.look(); err != nil {
		return err
	}
	pause := time.NewTimer(time.Duration(k.chance.Int64N(int64(2 * k.interval))))
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-k.client.done:
		return errOver
	}
	if k.kind != killRunner {
		if err := k.spare(ctx); err != nil {
			return err
		}
	}
	k.chance.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	killed := 0
	for _, p := range targets {
		if err := p.kill(); err == nil {
			killed++
		} else if !errors.Is(err, errGone) {
			return err
		}
	}
	if killed == 0 {
		return nil
	}
	k.kills++
	k.left--
	if k.kind == killBoth {
		k.doubles = append(k.doubles, k.double(time.Now()))
	}
	return nil
}

// recordTime is how long after the last line of a node it may still count as running: its process has to
// end, and the runner to record that, on a busy machine.
const recordTime = 50 * time.Millisecond

// look records which nodes have ended so far.
func (k *killer) look() error {
	now := time.Now()
	t, err := readTrace(k.dir)
	if err != nil {
		return err
	}
	ended := map[string]bool{}
	for node := range t {
		ended[node] = len(t[node].ended) > 0
	}
	k.looks = append(k.looks, double{now, ended})
	return nil
}

// double returns the double kill at a time.
func (k *killer) double(when time.Time) double {
	d := double{when: when}
	for _, look := range k.looks {
		if when.Sub(look.when) >= recordTime {
			d.ended = look.ended
		}
	}
	return d
}

// targets returns the processes to kill; errGone if one of them does not exist.
func (k *killer) targets() ([]process, error) {
	var targets []process
	if k.kind != killRunner {
		p, err := k.w.daemon()
		if err != nil {
			return nil, err
		}
		targets = append(targets, p)
	}
	if k.kind != killDaemon {
		p, err := k.w.runner()
		if err != nil {
			return nil, err
		}
		targets = append(targets, p)
	}
	return targets, nil
}

func ignoreGone(err error) error {
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

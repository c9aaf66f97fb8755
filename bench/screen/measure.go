package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// live is in the header when the drawing is complete; words match the first output of the interface.
var (
	live       = regexp.MustCompile(`● live`)
	words      = regexp.MustCompile(` wf `)
	cursorOn   = regexp.MustCompile(`\x1b\[\?25h`)
	cursorOff  = regexp.MustCompile(`\x1b\[\?25l`)
	settleTime = 2 * time.Second // after a start: first garbage collections and requests
)

// watchStandin shows a stand-in's workfile on a terminal, which the caller closes before the stand-in.
func (b *bench) watchStandin(ctx context.Context, s size) (*standin, *terminal, error) {
	path, err := b.workfile()
	if err != nil {
		return nil, nil, err
	}
	g, err := b.graph()
	if err != nil {
		return nil, nil, err
	}
	env, runtime, err := b.home()
	if err != nil {
		return nil, nil, err
	}
	d, err := newStandin(runtime, g, path)
	if err != nil {
		return nil, nil, err
	}
	t, err := b.open(s, env, path)
	if err != nil {
		d.close()
		return nil, nil, err
	}
	if _, _, err = t.await(ctx, 0, live); err != nil {
		t.close()
		d.close()
		return nil, nil, err
	}
	return d, t, nil
}

// load measures the processor time of the interface while events arrive.
func (b *bench) load(ctx context.Context) error {
	fmt.Println("size     view    events/s  arrived/s  CPU %   KB/s to the terminal  wakes/s  RSS MB  peak MB")
	for _, s := range b.sizes {
		for _, rate := range b.rates {
			for _, view := range b.views {
				if err := b.loadOf(ctx, s, rate, view); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b *bench) loadOf(ctx context.Context, s size, rate int, view string) error {
	d, t, err := b.watchStandin(ctx, s)
	if err != nil {
		return err
	}
	defer d.close()
	defer t.close()
	if err := t.turnTo(ctx, view); err != nil {
		return err
	}
	d.rate.Store(int64(rate))
	if err := rest(ctx, settleTime); err != nil {
		return err
	}
	before, err := read(t.cmd.Process.Pid)
	if err != nil {
		return err
	}
	sent, written := d.sent.Load(), t.written()
	if err := rest(ctx, b.span); err != nil {
		return err
	}
	after, err := read(t.cmd.Process.Pid)
	if err != nil {
		return err
	}
	seconds := after.when.Sub(before.when).Seconds()
	fmt.Printf("%-8v %-7s %8d  %9.0f  %5.1f  %20.1f  %7.0f  %6.1f  %7.1f\n", s, view, rate, float64(d.sent.Load()-sent)/seconds,
		after.since(before), float64(t.written()-written)/seconds/1000, after.wakes(before), float64(after.rssKB)/1000, float64(after.peakKB)/1000)
	return nil
}

// keys measures the time from a key to its effect, while events arrive: the cursor of the line that /
// opens, and its end.
func (b *bench) keys(ctx context.Context) error {
	fmt.Println("size     events/s  median ms  90 % ms  most ms")
	for _, s := range b.sizes {
		for _, rate := range b.rates {
			times, err := b.keysOf(ctx, s, rate)
			if err != nil {
				return err
			}
			fmt.Printf("%-8v %8d  %9.1f  %7.1f  %7.1f\n", s, rate, ms(quantile(times, 0.5)), ms(quantile(times, 0.9)), ms(quantile(times, 1)))
		}
	}
	return nil
}

func (b *bench) keysOf(ctx context.Context, s size, rate int) ([]time.Duration, error) {
	d, t, err := b.watchStandin(ctx, s)
	if err != nil {
		return nil, err
	}
	defer d.close()
	defer t.close()
	d.rate.Store(int64(rate))
	if err := rest(ctx, settleTime); err != nil {
		return nil, err
	}
	const ask = "/"
	var times []time.Duration
	for i := range b.rounds {
		from, pressed, err := t.press(ask)
		if err != nil {
			return nil, err
		}
		shown, _, err := t.await(ctx, from, cursorOn)
		if err != nil {
			return nil, err
		}
		times = append(times, shown.Sub(pressed))
		if from, _, err = t.press("\x1b"); err != nil {
			return nil, err
		}
		if _, _, err = t.await(ctx, from, cursorOff); err != nil {
			return nil, err
		}
		// At a random time between two pushes.
		if err := rest(ctx, 200*time.Millisecond+time.Duration(i*7%33)*time.Millisecond); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// paint measures starts: until the first output, and until the drawing is complete.
func (b *bench) paint(ctx context.Context) error {
	path, err := b.workfile()
	if err != nil {
		return err
	}
	fmt.Println("size     daemon          first words, median ms   drawing, median ms  90 % ms  most ms")
	for _, s := range b.sizes {
		for _, warmth := range []string{"none", "up", "has it open"} {
			var first, drawn []time.Duration
			for range b.rounds {
				f, d, err := b.paintOnce(ctx, s, path, warmth)
				if err != nil {
					return err
				}
				first, drawn = append(first, f), append(drawn, d)
			}
			fmt.Printf("%-8v %-15s %22.1f  %18.1f  %8.1f  %7.1f\n", s, warmth, ms(quantile(first, 0.5)), ms(quantile(drawn, 0.5)), ms(quantile(drawn, 0.9)), ms(quantile(drawn, 1)))
		}
	}
	return nil
}

func (b *bench) paintOnce(ctx context.Context, s size, path, warmth string) (first, drawn time.Duration, err error) {
	env, _, err := b.home()
	if err != nil {
		return 0, 0, err
	}
	defer b.wf(context.WithoutCancel(ctx), env, "server", "stop", "--cancel")
	if warmth != "none" {
		if err := b.wf(ctx, env, "server", "start"); err != nil {
			return 0, 0, err
		}
	}
	if warmth == "has it open" {
		other, err := b.open(s, env, path)
		if err != nil {
			return 0, 0, err
		}
		defer other.close()
		if _, _, err := other.await(ctx, 0, live); err != nil {
			return 0, 0, err
		}
	}
	if err := rest(ctx, 100*time.Millisecond); err != nil {
		return 0, 0, err
	}
	t, err := b.open(s, env, path)
	if err != nil {
		return 0, 0, err
	}
	defer t.close()
	f, _, err := t.await(ctx, 0, words)
	if err != nil {
		return 0, 0, err
	}
	d, _, err := t.await(ctx, 0, live)
	return f.Sub(t.begun), d.Sub(t.begun), err
}

// idle measures the idle interface, before, during and after a run.
func (b *bench) idle(ctx context.Context) error {
	fmt.Println("size     state           CPU %  wakes/s  KB/s to the terminal  RSS MB  peak MB")
	for _, s := range b.sizes {
		if err := b.idleOf(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) idleOf(ctx context.Context, s size) error {
	path, err := b.workfile()
	if err != nil {
		return err
	}
	env, _, err := b.home()
	if err != nil {
		return err
	}
	defer b.wf(context.WithoutCancel(ctx), env, "server", "stop", "--cancel")
	t, err := b.open(s, env, path)
	if err != nil {
		return err
	}
	defer t.close()
	if _, _, err := t.await(ctx, 0, live); err != nil {
		return err
	}
	if err := b.idleNow(ctx, s, t, "never run"); err != nil {
		return err
	}
	before, written, err := t.now()
	if err != nil {
		return err
	}
	if err := b.wf(ctx, env, "run", path, "--progress", "none"); err != nil {
		return err
	}
	if err := t.report(s, "during a run", before, written); err != nil {
		return err
	}
	return b.idleNow(ctx, s, t, "after a run")
}

// now returns what wf has used and written so far.
func (t *terminal) now() (reading, int, error) {
	r, err := read(t.cmd.Process.Pid)
	return r, t.written(), err
}

// report prints what wf has used and written since before.
func (t *terminal) report(s size, state string, before reading, written int) error {
	after, now, err := t.now()
	if err != nil {
		return err
	}
	fmt.Printf("%-8v %-15s %5.2f  %7.1f  %20.2f  %6.1f  %7.1f\n", s, state, after.since(before), after.wakes(before),
		float64(now-written)/after.when.Sub(before.when).Seconds()/1000, float64(after.rssKB)/1000, float64(after.peakKB)/1000)
	return nil
}

func (b *bench) idleNow(ctx context.Context, s size, t *terminal, state string) error {
	if err := rest(ctx, 5*settleTime); err != nil { // until messages about the run have disappeared
		return err
	}
	before, written, err := t.now()
	if err != nil {
		return err
	}
	if err := rest(ctx, b.span); err != nil {
		return err
	}
	return t.report(s, state, before, written)
}

// wf runs a command of wf to its end.
func (b *bench) wf(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Env, cmd.Dir = env, filepath.Dir(b.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("wf %q: %w\n%s", args, err, out)
	}
	return nil
}

// quantile returns the value below which a share of the times lie.
func quantile(times []time.Duration, share float64) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[min(len(times)-1, int(share*float64(len(times))))]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

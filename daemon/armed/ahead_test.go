package armed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
)

// wantOpen checks which workfiles are prepared now. There are none besides these.
func (b *bench) wantOpen(when string, want ...string) {
	b.t.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.open, func(_ string, n int) bool { return n == 0 })
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(b.open)); !slices.Equal(got, want) {
		b.t.Errorf("%s: open are %q, want %q", when, got, want)
	}
	for path, n := range b.open {
		if n != 1 {
			b.t.Errorf("%s: %s is open %d times", when, path, n)
		}
	}
}

// TestAhead checks that a workfile is open from shortly before its instant until its run is requested, and no longer if the
// instant is not reached.
func TestAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ahead := fakeClock(t)
		b := newBench(t)
		path := b.file("w", "every: 1m")
		begin := time.Now()
		k := b.keeper()
		b.must(b.enable(k, path))
		b.accept = func(string, api.RunRequest) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.open[path] != 1 {
				t.Errorf("at the start it is open %d times", b.open[path])
			}
			return nil
		}
		time.Sleep(time.Minute - lead - time.Millisecond)
		b.wantOpen("long before the instant")
		time.Sleep(time.Millisecond)
		b.wantOpen("before the instant", path)
		time.Sleep(lead)
		b.wantInstants(begin, 60)
		b.wantOpen("after the instant")
		b.mu.Lock()
		b.accept = nil
		b.mu.Unlock()

		time.Sleep(time.Minute - time.Second)
		b.wantOpen("before the second instant", path)
		ahead.set(-10 * time.Minute)
		time.Sleep(mostSleep)
		b.wantOpen("after the clock was set back")
		ahead.set(0)
		time.Sleep(mostSleep)
		b.wantInstants(begin, 60, 120)

		time.Sleep(time.Until(begin.Add(3*time.Minute - time.Second)))
		b.wantOpen("before the third instant", path)
		b.must(k.Disable(context.Background(), path))
		b.wantOpen("disabled")

		b.must(b.enable(k, path))
		time.Sleep(time.Minute - time.Second)
		b.wantOpen("enabled", path)
		b.file("w", "every: 2m")
		b.must(b.enable(k, path))
		b.wantOpen("with another line")
		time.Sleep(2*time.Minute - time.Second)
		b.wantOpen("before its instant", path)
		k.Close()
		b.wantOpen("after the end")
	})
}

// TestManyAhead checks that of many workfiles with nearly the same instant few are prepared, those of the earliest instants.
func TestManyAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		k := b.keeper()
		var late, early []string
		for i := range 200 {
			late = append(late, b.file(fmt.Sprint("late", i), "every: 62s"))
		}
		for i := range 20 {
			early = append(early, b.file(fmt.Sprint("early", i), "every: 61s"))
		}
		for _, path := range append(late, early...) {
			b.must(b.enable(k, path))
		}
		time.Sleep(60*time.Second + 500*time.Millisecond)
		synctest.Wait()
		b.mu.Lock()
		open, kinds := 0, map[string]int{}
		for path, n := range b.open {
			open += n
			kinds[strings.TrimRight(path[strings.LastIndexByte(path, '/')+1:], "0123456789")] += n
		}
		b.mu.Unlock()
		if open != mostPrepared || kinds["early"] != len(early) {
			t.Errorf("%d workfiles are open, of which %v", open, kinds)
		}
		time.Sleep(2 * time.Second)
		b.wantOpen("after the instants")
		if n := len(b.started); n != len(late)+len(early) {
			t.Errorf("%d runs were started", n)
		}
		k.Close()
	})
}

// TestDeadAhead checks that workfiles on a disk that does not answer keep others from being prepared only for a moment.
func TestDeadAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		runs := slowAhead{b, make(chan struct{})}
		k := b.keeperOf(runs)
		for i := range preparedAtOnce {
			b.must(b.enable(k, b.file(fmt.Sprint("dead", i), "every: 59s")))
		}
		live := b.file("live", "every: 60s")
		b.must(b.enable(k, live))
		time.Sleep(time.Minute - time.Millisecond)
		b.wantOpen("before the instant", live)
		for _, path := range slices.Collect(maps.Keys(b.files)) {
			b.must(k.Disable(context.Background(), path))
		}
		close(runs.dead)
		b.wantOpen("when the disk answers")
		k.Close()
	})
}

// slowAhead does not open dead workfiles before the channel is closed.
type slowAhead struct {
	*bench
	dead chan struct{}
}

func (s slowAhead) Prepare(ctx context.Context, path string) (func(), error) {
	if strings.Contains(path, "dead") {
		<-s.dead
	}
	return s.bench.Prepare(ctx, path)
}

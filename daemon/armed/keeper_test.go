package armed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
	"wf/trigger"
	"wf/trigger/ledger"
	"wf/workspace/fence"
	"wf/workspace/workfile"
)

// bench is a daemon as a Keeper sees it, whose runs outlive it.
type bench struct {
	t     *testing.T
	state string
	files map[string]*workfile.Triggers // by path

	mu      sync.Mutex
	started []api.RunRequest // accepted, in order
	byKey   map[string]int   // how many runs a key has started
	accept  func(path string, req api.RunRequest) error
	crash   bool // see crashNext
	stay    []bool
	// versions are those of the files of runs, when these began.
	versions []string
	// open is how often a workfile is prepared at present, prepared contains the paths in order.
	open     map[string]int
	prepared []string
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, state: t.TempDir(), files: map[string]*workfile.Triggers{}, byKey: map[string]int{}, open: map[string]int{}}
	before := read
	read = func(path string) (workfile.Triggers, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if f := b.files[path]; f != nil {
			return *f, nil
		}
		return workfile.ReadTriggers(path)
	}
	t.Cleanup(func() { read = before })
	return b
}

// file creates a workfile with triggers of the graph.
func (b *bench) file(name string, lines ...string) string {
	path := filepath.Join(b.state, name)
	if err := os.WriteFile(path, []byte(fmt.Sprint(lines)), 0o600); err != nil {
		b.t.Fatal(err)
	}
	id, _, err := workfile.ID(path)
	if err != nil {
		b.t.Fatal(err)
	}
	f := &workfile.Triggers{ID: id, Path: path}
	for _, line := range lines {
		for _, l := range trigger.Read("", line) {
			f.Lines = append(f.Lines, workfile.Trigger{Line: l})
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files[path] = f
	return path
}

func (b *bench) Start(_ context.Context, path string, req api.RunRequest) (api.RunAccepted, error) {
	b.mu.Lock()
	accept := b.accept
	b.mu.Unlock()
	if accept != nil {
		if err := accept(path, req); err != nil {
			return api.RunAccepted{}, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byKey[req.Key]++
	b.started = append(b.started, req)
	b.noteVersions(req.Trigger.Files)
	if b.crash {
		b.crash = false
		return api.RunAccepted{}, &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
	}
	return api.RunAccepted{Run: fmt.Sprint(len(b.started))}, nil
}

func (b *bench) FindStarted(_ context.Context, _, key string) (api.RunAccepted, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.started, func(r api.RunRequest) bool { return r.Key == key })
	return api.RunAccepted{Run: fmt.Sprint(i + 1)}, i >= 0, nil
}

// crashNext lets the next start fail after the run was accepted, as if the daemon died before it had the answer.
func (b *bench) crashNext() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.crash = true
}

// Prepare counts what is open.
func (b *bench) Prepare(_ context.Context, path string) (release func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[path]++
	b.prepared = append(b.prepared, path)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.open[path]--
	}, nil
}

// keeper begins a daemon.
func (b *bench) keeper() *Keeper { return b.keeperOf(b) }

func (b *bench) keeperOf(runs Runs) *Keeper {
	k := New(Config{State: b.state, Own: fence.Holder{PID: 1}, Runs: runs, Stay: func(on bool) { b.stay = append(b.stay, on) },
		Done: func(*File, Line, api.RunRequest, api.RunAccepted, error) {}, Log: slog.New(slog.DiscardHandler)})
	k.Open()
	return k
}

func (b *bench) enable(k *Keeper, path string) error {
	q := api.TriggerEnable{Path: path, Request: api.RunRequest{Env: []string{"A=1"}}}
	for _, l := range b.files[path].Lines {
		q.Lines = append(q.Lines, api.TriggerLine{On: l.Text})
	}
	return k.Enable(context.Background(), q, "ann")
}

// instants returns the instants of the runs that were started, in seconds since begin.
func (b *bench) instants(begin time.Time) (list []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.started {
		list = append(list, int(r.Trigger.Time.Sub(begin)/time.Second))
	}
	return list
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) wantInstants(begin time.Time, want ...int) {
	b.t.Helper()
	synctest.Wait()
	if got := b.instants(begin); !slices.Equal(got, want) {
		b.t.Errorf("the runs are those of the seconds %v, want %v", got, want)
	}
}

func (b *bench) results(k *Keeper, path string) (list []string) {
	log, err := k.LogOf(path)
	b.must(err)
	for _, f := range log.Fires {
		list = append(list, f.Result+" "+f.Why)
	}
	return list
}

// TestFires checks that runs start at their instants, also with the next daemon, and end with disable.
func TestFires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "every: 1m")
		begin := time.Now()
		k := b.keeper()
		b.must(b.enable(k, path))
		time.Sleep(2*time.Minute + time.Second)
		b.wantInstants(begin, 60, 120)
		if r := b.started[0]; r.Trigger.Name != "every: 1m" || r.Mode != api.ModeFresh || !r.Detached || r.Env[0] != "A=1" {
			t.Errorf("the request is %+v", r)
		}
		k.Close()
		time.Sleep(40 * time.Second) // no daemon at 160
		k = b.keeper()
		time.Sleep(time.Minute)
		b.wantInstants(begin, 60, 120, 180)
		k.Close()
		time.Sleep(10 * time.Minute) // those of this time are missed
		k = b.keeper()
		time.Sleep(time.Minute)
		b.wantInstants(begin, 60, 120, 180, 840)
		b.must(k.Disable(context.Background(), path))
		time.Sleep(time.Hour)
		b.wantInstants(begin, 60, 120, 180, 840)
		k.Close()
		if want := []bool{true, true, true, false}; !slices.Equal(b.stay, want) {
			t.Errorf("the daemon was told to stay: %v, want %v", b.stay, want)
		}
		if got := b.results(k, path); !slices.Contains(got, "skipped missed") {
			t.Errorf("the log says %q", got)
		}
	})
}

// TestUncertain checks starts whose daemon died before it had the answer, after or before the run was accepted.
func TestUncertain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "every: 1m")
		begin := time.Now()
		k := b.keeper()
		b.must(b.enable(k, path))
		b.crashNext()
		time.Sleep(time.Minute + time.Millisecond)
		k.Close()
		k = b.keeper()
		time.Sleep(time.Minute)
		b.wantInstants(begin, 60, 120)
		var lost atomic.Bool
		lost.Store(true)
		accept := func(string, api.RunRequest) error {
			if lost.Load() {
				return &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
			}
			return nil
		}
		b.mu.Lock()
		b.accept = accept
		b.mu.Unlock()
		time.Sleep(time.Minute) // the run of 180 is not accepted
		k.Close()
		lost.Store(false)
		k = b.keeper()
		time.Sleep(time.Second)
		b.wantInstants(begin, 60, 120, 180) // a moment later
		lost.Store(true)
		time.Sleep(time.Minute)
		k.Close()
		lost.Store(false)
		time.Sleep(50 * time.Second) // too late for that of 240
		k = b.keeper()
		time.Sleep(20 * time.Second)
		b.wantInstants(begin, 60, 120, 180, 300)
		k.Close()
		for key, n := range b.byKey {
			if n != 1 {
				t.Errorf("%d runs of %s", n, key)
			}
		}
	})
}

// TestClockSet sets the clock by an hour in both directions: forward skips what was missed, back repeats nothing.
func TestClockSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		offset := fakeClock(t)
		none, all := b.file("none", "every: 10m"), b.file("all", "every: 20m catchup=all")
		begin := time.Now()
		k := b.keeper()
		b.must(b.enable(k, none))
		time.Sleep(11 * time.Minute)
		b.wantInstants(begin, 600)
		offset.set(time.Hour) // it is 71 minutes after begin
		time.Sleep(mostSleep + 9*time.Minute)
		b.wantInstants(begin, 600, 4800)
		offset.set(0) // it is 20 minutes after begin again
		time.Sleep(time.Hour)
		b.wantInstants(begin, 600, 4800) // up to 80 minutes all instants are decided
		time.Sleep(10 * time.Minute)
		b.wantInstants(begin, 600, 4800, 5400)
		b.must(k.Disable(context.Background(), none))

		b.mu.Lock()
		b.started = nil
		b.mu.Unlock()
		begin = time.Now().Truncate(time.Second)
		b.must(b.enable(k, all))
		time.Sleep(time.Minute)
		offset.set(time.Hour)
		time.Sleep(time.Minute)
		b.wantInstants(begin, 1200, 2400, 3600)
		time.Sleep(20 * time.Minute) // one that is due meanwhile does not give way to those that are made up for
		b.wantInstants(begin, 1200, 2400, 3600, 4800)
		for _, r := range b.started {
			if r.OnBusy != api.BusyQueue {
				t.Errorf("the run of %v has on_busy %q", r.Trigger.Time, r.OnBusy)
			}
		}
		k.Close()
	})
}

// TestDead checks that a workfile on a dead disk does not hold up others.
func TestDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		dead := make(chan struct{})
		var files []string
		for i := range 3 * startsAtOnce {
			files = append(files, b.file(fmt.Sprint("dead", i), "every: 10s"))
		}
		live := b.file("live", "every: 10s")
		begin := time.Now()
		k := b.keeperOf(slowRuns{b, dead, live})
		for _, f := range append(files, live) {
			b.must(b.enable(k, f))
		}
		time.Sleep(65 * time.Second)
		if got := b.instants(begin); len(got) < 4 {
			t.Errorf("the live workfile had the runs %v in a minute", got)
		}
		close(dead)
		k.Close()
	})
}

// slowRuns does not answer for workfiles other than live until dead is closed.
type slowRuns struct {
	*bench
	dead chan struct{}
	live string
}

func (s slowRuns) Start(ctx context.Context, path string, req api.RunRequest) (api.RunAccepted, error) {
	if path != s.live {
		<-s.dead
		return api.RunAccepted{}, errors.New("it is back")
	}
	return s.bench.Start(ctx, path, req)
}

// TestEnable checks what is refused, and that an enabled trigger keeps what was decided about it.
func TestEnable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		k := b.keeper()
		for name, lines := range map[string][]string{"none": {}, "wrong": {"every: x"}, "twice": {"every: 1m", "every: 1m"}} {
			if err := b.enable(k, b.file(name, lines...)); err == nil {
				t.Errorf("%s: it was enabled", name)
			}
		}
		path := b.file("w", "every: 1m")
		if err := k.Enable(context.Background(), api.TriggerEnable{Path: path, Lines: []api.TriggerLine{{On: "every: 2m"}}}, ""); !api.HasCode(err, api.CodeConflict) {
			t.Errorf("other lines than those in the file: %v", err)
		}
		begin := time.Now()
		b.must(b.enable(k, path))
		time.Sleep(50 * time.Second)
		b.file("w", "every: 1m", "every: 1h")
		time.Sleep(20 * time.Second) // it is refused at 60
		b.wantInstants(begin)
		if got := b.results(k, path); len(got) != 1 || got[0] != "refused "+errChanged("").Message {
			t.Errorf("the log says %q", got)
		}
		b.must(b.enable(k, path))
		time.Sleep(time.Minute)
		b.wantInstants(begin, 120) // and not at 130
		acc, err := k.Fire(context.Background(), api.TriggerNow{Path: path, TriggerLine: api.TriggerLine{On: "every: 1h"}})
		if err != nil || acc.Run != "2" {
			t.Errorf("fire: %+v, %v", acc, err)
		}
		if _, err := k.Fire(context.Background(), api.TriggerNow{Path: path}); !api.HasCode(err, api.CodeInvalid) {
			t.Errorf("fire without a line: %v", err)
		}
		k.Close()
	})
}

// TestTwoDaemons checks that only one daemon of a state folder starts runs, and the other one when that has ended.
func TestTwoDaemons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "every: 10s")
		begin := time.Now()
		first := b.keeper()
		b.must(b.enable(first, path))
		second := b.keeper()
		time.Sleep(25 * time.Second)
		b.wantInstants(begin, 10, 20)
		list, err := second.List(context.Background(), api.TriggersQuery{})
		if err != nil || list.Problem == "" {
			t.Errorf("the second daemon says %+v, %v", list, err)
		}
		if err := b.enable(second, path); !api.HasCode(err, api.CodeConflict) {
			t.Errorf("enable in the second daemon: %v", err)
		}
		first.Close()
		time.Sleep(fencePause + 10*time.Second)
		got := b.instants(begin)
		if len(got) < 4 || got[len(got)-1] < 50 {
			t.Errorf("after the end of the first daemon the runs are %v", got)
		}
		second.Close()
		for key, n := range b.byKey {
			if n != 1 {
				t.Errorf("%d runs of %s", n, key)
			}
		}
	})
}

// TestWrittenNevertheless checks a start of which the ledger said that it could not be written, although it is on the disk.
func TestWrittenNevertheless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "every: 1m")
		begin := time.Now()
		k := b.keeper()
		b.must(b.enable(k, path))
		time.Sleep(time.Minute - time.Second)
		_, err := ask(context.Background(), k, func() (struct{}, error) {
			e := k.entries[b.files[path].ID]
			at := begin.Add(time.Minute)
			err := k.ledger.Append(ledger.Record{Op: ledger.Start, Time: at, Workfile: e.ID, Trigger: e.triggers[0].id, Instant: at,
				Line: "every: 1m", Key: ledger.Key(e.ID, e.triggers[0].id, at)})
			k.fail(time.Now(), errors.New("input/output error"))
			return struct{}{}, err
		})
		b.must(err)
		time.Sleep(30 * time.Second)
		b.wantInstants(begin, 60)
		time.Sleep(time.Minute)
		b.wantInstants(begin, 60, 120)
		k.Close()
	})
}

// TestTurns checks that a trigger that is always due does not keep others of its workfile from their turn.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "every: 1s", "every: 10s")
		k := b.keeper()
		b.accept = func(string, api.RunRequest) error { time.Sleep(3 * time.Second); return nil }
		b.must(b.enable(k, path))
		time.Sleep(time.Minute)
		synctest.Wait()
		b.mu.Lock()
		turns := 0
		for _, r := range b.started {
			if r.Trigger.Name == "every: 10s" {
				turns++
			}
		}
		b.mu.Unlock()
		if turns < 4 {
			t.Errorf("the second trigger had %d runs in a minute", turns)
		}
		time.Sleep(5 * time.Second)
		k.Close()
	})
}

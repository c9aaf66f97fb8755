package executor

import (
	"context"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
)

// When a runner dies, what it has forked comes to the daemon, its subreaper: living processes, and
// zombies that tell the next runner how they ended. Wards say which zombies somebody still has to
// ask; all others the daemon takes away.
type reaper struct {
	mu     sync.Mutex            // guards all of it and the wards; held while a runner is being forked
	own    map[int]chan struct{} // runners that are children of ours, closed when reaped
	list   map[*claim]struct{}
	wakeUp chan struct{} // capacity 1: there may be something to reap
	// ownsChildren: all children of this process are runners, or come from them, see ReapOrphans.
	ownsChildren bool
}

// A ward is what one session needs of the dead.
type claim struct {
	reaper    *reaper
	runner    int  // PID of the latest; 0 = none yet
	started   int  // PID of the latest that this process has started; 0 = none
	settled   bool // that runner has taken over whatever there was
	waitedFor map[int]struct{}

	// Of what dead runners have left to us, see stray.go.

	run   string // the marker of the run, or ""
	born  int64  // before the birth of ours, in ticks since boot
	since int64  // that of the first of ours that died; 0 = none has
}

// newReaper is called once for each Local.
func newReaper() *reaper {
	return &reaper{own: make(map[int]chan struct{}), list: make(map[*claim]struct{}), wakeUp: make(chan struct{}, 1)}
}

// add begins a ward of which nothing may be reaped, for the run with a marker.
func (w *reaper) add(run string) *claim {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := &claim{reaper: w, waitedFor: make(map[int]struct{}), run: run}
	w.list[d] = struct{}{}
	return d
}

// remove ends a ward: nobody will ask any more.
func (d *claim) remove() {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	delete(d.reaper.list, d)
	d.reaper.wake()
}

// spawn starts a runner for the ward and sees that it is reaped; gone is closed then.
func (d *claim) spawn(start func() (*os.Process, error)) (gone <-chan struct{}, err error) {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	born := proc.Ticks()
	process, err := start()
	if err != nil {
		return nil, err
	}
	reaped := make(chan struct{})
	d.reaper.own[process.Pid] = reaped
	d.runner, d.started, d.born, d.settled = process.Pid, process.Pid, born, false
	go func() {
		defer close(reaped)
		process.Wait() // how a runner ended is told by its record
		d.reaper.mu.Lock()
		defer d.reaper.mu.Unlock()
		delete(d.reaper.own, process.Pid)
		if d.runner == process.Pid {
			d.settled = false
		}
	}()
	return reaped, nil
}

// lost says that the runner is gone: what it leaves is needed until the next one has seen it.
func (d *claim) lost() {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	d.settled = false
	if d.since == 0 && d.started != 0 && d.started == d.runner {
		d.since = d.born
	}
}

// settle says that the runner has taken over, and which processes it still has to hear of.
func (d *claim) settle(runner int, adopted []int) {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	d.runner, d.settled = runner, true
	if d.reaper.own[runner] != nil {
		d.started = runner
	}
	clear(d.waitedFor)
	for _, pid := range adopted {
		d.waitedFor[pid] = struct{}{}
	}
	d.reaper.wake()
}

// release says that the end of pid is in the record. Its zombie is taken away at once, if it is ours.
func (d *claim) release(pid int) {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	if _, ok := d.waitedFor[pid]; !ok {
		return
	}
	delete(d.waitedFor, pid)
	unix.Wait4(pid, nil, unix.WNOHANG, nil) // not a child of ours: nothing to do
}

// wake makes the reaper look. The caller holds mu.
func (w *reaper) wake() {
	select {
	case w.wakeUp <- struct{}{}:
	default:
	}
}

// ReapOrphans takes away the zombies of processes that dead runners have left to this one, as soon as
// nobody has to learn from them how they ended, until ctx ends. It takes every child that is no
// runner: only a program whose only children are runners may call it.
func (l *Local) ReapOrphans(ctx context.Context) {
	w := l.sharedReaper()
	w.mu.Lock()
	w.ownsChildren = true
	w.mu.Unlock()
	deaths := make(chan os.Signal, 1)
	signal.Notify(deaths, unix.SIGCHLD)
	defer signal.Stop(deaths)
	for {
		w.reap()
		select {
		case <-ctx.Done():
			return
		case <-deaths:
		case <-w.wakeUp:
		}
	}
}

// Reap looks at all children once. Orphans come only by the death of a runner, and the children are
// listed before the runners are looked at: if these live and have taken over, no child in the list is
// one that somebody has yet to see.
func (w *reaper) reap() {
	w.mu.Lock()
	defer w.mu.Unlock()
	children, err := proc.Children()
	if err != nil {
		return // the next death may have more luck; zombies cost little
	}
	kept := make(map[int]bool)
	for d := range w.list {
		if !d.settled || (w.own[d.runner] != nil && !proc.IsAlive(d.runner)) {
			return // settle and remove look again
		}
		for pid := range d.waitedFor {
			kept[pid] = true
		}
	}
	for _, pid := range children {
		if w.own[pid] == nil && !kept[pid] {
			unix.Wait4(pid, nil, unix.WNOHANG, nil) // alive: nothing happens
		}
	}
}

// inherits reports whether what the latest runner leaves, or has left, comes to this process.
func (d *claim) inherits() bool {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	return d.started != 0 && d.started == d.runner && proc.IsSubreaper()
}

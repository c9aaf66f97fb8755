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
type wards struct {
	mu    sync.Mutex            // guards all of it and the wards; held while a runner is being forked
	own   map[int]chan struct{} // runners that are children of ours, closed when reaped
	list  map[*ward]struct{}
	nudge chan struct{} // capacity 1: there may be something to reap
	// guardian: all children of this process are runners, or come from them, see ReapOrphans.
	guardian bool
}

// A ward is what one session needs of the dead.
type ward struct {
	all     *wards
	runner  int  // PID of the latest; 0 = none yet
	ours    int  // PID of the latest that this process has started; 0 = none
	settled bool // that runner has taken over whatever there was
	kept    map[int]struct{}

	// Of what dead runners have left to us, see stray.go.

	run   string // the marker of the run, or ""
	born  int64  // before the birth of ours, in ticks since boot
	since int64  // that of the first of ours that died; 0 = none has
}

// newWards is called once for each Local.
func newWards() *wards {
	return &wards{own: make(map[int]chan struct{}), list: make(map[*ward]struct{}), nudge: make(chan struct{}, 1)}
}

// add begins a ward of which nothing may be reaped, for the run with a marker.
func (w *wards) add(run string) *ward {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := &ward{all: w, kept: make(map[int]struct{}), run: run}
	w.list[d] = struct{}{}
	return d
}

// remove ends a ward: nobody will ask any more.
func (d *ward) remove() {
	d.all.mu.Lock()
	defer d.all.mu.Unlock()
	delete(d.all.list, d)
	d.all.wake()
}

// spawn starts a runner for the ward and sees that it is reaped; gone is closed then.
func (d *ward) spawn(start func() (*os.Process, error)) (gone <-chan struct{}, err error) {
	d.all.mu.Lock()
	defer d.all.mu.Unlock()
	born := proc.Ticks()
	process, err := start()
	if err != nil {
		return nil, err
	}
	reaped := make(chan struct{})
	d.all.own[process.Pid] = reaped
	d.runner, d.ours, d.born, d.settled = process.Pid, process.Pid, born, false
	go func() {
		defer close(reaped)
		process.Wait() // how a runner ended is told by its record
		d.all.mu.Lock()
		defer d.all.mu.Unlock()
		delete(d.all.own, process.Pid)
		if d.runner == process.Pid {
			d.settled = false
		}
	}()
	return reaped, nil
}

// lost says that the runner is gone: what it leaves is needed until the next one has seen it.
func (d *ward) lost() {
	d.all.mu.Lock()
	defer d.all.mu.Unlock()
	d.settled = false
	if d.since == 0 && d.ours != 0 && d.ours == d.runner {
		d.since = d.born
	}
}

// settle says that the runner has taken over, and which processes it still has to hear of.
func (d *ward) settle(runner int, adopted []int) {
	d.all.mu.Lock()
	defer d.all.mu.Unlock()
	d.runner, d.settled = runner, true
	if d.all.own[runner] != nil {
		d.ours = runner
	}
	clear(d.kept)
	for _, pid := range adopted {
		d.kept[pid] = struct{}{}
	}
	d.all.wake()
}

// release says that the end of pid is in the record. Its zombie is taken away at once, if it is ours.
func (d *ward) release(pid int) {
	d.all.mu.Lock()
	defer d.all.mu.Unlock()
	if _, ok := d.kept[pid]; !ok {
		return
	}
	delete(d.kept, pid)
	unix.Wait4(pid, nil, unix.WNOHANG, nil) // not a child of ours: nothing to do
}

// wake makes the reaper look. The caller holds mu.
func (w *wards) wake() {
	select {
	case w.nudge <- struct{}{}:
	default:
	}
}

// ReapOrphans takes away the zombies of processes that dead runners have left to this one, as soon as
// nobody has to learn from them how they ended, until ctx ends. It takes every child that is no
// runner: only a program whose only children are runners may call it.
func (l *Local) ReapOrphans(ctx context.Context) {
	w := l.wardens()
	w.mu.Lock()
	w.guardian = true
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
		case <-w.nudge:
		}
	}
}

// Reap looks at all children once. Orphans come only by the death of a runner, and the children are
// listed before the runners are looked at: if these live and have taken over, no child in the list is
// one that somebody has yet to see.
func (w *wards) reap() {
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
		for pid := range d.kept {
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
func (d *ward) inherits() bool {
	d.all.mu.Lock()
	defer d.all.mu.Unlock()
	return d.ours != 0 && d.ours == d.runner && proc.IsSubreaper()
}

package executor

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
)

// When a runner dies, its children become children of the daemon, its subreaper: living processes, and zombies from which
// the next runner learns how they ended. The reaper reaps those zombies that no runner needs any more. The claims of the
// sessions say which ones are needed.
type reaper struct {
	mu     sync.Mutex            // guards the fields below and all claims; held while a runner is forked
	own    map[int]chan struct{} // runners and questions that are children of this process; closed when reaped
	list   map[*claim]struct{}
	wakeUp chan struct{} // capacity 1: there may be something to reap
	// ownsChildren says that all children of this process are runners or questions, or come from runners.
	ownsChildren bool
}

// A claim is what one session needs of dead processes.
type claim struct {
	reaper    *reaper
	runner    int              // pid of the latest runner; 0 = none yet
	started   int              // pid of the latest runner that this process has started; 0 = none
	settled   bool             // the latest runner has listed the processes that it needs
	waitedFor map[int]struct{} // the pids of these

	// About the processes of dead runners, see orphans.go.

	run        string // the marker of the run, or ""
	startTicks int64  // in ticks: a moment just before the latest runner was started by this process
	since      int64  // in ticks: startTicks of the first runner that died; 0 = none has
}

// newReaper returns the reaper of a Local.
func newReaper() *reaper {
	return &reaper{own: make(map[int]chan struct{}), list: make(map[*claim]struct{}), wakeUp: make(chan struct{}, 1)}
}

// add adds a claim for the run with a marker. While it is not settled, nothing is reaped.
func (w *reaper) add(run string) *claim {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := &claim{reaper: w, waitedFor: make(map[int]struct{}), run: run}
	w.list[d] = struct{}{}
	return d
}

// remove ends the claim: no runner of the run will need a zombie.
func (d *claim) remove() {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	delete(d.reaper.list, d)
	d.reaper.wake()
}

// start starts a runner. It reaps the runner in the background, and closes gone then.
func (w *reaper) start(start func() (*os.Process, error)) (process *os.Process, gone <-chan struct{}, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = proc.WithCallersSlack(func() (err error) {
		process, err = start()
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	reaped := make(chan struct{})
	w.own[process.Pid] = reaped
	go func() {
		defer close(reaped)
		process.Wait() // the runner log says how it ended
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.own, process.Pid)
		for d := range w.list {
			if d.runner == process.Pid {
				d.settled = false
			}
		}
		w.wake()
	}()
	return process, reaped, nil
}

// use notes that this process has started the runner of the session, or has given it a spare one, not before ticks.
func (d *claim) use(runner int, ticks int64) {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	d.runner, d.started, d.startTicks, d.settled = runner, runner, ticks, false
}

// lost notes that the runner is gone. The processes that it leaves are needed until the next runner has seen them.
func (d *claim) lost() {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	d.settled = false
	if d.since == 0 && d.started != 0 && d.started == d.runner {
		d.since = d.startTicks
	}
}

// settle notes that the runner has taken over the run and still needs the zombies of the adopted processes.
func (d *claim) settle(runner int, adopted []int) {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	d.runner, d.settled = runner, proc.IsAlive(runner) // its hello may be read after its death
	if d.reaper.own[runner] != nil {
		d.started = runner
	}
	clear(d.waitedFor)
	for _, pid := range adopted {
		d.waitedFor[pid] = struct{}{}
	}
	d.reaper.wake()
}

// release notes that the end of pid is in the runner log, and reaps its zombie if it is a child of this process.
func (d *claim) release(pid int) {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	if _, ok := d.waitedFor[pid]; !ok {
		return
	}
	delete(d.waitedFor, pid)
	unix.Wait4(pid, nil, unix.WNOHANG, nil) // fails if it is not a child of this process
}

// wake makes ReapOrphans reap again. The caller holds mu.
func (w *reaper) wake() {
	select {
	case w.wakeUp <- struct{}{}:
	default:
	}
}

// ReapOrphans reaps the zombies of processes that dead runners have left to this process, as soon as no runner needs to
// learn from them how they ended. It returns when ctx ends. It reaps every child that is not a runner or question, so only
// a program without other children may call it.
func (l *Local) ReapOrphans(ctx context.Context) {
	w := l.shared().reaper
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

// reap reaps the zombies that no runner needs. It reads the children before it looks at the runners: an orphan becomes a
// child only by the death of a runner, so if all runners are alive and settled after that, no child in the list is still
// needed by a runner that has not listed its processes.
func (w *reaper) reap() {
	w.mu.Lock()
	defer w.mu.Unlock()
	// The children of all threads are many files. Usually there is no zombie, or one of w.own: its goroutine wakes the
	// reaper when it has reaped it.
	if d, err := proc.NextDeath(); errors.Is(err, unix.ECHILD) || err == nil && (d == nil || w.own[d.PID] != nil) {
		return
	}
	children, err := proc.Children()
	if err != nil {
		return // the next death tries again
	}
	kept := make(map[int]bool)
	for d := range w.list {
		if !d.settled || (w.own[d.runner] != nil && !proc.IsAlive(d.runner)) {
			return // settle or remove will wake the reaper
		}
		for pid := range d.waitedFor {
			kept[pid] = true
		}
	}
	for _, pid := range children {
		if w.own[pid] == nil && !kept[pid] {
			unix.Wait4(pid, nil, unix.WNOHANG, nil) // no effect on a living process
		}
	}
}

// inherits reports whether the children of the latest runner become children of this process, or have become so.
func (d *claim) inherits() bool {
	d.reaper.mu.Lock()
	defer d.reaper.mu.Unlock()
	return d.started != 0 && d.started == d.runner && proc.IsSubreaper()
}

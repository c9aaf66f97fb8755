package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

// A process is a snapshot of a process or zombie. Pid and start time together identify it.
type process struct {
	pid, parent int
	zombie      bool
	bare        bool   // forked but no exec yet: it looks like its parent
	waits       bool   // in the kernel, where most signals have no effect (state D)
	started     uint64 // clock ticks since boot
}

// errGone reports that a process does not exist any more, or that its pid belongs to another one.
var errGone = errors.New("no such process")

// A family is the set of children of this program: those it started and waits for, and their orphans,
// which it inherits as subreaper and reaps at once, like init. So the attacked processes behave as without
// this program, and none of them can escape.
type family struct {
	mu  sync.Mutex // guards own, and blocks the reaper while a child is being started
	own map[int]bool

	news chan os.Signal
	done chan struct{} // closed when the reaper has ended
}

func newFamily() (*family, error) {
	if err := becomeSubreaper(); err != nil {
		return nil, err
	}
	f := &family{own: map[int]bool{}, news: make(chan os.Signal, 1), done: make(chan struct{})}
	signal.Notify(f.news, syscall.SIGCHLD)
	go func() {
		defer close(f.done)
		for range f.news {
			f.reap()
		}
	}()
	return f, nil
}

// close ends the reaper. It does not wait for remaining orphans.
func (f *family) close() {
	signal.Stop(f.news)
	close(f.news)
	<-f.done
}

// start starts cmd; the caller calls wait.
func (f *family) start(cmd *exec.Cmd) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	f.own[cmd.Process.Pid] = true
	return nil
}

func (f *family) wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.own, cmd.Process.Pid)
	return err
}

// reap reaps the zombies of orphans. Zombies that it misses are reaped after the next signal.
func (f *family) reap() {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, err := processes()
	if err != nil {
		return
	}
	for _, p := range all {
		if p.parent == os.Getpid() && p.zombie && !f.own[p.pid] {
			syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil) // an error means that it is gone
		}
	}
}

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

// A process is one that was alive, or a zombie, when it was looked at. Pid and birth together
// identify it.
type process struct {
	pid, parent int
	zombie      bool
	bare        bool   // forked and still without a program of its own: it looks like who forked it
	waits       bool   // in the kernel, where most signals do not reach it (state D)
	born        uint64 // clock ticks since boot
}

// errGone says that a process is not there any more, or that its pid is somebody else's by now.
var errGone = errors.New("no such process")

// A family is the children of this program: those it started and waits for, and the orphans of
// these, which it inherits as their subreaper and takes away at once, as init would. So what it
// attacks lives in the world it would have without it, and nothing can escape being found.
type family struct {
	mu  sync.Mutex // guards own, and holds back the reaper while a child is being started
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

// close ends the reaper. Orphans that are still there are not waited for.
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

// reap takes the zombies of orphans away. One that cannot be looked at now comes with the next news.
func (f *family) reap() {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, err := processes()
	if err != nil {
		return
	}
	for _, p := range all {
		if p.parent == os.Getpid() && p.zombie && !f.own[p.pid] {
			syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil) // gone already is as good
		}
	}
}

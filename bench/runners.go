package main

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// How often runners are sampled. A runner that ends is counted up to its last sample, so its figures are too
// low by what it used in the last interval. Looking for new runners costs more than looking at known ones.
const (
	sampleInterval = 5 * time.Millisecond
	searchEvery    = 20 // samples
)

// A runnerWatch adds up what the runners of a daemon use. It samples them, because only the daemon, which reaps them, could
// ask the kernel for their totals.
type runnerWatch struct {
	daemon  int           // process ID
	last    map[int]usage // the last sample of each runner
	total   usage         // of all runners; the switches only of thorough samples
	peakKB  int64         // memory of the largest runner, in thorough samples
	quit    chan struct{}
	stopped chan struct{}
}

func newRunnerWatch(daemon int) *runnerWatch {
	return &runnerWatch{daemon: daemon, last: make(map[int]usage)}
}

// start samples until stop is called, and once more then. Thorough samples read memory and context switches, too, which disturbs
// the measurement: they are for rounds that are not timed.
func (w *runnerWatch) start(thorough bool) {
	w.quit, w.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(w.stopped)
		w.sample(thorough)
	}()
}

func (w *runnerWatch) stop() {
	close(w.quit)
	<-w.stopped
}

func (w *runnerWatch) sample(thorough bool) {
	tick := time.NewTicker(sampleInterval)
	defer tick.Stop()
	var runners []int
	for n, last := 0, false; !last; n++ {
		select {
		case <-w.quit:
			last = true
		case <-tick.C:
		}
		if n%searchEvery == 0 || len(runners) == 0 {
			runners = w.search()
		}
		runners = slices.DeleteFunc(runners, func(pid int) bool { return !w.read(pid, thorough) })
	}
}

// search returns the children of the daemon that run its program; others are shells that it asks something.
func (w *runnerWatch) search() []int {
	program := func(pid int) string {
		path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)) // it may have ended
		return path
	}
	own := program(w.daemon)
	return slices.DeleteFunc(childrenOf(w.daemon), func(pid int) bool { return program(pid) != own })
}

// read adds what a runner has used since its last sample. It returns false if the runner has been reaped.
func (w *runnerWatch) read(pid int, thorough bool) bool {
	cpu, err := processCPU(pid)
	if err != nil {
		return false
	}
	now, last := usage{cpu: cpu}, w.last[pid]
	if thorough {
		now.switches = usageOf(pid).switches
		w.peakKB = max(w.peakKB, peakKB(pid))
	}
	if now.cpu < last.cpu {
		last = usage{} // another process with the same ID
	}
	w.total.cpu += now.cpu - last.cpu
	w.total.switches += max(0, now.switches-last.switches)
	w.last[pid] = now
	return true
}

package main

import (
	"os/exec"
	"strconv"
	"testing"
	"time"
)

func TestSelfCPUIsWithoutChildren(t *testing.T) {
	const busy = `i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done`
	cmd := exec.Command("/bin/sh", "-c", "/bin/sh -c '"+busy+"'; true")
	self, err := runAlone(cmd)
	if err != nil {
		t.Fatal(err)
	}
	total := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if self <= 0 || self > total/2 {
		t.Errorf("the shell alone used %s of %s", self, total)
	}
}

func TestRunnerWatchCountsChildrenWithTheSameProgram(t *testing.T) {
	// The outer shell is the daemon, the inner one its runner, sleep is something else.
	cmd := exec.Command("/bin/sh", "-c", `sleep 1000 & /bin/sh -c 'while :; do :; done' & wait`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	var children []int
	for len(children) < 2 {
		children = childrenOf(pid)
		time.Sleep(time.Millisecond)
	}
	defer func() {
		for _, child := range children {
			exec.Command("kill", "-KILL", strconv.Itoa(child)).Run() // it may have ended
		}
		if err := cmd.Wait(); err != nil {
			t.Log(err)
		}
	}()
	w := newRunnerWatch(pid)
	w.start(true)
	awaitCPU(t, pid)
	w.stop()
	first := w.total.cpu
	if first <= 0 || w.peakKB <= 0 || len(w.last) > 2 {
		t.Errorf("runners used %+v, at most %d KB; %d of them", w.total, w.peakKB, len(w.last))
	}
	w.start(false)
	awaitCPU(t, pid)
	w.stop()
	if used := childrenCPU(pid); w.total.cpu < first+30*time.Millisecond || w.total.cpu > used {
		t.Errorf("runners used first %s, then %s altogether; they did use %s", first, w.total.cpu, used)
	}
}

// awaitCPU waits until the children of a process have used 40 ms more.
func awaitCPU(t *testing.T, pid int) {
	t.Helper()
	for end := childrenCPU(pid) + 40*time.Millisecond; childrenCPU(pid) < end; {
		time.Sleep(time.Millisecond)
	}
}

func childrenCPU(pid int) (sum time.Duration) {
	for _, child := range childrenOf(pid) {
		cpu, _ := processCPU(child) // children do not end
		sum += cpu
	}
	return sum
}

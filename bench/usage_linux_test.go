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
	time.Sleep(50 * time.Millisecond)
	w.stop()
	if w.total.cpu <= 0 || w.total.cpu > time.Second || w.peakKB <= 0 || len(w.last) > 2 {
		t.Errorf("runners used %+v, at most %d KB; %d of them", w.total, w.peakKB, len(w.last))
	}
	before := w.total.cpu
	w.start(false)
	time.Sleep(50 * time.Millisecond)
	w.stop()
	if more := w.total.cpu - before; more <= 0 || more > time.Second {
		t.Errorf("runners used %s more", more)
	}
}

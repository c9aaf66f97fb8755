package proc

import (
	"os"
	"slices"
	"testing"
)

func TestDescendants(t *testing.T) {
	all := []Process{
		{PID: 10, Parent: 1}, {PID: 11, Parent: 10}, {PID: 12, Parent: 11},
		{PID: 13, Parent: 10, Dead: true}, {PID: 20, Parent: 1},
		{PID: 30, Parent: 31}, {PID: 31, Parent: 30}, // a reused pid, read at two moments
	}
	c := &Table{All: all, Children: make(map[int][]int)}
	for i, p := range all {
		c.Children[p.Parent] = append(c.Children[p.Parent], i)
	}
	for pid, want := range map[int][]int{10: {11, 12}, 20: {}, 30: {31}, 99: {}} {
		if got := PIDs(c.Descendants(pid)); !slices.Equal(got, want) {
			t.Errorf("below %d: %v, want %v", pid, got, want)
		}
	}
}

// TestDescendantsOfPID0 checks that Descendants panics for pid 0, from which all processes descend.
func TestDescendantsOfPID0(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	(&Table{Children: map[int][]int{0: {0}}, All: []Process{{PID: 1}}}).Descendants(0)
}

// TestSignalIsForOneProcess checks that a process with a reused pid gets no signal.
func TestSignalIsForOneProcess(t *testing.T) {
	self, err := Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := signalProcess(self, 0); err != nil {
		t.Errorf("this process: %v", err)
	}
	self.StartTicks--
	if err := signalProcess(self, 0); err == nil {
		t.Error("a process with another start time got a signal")
	}
}

func TestStartWindow(t *testing.T) {
	before := Ticks()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "exit 0"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	window := Window{before, Ticks()}
	seen, err := Read(p.Pid)
	if err != nil || !window.Contains(seen.StartTicks) {
		t.Errorf("started at %d, not within %v (%v)", seen.StartTicks, window, err)
	}
	if _, err := p.Wait(); err != nil {
		t.Error(err)
	}
}

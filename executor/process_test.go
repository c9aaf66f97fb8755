package executor

import (
	"os"
	"slices"
	"testing"
)

func TestCensusBelow(t *testing.T) {
	all := []process{
		{pid: 10, parent: 1}, {pid: 11, parent: 10}, {pid: 12, parent: 11},
		{pid: 13, parent: 10, dead: true}, {pid: 20, parent: 1},
		{pid: 30, parent: 31}, {pid: 31, parent: 30}, // a reused pid, seen at two moments
	}
	c := &census{all: all, children: make(map[int][]int)}
	for i, p := range all {
		c.children[p.parent] = append(c.children[p.parent], i)
	}
	for pid, want := range map[int][]int{10: {11, 12}, 20: {}, 30: {31}, 99: {}} {
		if got := pidsOf(c.below(pid)); !slices.Equal(got, want) {
			t.Errorf("below %d: %v, want %v", pid, got, want)
		}
	}
}

// TestNobodyHasNoFamily: below pid 0 is the whole machine.
func TestNobodyHasNoFamily(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the family of pid 0 is told")
		}
	}()
	(&census{children: map[int][]int{0: {0}}, all: []process{{pid: 1}}}).below(0)
}

// TestSignalIsForOneProcess wants a pid that has come to mean somebody else left alone.
func TestSignalIsForOneProcess(t *testing.T) {
	self, err := readProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := signalProcess(self, 0); err != nil {
		t.Errorf("ourselves: %v", err)
	}
	self.born--
	if err := signalProcess(self, 0); err == nil {
		t.Error("a process of another birth was signalled")
	}
}

func TestBirthWindow(t *testing.T) {
	before := ticksNow()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "exit 0"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	window := window{before, ticksNow()}
	seen, err := readProcess(p.Pid)
	if err != nil || !window.holds(seen.born) {
		t.Errorf("born at %d, not within %v (%v)", seen.born, window, err)
	}
	if _, err := p.Wait(); err != nil {
		t.Error(err)
	}
}

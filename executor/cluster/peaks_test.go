package cluster_test

import (
	"testing"

	"wf/executor"
)

// Where accounting measures memory, the end of a task tells how much it has used, also if accounting learns of the end late. It is
// not asked about tasks that it cannot have measured.
func TestPeakOfMemory(t *testing.T) {
	for name, faults := range map[string][]string{"at once": nil, "late": {"late-accounting"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, dir := fakeSlurm(t)
			setFault(t, dir, "accounting", "2048K\n")
			for _, f := range faults {
				setFault(t, dir, f, "")
			}
			r := open(t, c)
			r.start("true", "sleep 1", "sleep 1; exit 3")
			for node, want := range []int64{0, 2 << 20, 2 << 20} {
				if e := r.await(executor.Ended, node); e.Exit.PeakMemory != want {
					t.Errorf("node %d: %d bytes, want %d", node, e.Exit.PeakMemory, want)
				}
			}
		})
	}
}

// Without accounting, or if it does not answer, ends do not wait for it.
func TestEndsWithoutAccounting(t *testing.T) {
	c, dir := fakeSlurm(t)
	setFault(t, dir, "accounting", "")
	r := open(t, c)
	r.start("sleep 1")
	if e := r.await(executor.Ended, 0); e.Exit != (executor.Exit{}) {
		t.Errorf("%+v", e)
	}
}

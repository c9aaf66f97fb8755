package rundir

import (
	"slices"
	"testing"
)

func TestMarker(t *testing.T) {
	run := []string{"WF_WORKFILE=/w", "WF_RUN_ID=r1"}
	job := []string{"WF_NODE_ID=n", "WF_EXECUTION=2"}
	whole := MarkerOf(job, run)
	if whole.Run == "" || whole.Node == "" || whole != MarkerOf(append(slices.Clone(run), job...)) {
		t.Errorf("marker %+v", whole)
	}
	for _, other := range [][]string{
		{"WF_WORKFILE=/other", "WF_RUN_ID=r1"}, {"WF_WORKFILE=/w", "WF_RUN_ID=r2"}, {"WF_WORKFILE=/w"}, nil,
	} {
		if MarkerOf(job, other) == whole {
			t.Errorf("%q has the marker of %q", other, run)
		}
	}
	if m := MarkerOf(nil, run); m.Run != whole.Run || m.Node != "" {
		t.Errorf("marker without a node %+v", m)
	}
}

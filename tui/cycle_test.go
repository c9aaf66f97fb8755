package tui

import (
	"strings"
	"testing"

	"wf/api"
)

// TestBlockingCycleIsReported: The interface shows a cycle of blocking edges before a run is refused for it. It does
// not report a loop with a non-blocking edge.
func TestBlockingCycleIsReported(t *testing.T) {
	s := small()
	add := func(from, to, kind string) {
		s.Edges = append(s.Edges, api.EdgeStatus{Key: len(s.Edges), Source: "id-" + from, Target: "id-" + to, Type: kind})
	}
	add("d", "a", "non-blocking")
	add("d", "c", "blocking")
	m := testModel(120, 30, s)
	if got := frame(m); strings.Contains(got, "cycle") {
		t.Errorf("a loop is called a cycle:\n%s", got)
	}
	add("c", "b", "blocking")
	m = testModel(120, 30, s)
	if got := frame(m); !strings.Contains(got, "a cycle: b -> d -> c -> b, so no run can start") || !strings.Contains(got, "cycle─") {
		t.Errorf("the cycle is not named:\n%s", got)
	}
}

package runview

import (
	"testing"

	"wf/api"
)

// TestAttemptsAreCounted: A failure that is not final counts as an attempt and blocks nothing; a new activation begins with the first one.
func TestAttemptsAreCounted(t *testing.T) {
	f := workfile("a b", "a>b")
	ok, again := api.NodeFinished, &api.Retry{Attempt: 1, Of: 4}
	for i, step := range []struct {
		ev      api.Event
		attempt int
		states  string
	}{
		{api.Event{Type: api.NodeStarted}, 0, "a=running b=idle"},
		{api.Event{Type: api.NodeFailed, Retry: again}, 1, "a=retrying b=idle"},
		{api.Event{Type: api.NodeStarted}, 1, "a=running b=idle"},
		{api.Event{Type: ok}, 1, "a=ok b=idle"},
		{api.Event{Type: api.NodeReady}, 0, "a=queued b=idle"},
		{api.Event{Type: api.NodeStarted}, 0, "a=running b=idle"},
		{api.Event{Type: api.NodeFailed, Retry: again}, 1, "a=retrying b=idle"},
		{api.Event{Type: api.NodeFailed}, 1, "a=failed b=blocked"},
		{api.Event{Type: api.NodeReset}, 0, "a=idle b=idle"},
	} {
		step.ev.Run, step.ev.Node = "1", "a"
		f.Apply(nil, nil, map[string]api.Event{"a": step.ev})
		f.Nodes[1].Run = "1"
		if got := states(f); f.Nodes[0].Attempt != step.attempt || got != step.states {
			t.Errorf("event %d: attempt %d, %s; want %d, %s", i, f.Nodes[0].Attempt, got, step.attempt, step.states)
		}
	}
}

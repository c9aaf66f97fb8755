package workspace

import (
	"testing"

	"wf/api"
	"wf/executor"
)

// TestMarksArePublished: watchers get the marks of edges during a run, and their removal before the end of the run.
func TestMarksArePublished(t *testing.T) {
	b := newTestbed(t, "a>c", "b>c")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	s.end(b.next(s).ID, executor.Exit{})
	v.wait(t, "the mark of the edge behind the node that ended", func(e api.Event) bool {
		return e.Type == api.GraphUpdated && e.Op == "marks" && len(e.Edges) == 1 && e.Edges[0].Status == "to_run" && !e.Structure
	})
	b.play(v, s, nil)
	v.checkGapless(t)
	at := map[int]string{}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range v.events {
		if e.Type == api.RunComplete {
			break
		}
		for _, edge := range e.Edges {
			at[edge.Key] = edge.Status
		}
	}
	for key, status := range at {
		if status != "" {
			t.Errorf("edge %d still bears %s", key, status)
		}
	}
	if len(at) == 0 {
		t.Error("no edge was reported")
	}
}

package runview

import (
	"testing"
	"time"

	"wf/api"
)

// News of an engine change only the job of a node. A start and an end bring their own, and a new activation has none.
func TestNewsOfEngines(t *testing.T) {
	var f Workfile
	f.Apply(&api.Status{Nodes: []api.NodeStatus{{ID: "a", Name: "a", State: api.StateIdle}}}, nil, nil)
	at := time.Unix(1000, 0)
	step := func(ev api.Event) *api.NodeStatus {
		ev.Node, ev.Name, ev.Run, ev.Time = "a", "a", "1", at
		f.Apply(nil, nil, map[string]api.Event{"a": ev})
		return &f.Nodes[0]
	}
	pending := &api.EngineJob{Executor: "hpc", ID: "4711", State: "PENDING", Why: "Priority"}
	step(api.Event{Type: api.NodeReady})
	if n := step(api.Event{Type: api.NodeEngine, Execution: 1, Engine: pending}); n.State != api.StateQueued || n.Engine != pending {
		t.Errorf("pending: %s, %+v", n.State, n.Engine)
	}
	running := &api.EngineJob{Executor: "hpc", ID: "4711", Host: "n17"}
	if n := step(api.Event{Type: api.NodeStarted, PID: 7, Engine: running}); n.State != api.StateRunning || n.Engine != running {
		t.Errorf("running: %s, %+v", n.State, n.Engine)
	}
	suspended := &api.EngineJob{Executor: "hpc", ID: "4711", Host: "n17", State: "SUSPENDED"}
	if n := step(api.Event{Type: api.NodeEngine, Engine: suspended}); n.State != api.StateRunning || n.Engine != suspended || n.PID != 7 || n.Started == nil {
		t.Errorf("suspended: %+v", n)
	}
	if n := step(api.Event{Type: api.NodeFailed, Reason: api.ReasonMemory, Engine: running, PeakBytes: 9}); n.Reason != api.ReasonMemory || n.PeakBytes != 9 || n.Engine != running {
		t.Errorf("failed: %+v", n)
	}
	if n := step(api.Event{Type: api.NodeReady}); n.Engine != nil || n.PeakBytes != 0 {
		t.Errorf("activated again: %+v", n)
	}
}

// A run has the latest news of an engine about a node as long as the node waits there.
func TestNewsOfAnEngineAboutAQueuedNode(t *testing.T) {
	r := New()
	pending := &api.EngineJob{Executor: "hpc", ID: "4711", State: "PENDING", Why: "Priority"}
	for _, c := range []struct {
		ev   api.Event
		want *api.EngineJob
	}{
		{api.Event{Type: api.NodeReady, Node: "a"}, nil},
		{api.Event{Type: api.NodeEngine, Node: "a", Engine: &api.EngineJob{Executor: "hpc", ID: "4711"}}, nil},
		{api.Event{Type: api.NodeEngine, Node: "a", Engine: pending}, pending},
		{api.Event{Type: api.NodeStarted, Node: "a"}, nil},
		{api.Event{Type: api.NodeEngine, Node: "a", Engine: pending}, nil},
	} {
		r.Apply(c.ev)
		if got := r.QueuedAt(); got != c.want {
			t.Errorf("after %s: %+v", c.ev.Type, got)
		}
	}
}

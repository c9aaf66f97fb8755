package main

import (
	"testing"

	"wf/api"
)

// TestPlayer checks that the stand-in's events are numbered without gaps, and that every node is
// repeatedly queued, run and ended, in this order.
func TestPlayer(t *testing.T) {
	s := status(pipeline(100), "/data/Workfile")
	p := player{status: &s}
	next := map[api.EventType]api.EventType{"": api.NodeReady, api.NodeReady: api.NodeStarted, api.NodeStarted: api.NodeFinished, api.NodeFinished: api.NodeReady}
	latest := map[string]api.EventType{}
	seq, failed := uint64(0), 0
	for _, n := range []int{1, 7, 3000} {
		events := p.play(n)
		if len(events) != n {
			t.Fatalf("%d events, not %d", len(events), n)
		}
		for _, ev := range events {
			if seq++; ev.Seq != seq {
				t.Fatalf("event %d is numbered %d", seq, ev.Seq)
			}
			if ev.Type == api.NodeFailed {
				failed++
				ev.Type = api.NodeFinished
			}
			if want := next[latest[ev.Node]]; ev.Type != want {
				t.Fatalf("event %d of %s is %s, not %s", seq, ev.Node, ev.Type, want)
			}
			latest[ev.Node] = ev.Type
		}
	}
	if len(latest) != len(s.Nodes) || failed == 0 {
		t.Errorf("%d of %d nodes had events, %d failures", len(latest), len(s.Nodes), failed)
	}
}

// TestPipeline checks that the workfile has about the requested number of nodes, all of which lead to the
// last one.
func TestPipeline(t *testing.T) {
	for _, n := range []int{1, 10, 5000} {
		g := pipeline(n)
		if len(g.Nodes) > max(n, 12) || len(g.Nodes) < n-len(steps) {
			t.Errorf("%d nodes, not %d", len(g.Nodes), n)
		}
		for i, node := range g.Nodes {
			for _, before := range node.After {
				if before >= i {
					t.Errorf("%s comes before %s", node.ID, g.Nodes[before].ID)
				}
			}
		}
	}
}

func TestFlags(t *testing.T) {
	b := &bench{}
	if err := b.parse("100x30,200x50", "1000", "list"); err != nil || len(b.sizes) != 2 || b.sizes[1].String() != "200x50" || b.rates[0] != 1000 {
		t.Errorf("%+v, %v", b, err)
	}
	for _, bad := range [][2]string{{"100", "1"}, {"", "1"}, {"9x9", "-1"}, {"9x9", "fast"}} {
		if (&bench{}).parse(bad[0], bad[1], "list") == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

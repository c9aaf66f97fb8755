package runview

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"wf/api"
)

// t0 is when the runs of these tests started.
var t0 = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// at returns a time some seconds after the start of the run.
func at(seconds int) time.Time { return t0.Add(time.Duration(seconds) * time.Second) }

// execution returns an execution from one second to another, ready some seconds before its start.
func execution(node string, number, wait, from, to int, ok bool) api.Execution {
	start, end, took, waited := at(from), at(to), int64(to-from)*1000, int64(wait)*1000
	x := api.Execution{Node: node, Name: node, Execution: number, Started: &start, Ended: &end, DurationMS: &took, WaitMS: &waited, OK: ok, Over: true}
	if !ok {
		code := 1
		x.Reason, x.ExitCode = api.ReasonExit, &code
	}
	return x
}

// workfile returns a workfile of these nodes and edges "a>b", with an optional condition after a colon.
func workfile(nodes string, edges ...string) Workfile {
	var s api.Status
	for _, name := range strings.Fields(nodes) {
		s.Nodes = append(s.Nodes, api.NodeStatus{ID: name, Name: name, State: api.StateIdle})
	}
	for k, e := range edges {
		e, when, _ := strings.Cut(e, ":")
		from, to, _ := strings.Cut(e, ">")
		s.Edges = append(s.Edges, api.EdgeStatus{Key: k, Source: from, Target: to, Type: "blocking", When: when})
	}
	var f Workfile
	f.Apply(&s, nil, nil)
	return f
}

// states returns the states of all nodes in short.
func states(f Workfile) string {
	var b strings.Builder
	for _, n := range f.Nodes {
		fmt.Fprintf(&b, "%s=%s ", n.Name, n.Counted())
	}
	return strings.TrimSpace(b.String())
}

// TestReplay: At each time of a run with a retry, a decision, a branch and a failure, the nodes have the states that they had.
func TestReplay(t *testing.T) {
	f := workfile("a b ask c no end", "a>b", "b>ask", "ask>c", "a>no:failure", "c>end")
	end := at(40)
	d := api.RunDetail{RunSummary: api.RunSummary{Run: "7", Started: t0, Ended: &end, Result: api.ResFailed, Nodes: 6, Counts: api.Counts{Skipped: 1}},
		Execs: []api.Execution{execution("a", 1, 1, 2, 5, true), execution("b", 1, 0, 5, 8, false), execution("b", 2, 0, 10, 12, true),
			execution("ask", 1, 0, 20, 22, true), execution("c", 1, 0, 22, 30, false)},
		Left:      []api.NodeStatus{{ID: "end", State: api.StateIdle}},
		Decisions: []api.NodeDecision{{Node: "ask", DecisionMade: api.DecisionMade{Approved: true, Time: at(20)}}}}
	r := NewReplay(&f, d)
	for _, want := range []struct {
		at     int
		states string
	}{
		{0, "a=idle b=idle ask=idle c=idle no=idle end=idle"},
		{1, "a=queued b=idle ask=idle c=idle no=idle end=idle"},
		{2, "a=running b=idle ask=idle c=idle no=idle end=idle"},
		{5, "a=ok b=running ask=idle c=idle no=skipped end=idle"},
		{9, "a=ok b=retrying ask=idle c=idle no=skipped end=idle"},
		{11, "a=ok b=running ask=idle c=idle no=skipped end=idle"},
		{13, "a=ok b=ok ask=waiting c=idle no=skipped end=idle"},
		{21, "a=ok b=ok ask=running c=idle no=skipped end=idle"},
		{29, "a=ok b=ok ask=ok c=running no=skipped end=idle"},
		{35, "a=ok b=ok ask=ok c=failed no=skipped end=blocked"},
		{40, "a=ok b=ok ask=ok c=failed no=skipped end=blocked"},
	} {
		if got := states(r.At(at(want.at))); got != want.states {
			t.Errorf("after %ds\n%s, want\n%s", want.at, got, want.states)
		}
	}
	if n := len(r.Moments()); n != 10 { // starts and ends that fall together are one moment
		t.Errorf("%d moments: %v", n, r.Moments())
	}
	was := r.At(at(9))
	if got := was.Nodes[1].Executions; got != 1 {
		t.Errorf("b is at its attempt %d after 9s, want 1", got)
	}
}

// TestReplayOfInstances: The instances of a sub-flow run one after the other.
func TestReplayOfInstances(t *testing.T) {
	s := api.Status{Nodes: []api.NodeStatus{{ID: "each", Name: "each", Container: true, SubFlow: "foreach"}, {ID: "t", Name: "each/t", Parent: "each"}}}
	var f Workfile
	f.Apply(&s, nil, nil)
	end := at(9)
	r := NewReplay(&f, api.RunDetail{RunSummary: api.RunSummary{Run: "7", Started: t0, Ended: &end, Nodes: 1},
		Execs: []api.Execution{execution("each[0]/t", 1, 0, 1, 4, true), execution("each[1]/t", 1, 0, 4, 8, false)}})
	for _, want := range []struct {
		at    int
		state api.State
		ok    int
		begun int
	}{{0, api.StateIdle, 0, 0}, {1, api.StateRunning, 0, 1}, {4, api.StateRunning, 1, 2}, {8, api.StateFailed, 1, 2}, {9, api.StateFailed, 1, 2}} {
		n := r.At(at(want.at)).Nodes[0]
		ok, begun := 0, 0
		if n.Instances != nil {
			ok, begun = n.Instances.Nodes.OK, n.Instances.Begun
		}
		if n.State != want.state || ok != want.ok || begun != want.begun {
			t.Errorf("after %ds: %s, %d ok of %d, want %+v", want.at, n.State, ok, begun, want)
		}
	}
}

// TestReplayEndsWithWhatTheRunLeft: At its end, and at its last moment, any run has the states that it left; time never takes an ended node
// back, and the number of executions that have started grows.
func TestReplayEndsWithWhatTheRunLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		f := workfile("a b c d e f", "a>b", "a>c", "b>d", "c>d", "d>e", "c>f:failure")
		d := api.RunDetail{RunSummary: api.RunSummary{Run: "7", Started: t0, Nodes: 6}}
		now := 0
		for _, name := range []string{"a", "b", "c", "d"} {
			for try := 1; ; try++ {
				now += r.IntN(3)
				from := now
				now += 1 + r.IntN(5)
				ok := r.IntN(3) > 0
				d.Execs = append(d.Execs, execution(name, try, r.IntN(2), from, now, ok))
				if ok || try == 3 {
					break
				}
			}
		}
		end := at(now + 1)
		d.Ended = &end
		replay, left := NewReplay(&f, d), LeftBy(&f, d)
		if got, want := states(replay.At(end)), states(left); got != want {
			t.Fatalf("at the end %s, want %s", got, want)
		}
		started := 0
		for i, moment := range replay.Moments() {
			if i > 0 && !moment.After(replay.Moments()[i-1]) {
				t.Fatalf("moment %d is not after the one before", i)
			}
			n := 0
			for _, node := range replay.At(moment).Nodes {
				n += node.Executions
			}
			if n < started {
				t.Fatalf("%d executions after %d", n, started)
			}
			started = n
		}
		if started != len(d.Execs) {
			t.Fatalf("%d of %d executions have started at the end", started, len(d.Execs))
		}
	}
}

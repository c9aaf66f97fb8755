package nodestate

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
	"wf/workspace/workfile/workfiletest"
)

// newTable returns the table of a workfile of these elements, see workfiletest.Text, and its history.
func newTable(t *testing.T, elements ...string) (*Table, *history.Store) {
	t.Helper()
	path := workfiletest.Write(t, elements...)
	store, err := history.Open(history.LocalDisk{}, filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	file := workfiletest.Open(t, path, loop.New(loop.Hooks{}), history.LocalDisk{})
	return &Table{File: file, Log: slog.New(slog.DiscardHandler), Latest: map[string]Latest{}}, store
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// activeRun adds an active run of these nodes, before its first record.
func (ns *Table) activeRun(t *testing.T, number int, nodes ...string) *Run {
	t.Helper()
	r := &Run{State: runstate.State{Number: number, ID: history.RunID(number), Phase: runstate.Active,
		Request: history.Request{Run: number, Time: noon, Scope: nodes, Names: nodes, Mode: api.ModeFresh}}}
	if err := r.Reschedule(ns.File.Graph()); err != nil {
		t.Fatal(err)
	}
	r.FreezeNodes(ns.File.Graph())
	ns.Runs = append(ns.Runs, r)
	return r
}

func record(kind history.RecordType, node int) history.Record {
	return history.Record{Time: noon, Type: kind, Node: node, Execution: 1}
}

// failed are the records of a run whose first node fails.
func failed() []history.Record {
	end := record(history.RecordEnd, 0)
	end.ExitCode, end.Reason = 3, string(api.ReasonExit)
	return []history.Record{record(history.RecordBegin, history.NoNode), record(history.RecordDispatch, 0), record(history.RecordStart, 0), end}
}

func (ns *Table) states(blocked []bool) (states []api.State) {
	for _, n := range ns.File.Graph().Nodes() {
		states = append(states, ns.State(n, blocked[n.Pos()]))
	}
	return states
}

// The statuses of the workfile follow the records of a run. Nodes after a failure are blocked, also when the run is over.
func TestRefoldShowsTheStatuses(t *testing.T) {
	ns, _ := newTable(t, "a", "b", "c", "a>b")
	r := ns.activeRun(t, 4, "a", "b")
	var executed []int
	ns.Refold(r, failed(), nil, func(c runstate.Change) {
		if c.Kind == scheduler.Execute {
			executed = append(executed, c.Node)
		}
	})
	want := []api.State{api.StateFailed, api.StateBlocked, api.StateIdle}
	if got := ns.states(ns.Blocked()); !slices.Equal(got, want) || !slices.Equal(executed, []int{0}) {
		t.Errorf("states %q, executed %v; want %q", got, executed, want)
	}
	if ns.RunOf(ns.File.Graph().Node("b")) != r || ns.RunOf(ns.File.Graph().Node("c")) != nil {
		t.Error("the run covers a and b")
	}
	ns.Runs = nil
	if got := ns.states(ns.Blocked()); !slices.Equal(got, want) {
		t.Errorf("states after the run %q, want %q", got, want)
	}
	c := ns.Count(ns.Blocked())
	if c.Failed != 1 || c.Blocked != 1 || c.Idle != 1 || c.Total() != 3 {
		t.Errorf("counts %+v", c)
	}
	if s := ns.NodeStatus(ns.File.Graph().Node("a"), false); s.Run != "4" || s.Executions != 1 || s.ExitCode == nil || *s.ExitCode != 3 {
		t.Errorf("node status %+v", s)
	}
}

// A run keeps its nodes when the workfile changes: deleted nodes have no place in the workfile any more.
func TestLinkAfterAnEdit(t *testing.T) {
	ns, _ := newTable(t, "a", "b", "a>b")
	r := ns.activeRun(t, 4, "a", "b")
	r.Link(ns.File.Graph())
	if r.LiveNode(1).ID != "b" || r.LiveEdges[0] == nil || len(r.Blocking()) != 1 {
		t.Errorf("linked %v, %v", r.LiveNodes, r.LiveEdges)
	}
	other, _ := newTable(t, "a", "c", "a>c")
	r.Link(other.File.Graph())
	if r.LiveNode(0) == nil || r.LiveNode(1) != nil || r.LiveNode(7) != nil || r.LiveEdges[0] != nil || len(r.Blocking()) != 0 {
		t.Errorf("linked %v, %v after b was deleted", r.LiveNodes, r.LiveEdges)
	}
}

// The history explains statuses, newest run first: an older run does not replace what a newer one says.
func TestRestoreRuns(t *testing.T) {
	ns, store := newTable(t, "a status=fail", "b status=ran")
	for range 2 {
		hist, err := store.Create(history.Request{Scope: []string{"a", "b"}, Names: []string{"a", "b"}, Time: noon, Mode: api.ModeFresh}, []byte(workfiletest.Text("a", "b")))
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range failed() {
			rec.ID = "a"
			if err := hist.Append(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := hist.Finish(history.Result{Result: string(api.ResFailed), Ended: noon}); err != nil {
			t.Fatal(err)
		}
	}
	if n := ns.RestoreRun(store, 2); n != 1 {
		t.Errorf("run 2 explains %d statuses, want that of a", n)
	}
	if n := ns.RestoreRun(store, 1); n != 0 {
		t.Errorf("run 1 explains %d more", n)
	}
	a := ns.File.Graph().Node("a")
	if ns.LastRun(a) != 2 || ns.Record(a) == nil || ns.Record(a).Run != 2 || ns.Record(ns.File.Graph().Node("b")) != nil {
		t.Errorf("latest: %+v", ns.Latest)
	}
	if n := ns.RestoreRun(store, 9); n != 0 {
		t.Errorf("a run that is gone explains %d statuses", n)
	}
	if e, known := ns.Earlier(2); !known || !slices.Equal(e.Scope, []string{"a", "b"}) {
		t.Errorf("run 2: %+v, %v", e, known)
	}
}

// A node that no run executes is not running, whatever the file says.
func TestStatusesThatNoRunExplains(t *testing.T) {
	ns, _ := newTable(t, "a status=running", "b status=run", "c status=running")
	r := ns.activeRun(t, 4, "c")
	r.Link(ns.File.Graph())
	ns.SettleStatuses(true)
	g := ns.File.Graph()
	if n := g.Node("a"); n.Status != graph.Failed || ns.Record(n).Reason != api.ReasonLost {
		t.Errorf("a is %s, %+v", n.Status, ns.Record(n))
	}
	if s := ns.State(g.Node("b"), false); s != api.StateIdle {
		t.Errorf("b is %s", s)
	}
	if n := g.Node("c"); n.Status != graph.Running {
		t.Errorf("c is %s", n.Status)
	}
}

// The table remembers runs that are the latest of a node, and drops others when there are many.
func TestEarlierRunsAreBounded(t *testing.T) {
	ns, _ := newTable(t, "a")
	for run := 1; run <= 10*earlierLeast; run++ {
		ns.NoteRun(history.Request{Run: run, Scope: []string{"a"}}, nil)
		if run == 3 {
			ns.Latest["a"] = Latest{Run: run}
		}
	}
	if _, known := ns.Earlier(3); !known || len(ns.earlier) > earlierLeast {
		t.Errorf("run 3 known: %v; %d runs", known, len(ns.earlier))
	}
	if _, known := ns.Earlier(10 * earlierLeast); !known {
		t.Error("the newest run is not known")
	}
	ns.ForgetRun(3)
	if _, known := ns.Earlier(3); known {
		t.Error("run 3 was removed")
	}
}

// Selectors of instances are resolved against the latest run of the sub-flow.
func TestInstancePaths(t *testing.T) {
	ns, _ := newTable(t, "a", `<node id="f"><data key="node-foreach">[1, 2]</data><data key="node-status">ran</data><graph>`+workfiletest.Element("x")+"</graph></node>")
	ns.Prior = scheduler.Prior{"f": {Status: graph.Ran, Instances: 2}}
	for selector, want := range map[string][]string{"a": nil, "f[0]": {"f[0]"}, "f[*]/x": {"f[0]/x", "f[1]/x"}, "f[1]/x, f[0]": {"f[1]/x", "f[0]"}} {
		paths, subFlows, err := ns.InstancePaths([]string{selector})
		if err != nil || !slices.Equal(paths, want) || len(subFlows) != min(1, len(want)) {
			t.Errorf("%s: %q, %d sub-flows, %v", selector, paths, len(subFlows), err)
		}
	}
	for _, selector := range []string{"f[2]", "f[0]/y", "f[one]", "f[0], a"} {
		if paths, _, err := ns.InstancePaths([]string{selector}); err == nil {
			t.Errorf("%s: %q", selector, paths)
		}
	}
}

package runstate

import (
	"strings"
	"testing"
	"time"

	"wf/executor"
	"wf/graph"
	"wf/graphml"
	"wf/scheduler"
	"wf/workspace/history"
)

// start is when the runs of these tests start.
var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// chain returns the state of a run of nodes that depend on each other in this order, before its first record.
func chain(t *testing.T, nodes ...string) *State {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="l" for="node" attr.name="label" attr.type="string"/><graph edgedefault="directed">`)
	for i, n := range nodes {
		b.WriteString(`<node id="` + n + `"><data key="l">` + n + ` command</data></node>`)
		if i > 0 {
			b.WriteString(`<edge source="` + nodes[i-1] + `" target="` + n + `"/>`)
		}
	}
	b.WriteString(`</graph></graphml>`)
	_, g, _, err := graphml.Parse([]byte(b.String()), graphml.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s := &State{Number: 7, ID: "7", Phase: Active, Request: history.Request{Run: 7, Time: start, Scope: nodes, Names: nodes, All: true, Mode: "fresh"}}
	if err := s.Reschedule(g); err != nil {
		t.Fatal(err)
	}
	s.FreezeNodes(g)
	return s
}

// at returns a record of a type, some seconds after the start.
func at(seconds int, kind history.RecordType, node int) history.Record {
	return history.Record{Time: start.Add(time.Duration(seconds) * time.Second), Type: kind, Node: node, Execution: 1}
}

// ends returns the record of the end of a node's first execution.
func ends(seconds, node, code int) history.Record {
	rec := at(seconds, history.RecordEnd, node)
	if rec.OK, rec.ExitCode = code == 0, code; code != 0 {
		rec.Reason = "exit"
	}
	return rec
}

// asked applies a record and returns the executions that the scheduler asks for because of it.
func asked(s *State, rec history.Record) (ids []executor.ID) {
	if ev, decides := s.Note(rec); decides {
		s.Step(ev, func(c Change) {
			if c.Kind == scheduler.Execute {
				ids = append(ids, executor.ID{Node: c.Node, Execution: c.Execution})
			}
		})
	}
	return ids
}

func TestRecordsOfAnExecution(t *testing.T) {
	s := chain(t, "a", "b")
	if ids := asked(s, at(0, history.RecordBegin, history.NoNode)); len(ids) != 1 || ids[0] != (executor.ID{Node: 0, Execution: 1}) {
		t.Fatalf("asked for %v at the start", ids)
	}
	dispatch := at(1, history.RecordDispatch, 0)
	dispatch.Command = "a command"
	s.Apply(dispatch)
	if e := s.Nodes[0].Execution; e == nil || !e.Live || e.Started || e.Command != "a command" || s.InFlight() != 1 || s.Running() != 0 {
		t.Fatalf("after dispatch: %+v, %d in flight, %d running", e, s.InFlight(), s.Running())
	}
	started := at(2, history.RecordStart, 0)
	started.PID = 42
	s.Apply(started)
	if e := s.Nodes[0].Execution; !e.Started || e.PID != 42 || !e.StartedAt.Equal(start.Add(2*time.Second)) || s.Running() != 1 || s.Sched.Status(0) != graph.Running {
		t.Fatalf("after start: %+v, %d running", e, s.Running())
	}
	if ids := asked(s, ends(5, 0, 0)); len(ids) != 1 || ids[0].Node != 1 {
		t.Fatalf("asked for %v after the end of a", ids)
	}
	if e := s.Nodes[0].Execution; e.Live || e.PID != 0 || e.LastPID != 42 || e.Status != graph.Ran || s.InFlight()+s.Running() != 0 {
		t.Fatalf("after the end: %+v, %d in flight, %d running", e, s.InFlight(), s.Running())
	}
}

func TestFailureBlocksLaterNodes(t *testing.T) {
	s := chain(t, "a", "b")
	for _, rec := range []history.Record{at(0, history.RecordBegin, history.NoNode), at(1, history.RecordDispatch, 0), at(2, history.RecordStart, 0), ends(3, 0, 3)} {
		s.Apply(rec)
	}
	if s.Phase != Ended || s.Result != scheduler.Failed {
		t.Errorf("phase %v, result %v", s.Phase, s.Result)
	}
	if c := s.CountAll(); c.Failed != 1 || c.Blocked != 1 {
		t.Errorf("counts: %+v", c)
	}
	if cause := s.Nodes[0].Execution.Cause(); cause != "exit 3" {
		t.Errorf("cause: %q", cause)
	}
}

// A withdrawn execution leaves what was known before it, even if that is of an earlier run.
func TestWithdrawnExecutionRestoresTheEarlierOne(t *testing.T) {
	s := chain(t, "a")
	before := &Execution{Run: 6, Status: graph.Failed}
	s.Earlier = func(string) *Execution { return before }
	s.Apply(at(0, history.RecordBegin, history.NoNode))
	s.Apply(at(1, history.RecordDispatch, 0))
	s.Apply(at(2, history.RecordStop, history.NoNode))
	s.Apply(at(3, history.RecordWithdraw, 0))
	if n := s.Nodes[0]; n.Execution != nil || n.Earlier != before || s.InFlight() != 0 {
		t.Errorf("after withdrawal: %+v, %d in flight", n, s.InFlight())
	}
	if s.Phase != Ended || s.Result != scheduler.Cancelled {
		t.Errorf("phase %v, result %v", s.Phase, s.Result)
	}
}

// The journal may contain a stop behind the end, because the executor was asked first what it had started.
func TestStopBehindTheEndChangesNoPhase(t *testing.T) {
	s := chain(t, "a")
	for _, rec := range []history.Record{at(0, history.RecordBegin, history.NoNode), at(1, history.RecordDispatch, 0), ends(2, 0, 0)} {
		s.Apply(rec)
	}
	stop := at(3, history.RecordStop, history.NoNode)
	stop.Cause = "SIGINT"
	s.Apply(stop)
	if s.Phase != Ended || !s.WasStopped || s.Cause != "SIGINT" {
		t.Errorf("phase %v, stopped %v by %q", s.Phase, s.WasStopped, s.Cause)
	}
}

func TestSettingTheClockMovesTimes(t *testing.T) {
	s := chain(t, "a")
	s.Apply(at(0, history.RecordBegin, history.NoNode))
	s.Apply(at(1, history.RecordDispatch, 0))
	s.Apply(at(2, history.RecordStart, 0))
	clock := at(3600, history.RecordClock, history.NoNode)
	clock.Clocks = &history.Clocks{ByNS: int64(time.Hour)}
	s.Apply(clock)
	if got := s.Nodes[0].Execution.StartedAt; !got.Equal(start.Add(time.Hour + 2*time.Second)) {
		t.Errorf("started at %v", got)
	}
	if !s.Request.Time.Equal(start.Add(time.Hour)) {
		t.Errorf("the run started at %v", s.Request.Time)
	}
}

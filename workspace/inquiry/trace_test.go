package inquiry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wf/executor/rundir"
	"wf/workspace/history"
	"wf/workspace/tracing"
)

const tracedFile = `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="l" for="node" attr.name="label" attr.type="string"/>
<key id="n" for="node" attr.name="name" attr.type="string"/><key id="f" for="node" attr.name="foreach" attr.type="string"/>
<graph edgedefault="directed">
<node id="g"><data key="n">build</data><graph><node id="h"><graph><node id="c"><data key="n">compile</data><data key="l">make</data></node></graph></node></graph></node>
<node id="s"><data key="n">samples</data><data key="f">["x"]</data><graph><node id="i"><data key="n">al/ign</data><data key="l">true</data></node></graph></node>
</graph></graphml>`

// tracedRun makes a run with a journal, and returns its store.
func tracedRun(t *testing.T, trace *history.Trace, records ...history.Record) *history.Store {
	t.Helper()
	store, err := history.Open(history.LocalDisk{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h, err := store.Create(history.Request{Workspace: "w", Workfile: "/f/Workfile", Key: "k", Time: second(0), Mode: "fresh", Trace: trace, Outer: 2,
		Scope: []string{"c", "s", "i"}, Names: []string{"compile", "samples", "al/ign"}}, []byte(tracedFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if err := h.Append(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Finish(history.Result{Result: "failed", Started: second(0), Ended: second(60), Counts: history.Counts{OK: 2, Failed: 1}}); err != nil {
		t.Fatal(err)
	}
	return store
}

func second(n int) time.Time { return time.Unix(1000+int64(n), 0).UTC() }

// executed returns the records of an execution.
func executed(node int, id string, n, start, end int, last history.Record) []history.Record {
	last.Type, last.Time, last.Node, last.ID, last.Execution = history.RecordEnd, second(end), node, id, n
	return []history.Record{{Type: history.RecordDispatch, Time: second(start), Node: node, ID: id, Execution: n},
		{Type: history.RecordStart, Time: second(start), Node: node, ID: id, Execution: n, PID: 7, Out: rundir.Range{End: -1}}, last}
}

// outline returns a trace as text: a line for each span, below its parent.
func outline(t *testing.T, tr *tracing.Trace) string {
	t.Helper()
	var b strings.Builder
	depth := map[tracing.SpanID]int{}
	for i, s := range tr.Spans {
		d, known := depth[s.Parent]
		if i > 0 && !known {
			t.Fatalf("%s comes before its parent", s.Name)
		}
		if _, twice := depth[s.ID]; twice {
			t.Fatalf("two spans %v", s.ID)
		}
		depth[s.ID] = d + 1
		fmt.Fprintf(&b, "%s%s %d-%d", strings.Repeat("  ", d), s.Name, s.Start.Unix()-1000, s.End.Unix()-1000)
		if s.Failed {
			fmt.Fprintf(&b, " failed: %s", s.Message)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTraceOf(t *testing.T) {
	var records []history.Record
	records = append(records, executed(0, "c", 1, 1, 5, history.Record{Reason: "exit", ExitCode: 2})...)
	records = append(records, executed(0, "c", 2, 6, 9, history.Record{OK: true})...)
	records = append(records, executed(3, "samples[0]/al/ign", 1, 10, 12, history.Record{OK: true, Engine: &history.EngineJob{Executor: "slurm", ID: "9"}})...)
	records = append(records, executed(4, "samples[1]/al/ign", 1, 11, 20, history.Record{Reason: "cancelled", Signal: 15})...)
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	tr, err := TraceOf(tracedRun(t, &history.Trace{Parent: parent, State: "a=b"}, records...), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(t, tr), `run Workfile 0-60 failed: a node failed
  build 1-9
    h 1-9
      compile 1-5 failed: exit
      compile 6-9
  samples 10-20
    samples[0] 10-12
      al/ign 10-12
    samples[1] 11-20
      al/ign 11-20
`; got != want {
		t.Errorf("got\n%s", got)
	}
	if fmt.Sprintf("%x", tr.ID) != "4bf92f3577b34da6a3ce929d0e0e4736" || tr.Spans[0].Parent.String() != "00f067aa0ba902b7" || tr.State != "a=b" {
		t.Errorf("%x below %v, %s", tr.ID, tr.Spans[0].Parent, tr.State)
	}
	attributes := map[string]any{}
	for _, a := range tr.Spans[len(tr.Spans)-1].Attributes {
		attributes[a.Key] = a.Value
	}
	for key, want := range map[string]any{"wf.node": "samples[1]/al/ign", "wf.execution": int64(1), "wf.signal": "SIGTERM", "wf.reason": "cancelled",
		"cicd.pipeline.task.run.result": "cancellation", "process.pid": int64(7)} {
		if attributes[key] != want {
			t.Errorf("%s is %v, want %v", key, attributes[key], want)
		}
	}
	if _, ok := attributes["process.exit.code"]; ok {
		t.Error("a command that was killed has an exit code")
	}
	for i := range tr.Batches(3) {
		tr.Batch(i, 3)
	}
}

// TestTraceOfNothing: a run without executions is one span; without a parent it begins a trace.
func TestTraceOfNothing(t *testing.T) {
	tr, err := TraceOf(tracedRun(t, nil), 1)
	if err != nil || len(tr.Spans) != 1 || tr.Spans[0].Parent != (tracing.SpanID{}) {
		t.Errorf("%+v, %v", tr, err)
	}
	if _, err := TraceOf(history.At(t.TempDir()), 1); err == nil {
		t.Error("a trace of no run")
	}
}

package inquiry

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/watchers"
	"wf/workspace/workfile/workfiletest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// newReader returns a reader of a workfile a > b > c with one run: a has succeeded with an output, b has failed.
func newReader(t *testing.T) *Reader {
	t.Helper()
	elements := []string{"a", "b", "c", "a>b", "b>c"}
	path := workfiletest.Write(t, elements...)
	store, err := history.Open(history.LocalDisk{}, filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	nodes := []string{"a", "b", "c"}
	hist, err := store.Create(history.Request{Workfile: path, Scope: nodes, Names: nodes, All: true, Time: noon, Mode: api.ModeFresh}, []byte(workfiletest.Text(elements...)))
	if err != nil {
		t.Fatal(err)
	}
	seconds := 0
	add := func(kind history.RecordType, node int, change func(*history.Record)) {
		rec := history.Record{Time: noon.Add(time.Duration(seconds) * time.Second), Type: kind, Node: node, Execution: 1}
		if node >= 0 {
			rec.ID = nodes[node]
		}
		if change != nil {
			change(&rec)
		}
		if err := hist.Append(rec); err != nil {
			t.Fatal(err)
		}
		seconds++
	}
	add(history.RecordBegin, history.NoNode, nil)
	add(history.RecordDispatch, 0, func(r *history.Record) { r.Command = "echo a" })
	add(history.RecordStart, 0, func(r *history.Record) { r.PID = 7 })
	add(history.RecordEnd, 0, func(r *history.Record) { r.OK, r.Outputs = true, json.RawMessage(`{"n": 5}`) })
	add(history.RecordDispatch, 1, func(r *history.Record) { r.Command = "an older command" })
	add(history.RecordStart, 1, func(r *history.Record) { r.PID = 8 })
	add(history.RecordEnd, 1, func(r *history.Record) { r.ExitCode, r.Reason = 3, string(api.ReasonExit) })
	if err := hist.Finish(history.Result{Result: string(api.ResFailed), Started: noon, Ended: noon.Add(6 * time.Second), DurationMS: 6000}); err != nil {
		t.Fatal(err)
	}
	l := loop.New(loop.Hooks{})
	file := workfiletest.Open(t, path, l, history.LocalDisk{})
	table := &nodestate.Table{File: file, Log: slog.New(slog.DiscardHandler), Latest: map[string]nodestate.Latest{}}
	table.RestoreRun(store, 1)
	l.Start()
	t.Cleanup(func() { l.Post(l.End); l.Wait() })
	return New(Config{Path: path, Loop: l, File: file, Nodes: table, Store: store, Out: watchers.New(l, slog.New(slog.DiscardHandler), table.ItemOf, func(ev api.Event) api.Event { return ev })})
}

func TestEarlierRun(t *testing.T) {
	q := newReader(t)
	list, err := q.Runs(t.Context())
	if err != nil || len(list.Runs) != 1 || list.Runs[0].Run != "1" || list.Runs[0].Result != api.ResFailed {
		t.Errorf("runs %+v, %v", list.Runs, err)
	}
	for _, name := range []string{"", "1"} {
		d, err := q.Run(t.Context(), name)
		if err != nil || d.Run != "1" || len(d.Execs) != 2 || len(d.Left) != 1 || d.Left[0].ID != "c" || d.Analysis != nil {
			t.Fatalf("run %q: %+v, %v", name, d, err)
		}
		if x := d.Execs[1]; x.Name != "b" || x.ExitCode == nil || *x.ExitCode != 3 || x.DurationMS == nil || *x.DurationMS != 1000 {
			t.Errorf("the execution of b: %+v", x)
		}
	}
	for name, want := range map[string]api.Code{"2": api.CodeNotFound, "b": api.CodeInvalid, "0": api.CodeInvalid} {
		var e *api.Error
		if _, err := q.Run(t.Context(), name); !errors.As(err, &e) || e.Code != want {
			t.Errorf("run %s: %v, want %s", name, err, want)
		}
	}
}

func TestAnalysisOfAnEarlierRun(t *testing.T) {
	d, err := newReader(t).Analysis(t.Context(), "1")
	if err != nil {
		t.Fatal(err)
	}
	var path []string
	for _, s := range d.Analysis.Critical {
		path = append(path, s.Name)
	}
	if !slices.Equal(path, []string{"a", "b"}) || d.Analysis.WallMS != 6000 || d.Analysis.WorkMS != 2000 || d.Analysis.Most != 1 {
		t.Errorf("critical path %q, %+v", path, d.Analysis)
	}
	if len(d.Left) != 1 || d.Left[0].State != api.StateBlocked {
		t.Errorf("not executed: %+v", d.Left)
	}
}

func TestWhyInAnEarlierRun(t *testing.T) {
	q := newReader(t)
	for node, want := range map[string]string{"a": "It succeeded", "b": "exit code 3", "c": "b failed (exit 3)"} {
		why, err := q.Why(t.Context(), node, "1")
		if text := strings.Join(why.Text, " "); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %q, %v; want %q", node, text, err, want)
		}
	}
	var e *api.Error
	if _, err := q.Why(t.Context(), "a", "9"); !errors.As(err, &e) || e.Code != api.CodeNotFound {
		t.Errorf("of a run that is gone: %v", err)
	}
}

func TestOutputsOfAnEarlierRun(t *testing.T) {
	q := newReader(t)
	for node, want := range map[string]int{"a": 1, "b": 0} {
		out, err := q.Outputs(t.Context(), node, "1")
		if err != nil || len(out.Outputs) != want || out.Node != node || out.Run != "1" {
			t.Errorf("%s: %+v, %v", node, out, err)
		}
	}
	if _, err := q.Outputs(t.Context(), "d", "1"); err == nil {
		t.Error("d is no node of the run")
	}
}

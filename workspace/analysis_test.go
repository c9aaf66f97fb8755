package workspace

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/workspace/history"
	"wf/workspace/workfile"
)

// moments of the runs of these tests are counted from here, in milliseconds.
var dawn = time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return dawn.Add(time.Duration(ms) * time.Millisecond) }

// recordedStep is an execution of a run that only the history knows.
type recordedStep struct {
	node       string
	start, end int
	fails      bool
}

// record writes a run into the history as a daemon would have done, without executing anything. Each
// letter of the scope is a node.
func (b *testbed) record(mode string, scope string, began int, steps ...recordedStep) {
	b.t.Helper()
	id, _, err := workfile.ID(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	store, err := history.Open(history.LocalDisk{}, history.Folder(b.cfg.State, id))
	if err != nil {
		b.t.Fatal(err)
	}
	req := history.Request{Workspace: id, Workfile: b.path, Mode: mode, Time: at(began)}
	index := map[string]int{}
	for i, n := range strings.Split(scope, "") {
		req.Scope, req.Names = append(req.Scope, "id-"+n), append(req.Names, n)
		index[n] = i
	}
	run, err := store.Create(req, []byte(b.read()))
	if err != nil {
		b.t.Fatal(err)
	}
	write := func(rec history.Record) {
		if err := run.Append(rec); err != nil {
			b.t.Fatal(err)
		}
	}
	write(history.Record{Type: history.RecordBegin, Time: at(began), Node: history.NoNode})
	times := map[string]int{}
	type event struct {
		ms   int
		last bool
		step recordedStep
		n    int
	}
	var events []event
	for _, s := range steps {
		times[s.node]++
		events = slices.Concat(events, []event{{s.start, false, s, times[s.node]}, {s.end, true, s, times[s.node]}})
	}
	slices.SortStableFunc(events, func(x, y event) int {
		if x.ms == y.ms && x.last != y.last {
			if x.last {
				return -1
			}
			return 1
		}
		return x.ms - y.ms
	})
	counts, result := history.Counts{}, "succeeded"
	for _, e := range events {
		rec := history.Record{Time: at(e.ms), Node: index[e.step.node], ID: "id-" + e.step.node, Execution: e.n}
		if !e.last {
			dispatch, start := rec, rec
			dispatch.Type, dispatch.Command, start.Type, start.PID = history.RecordDispatch, "echo "+e.step.node, history.RecordStart, 7
			write(dispatch)
			write(start)
			continue
		}
		rec.Type, rec.OK, rec.UserMS = history.RecordEnd, !e.step.fails, 10
		counts.OK++
		if e.step.fails {
			rec.Reason, rec.ExitCode, result = "exit", 3, "failed"
			counts.OK, counts.Failed = counts.OK-1, counts.Failed+1
		}
		write(rec)
	}
	end := events[len(events)-1].ms
	if err := run.Finish(history.Result{Result: result, Counts: counts, Started: at(began), Ended: at(end), DurationMS: int64(end - began)}); err != nil {
		b.t.Fatal(err)
	}
}

// A diamond on one slot: c had to wait for b, though not because of an edge.
func TestAnalysisFindsTheCriticalPath(t *testing.T) {
	b := newTestbed(t, "a>b", "a>c", "b>d", "c>d")
	b.record(api.ModeFresh, "abcd", 0,
		recordedStep{"a", 100, 1100, false}, recordedStep{"b", 1100, 1600, false},
		recordedStep{"c", 1600, 3600, false}, recordedStep{"d", 3600, 4000, false})
	b.open()
	d, err := b.w.Analysis(context.Background(), "1")
	if err != nil || d.Analysis == nil {
		t.Fatalf("%+v, %v", d, err)
	}
	step := func(name string, start int, wait, took int64) api.PathStep {
		return api.PathStep{Node: "id-" + name, Name: name, Execution: 1, Started: new(at(start)), WaitMS: wait, DurationMS: took}
	}
	want := []api.PathStep{step("a", 100, 100, 1000), step("c", 1600, 500, 2000), step("d", 3600, 0, 400)}
	a := *d.Analysis
	if !reflect.DeepEqual(a.Critical, want) {
		t.Errorf("critical path %+v, want %+v", a.Critical, want)
	}
	if a.WallMS != 4000 || a.WorkMS != 3900 || a.CPUMS != 40 || a.Parallel != 0.975 || a.Most != 1 {
		t.Errorf("times %+v", a)
	}
	if len(a.Slowest) != 4 || a.Slowest[0].Name != "c" || a.Slowest[3].Name != "d" {
		t.Errorf("slowest %+v", a.Slowest)
	}
	if a.Changes != nil {
		t.Errorf("changes %+v", a.Changes)
	}
	if w := d.Execs[2].WaitMS; d.Execs[2].Name != "c" || w == nil || *w != 500 {
		t.Errorf("execution %+v", d.Execs[2])
	}
}

// In a loop the critical path contains each iteration, and the stages show the states of this run.
func TestAnalysisOfALoopThatFails(t *testing.T) {
	b := newTestbed(t, "a>b", "b~a", "b>c")
	b.record(api.ModeFresh, "abc", 0,
		recordedStep{"a", 0, 10, false}, recordedStep{"b", 10, 30, false}, recordedStep{"a", 30, 40, false},
		recordedStep{"b", 45, 100, true}, recordedStep{"c", 30, 90, false})
	b.open()
	d, err := b.w.Analysis(context.Background(), "")
	if err != nil || d.Analysis == nil {
		t.Fatalf("%+v, %v", d, err)
	}
	var path []string
	for _, s := range d.Analysis.Critical {
		path = append(path, strings.Repeat(s.Name, s.Execution))
	}
	if !slices.Equal(path, []string{"a", "b", "aa", "bb"}) {
		t.Errorf("critical path %v", path)
	}
	var states []api.Counts
	for _, s := range d.Analysis.Stages {
		states = append(states, s.Counts)
	}
	if !slices.Equal(states, []api.Counts{{OK: 1}, {Failed: 1}, {OK: 1}}) || d.Analysis.Most != 2 {
		t.Errorf("stages %+v, most %d", states, d.Analysis.Most)
	}
}

// The changes since a run concern commands and their order, not the text of the file.
func TestAnalysisListsChanges(t *testing.T) {
	b := newTestbed(t, "a>b", "b>c", "c>d", "d>e")
	b.record(api.ModeFresh, "abcde", 0, recordedStep{"a", 0, 1, false}, recordedStep{"b", 1, 2, true})
	text := workfileText("a>b", "b~c", "b>f")
	text = strings.Replace(text, "echo b<", "echo 'b'<", 1)
	text = strings.Replace(text, `<graph edgedefault="directed">`, `<graph edgedefault="directed"><!-- drawn anew -->`, 1)
	b.write(text)
	b.open()
	d, err := b.w.Analysis(context.Background(), "1")
	if err != nil || d.Analysis == nil {
		t.Fatalf("%+v, %v", d, err)
	}
	want := &api.Changes{Commands: []string{"id-b"}, Added: []string{"id-f"}, Removed: []string{"id-d", "id-e"},
		EdgesAdded: []api.EdgeChange{{Source: "id-b", Target: "id-f", Type: "blocking"}},
		EdgesRemoved: []api.EdgeChange{{Source: "id-c", Target: "id-d", Type: "blocking"},
			{Source: "id-d", Target: "id-e", Type: "blocking"}},
		EdgesRetyped: []api.EdgeChange{{Source: "id-b", Target: "id-c", Type: "non-blocking"}}}
	if !reflect.DeepEqual(d.Analysis.Changes, want) {
		t.Errorf("changes\n%+v\nwant\n%+v", d.Analysis.Changes, want)
	}
	var left []string
	for _, n := range d.Left {
		left = append(left, n.Name+" "+string(n.State))
	}
	if !slices.Equal(left, []string{"c blocked", "d blocked", "e blocked"}) {
		t.Errorf("not reached: %v", left)
	}
}

// A Look, which needs no daemon, plans a resume like a daemon, and changes nothing on disk.
func TestLookPlans(t *testing.T) {
	b := newTestbed(t, "a>b", "b>c", "d")
	look, err := LookAt(b.path, b.cfg.State)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := look.Plan(api.RunRequest{Nodes: []string{"+id-b"}})
	if err != nil || len(plan.Steps) != 2 || plan.Steps[0].Reason != api.PlanUpstream || plan.Steps[1].Reason != api.PlanSelected ||
		!slices.Equal(plan.Beyond, []string{"id-c"}) {
		t.Errorf("%+v, %v", plan, err)
	}
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, map[string]int{"b": 1})
	b.close(b.w)
	if look, err = LookAt(b.path, b.cfg.State); err != nil {
		t.Fatal(err)
	}
	plan, err = look.Plan(api.RunRequest{})
	if err != nil || plan.Mode != api.ModeResume || plan.Resumes != "1" || plan.Kept != 2 || len(plan.Steps) != 2 ||
		plan.Steps[0].Why != "failed in run 1: exit 1" || plan.Steps[1].Why != "downstream of id-b" {
		t.Errorf("%+v, %v", plan, err)
	}
}

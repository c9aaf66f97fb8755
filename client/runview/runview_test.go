package runview

import (
	"fmt"
	"testing"
	"time"

	"wf/api"
)

// startEvent and the functions below return node events of a run, at s seconds after noonOfRuns.
func startEvent(s float64, node string, execution int) api.Event {
	return api.Event{Type: api.NodeStarted, Time: atSecond(s), Run: "1", Node: node, Name: node, Execution: execution}
}

func endEvent(s float64, node string, execution int, took float64, code int) api.Event {
	ev := api.Event{Type: api.NodeFinished, Time: atSecond(s), Run: "1", Node: node, Name: node, Execution: execution,
		DurationMS: pointer(int64(took * 1000)), ExitCode: &code}
	if code != 0 {
		ev.Type, ev.Reason = api.NodeFailed, api.ReasonExit
	}
	return ev
}

func atSecond(s float64) time.Time { return afterNoon(time.Duration(s * float64(time.Second))) }

func runOf(events ...api.Event) *Run {
	b := New()
	for _, ev := range append([]api.Event{{Type: api.RunStarted, Time: noonOfRuns}}, events...) {
		b.Apply(ev)
	}
	return b
}

// noonOfRuns is the start of the runs in these tests.
var noonOfRuns = time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)

func afterNoon(d time.Duration) time.Time { return noonOfRuns.Add(d) }

func pointer[T any](n T) *T { return &n }

func outlookOf(state api.State, nodes ...string) api.RunOutlook {
	o := api.RunOutlook{Run: "1", Earlier: 1}
	for _, n := range nodes {
		o.Nodes = append(o.Nodes, api.NodeOutlook{Node: n, Name: n, State: state, ExpectedMS: pointer(int64(10000)), PathMS: 10000})
	}
	return o
}

func TestRemaining(t *testing.T) {
	b := runOf()
	if _, ok := b.Remaining(atSecond(1)); ok {
		t.Error("an estimate without an earlier run")
	}
	b.Learn(outlookOf(api.StateIdle, "a", "b", "c", "d"))
	guess := func(at float64) float64 {
		d, ok := b.Remaining(atSecond(at))
		if !ok {
			t.Fatal("no estimate")
		}
		return d.Seconds()
	}
	b.Apply(startEvent(0, "a", 1))
	if got := guess(0); got != 40 {
		t.Errorf("four of 10 s, one at a time: %v", got)
	}
	b.Apply(startEvent(0, "b", 1))
	if got := guess(4); got != 16 {
		t.Errorf("32 s of work, two at a time: %v", got)
	}
	b.Apply(endEvent(10, "a", 1, 10, 0))
	b.Apply(endEvent(10, "b", 1, 10, 1))
	b.Blocked = 1
	b.Apply(startEvent(10, "c", 1))
	if got := guess(10); got != 10 {
		t.Errorf("one runs 10 s, one is blocked: %v", got)
	}
	if d, ok := b.Remaining(atSecond(60)); ok {
		t.Errorf("it takes longer than ever, but the estimate is %v", d)
	}
	b.estimate.expected["c"] = Expectation{10 * time.Second, time.Minute}
	if got := guess(12); got != 58 {
		t.Errorf("the path from c to the end takes a minute: %v", got)
	}
	b.estimate.unknown = 5
	if _, ok := b.Remaining(atSecond(12)); ok {
		t.Error("an estimate although most of the remaining nodes are unknown")
	}
}

// TestLearn: an outlook adds what happened before the first event, and does not replace what newer events reported.
func TestLearn(t *testing.T) {
	b := runOf(startEvent(5, "b", 1), endEvent(6, "b", 1, 1, 0), startEvent(6, "c", 2))
	b.Missed = 2
	o := outlookOf(api.StateOK, "a", "b", "c", "kept", "late")
	for i := range o.Nodes[:3] {
		o.Nodes[i].Executions, o.Nodes[i].Started = 1, pointer(noonOfRuns)
	}
	o.Nodes[1].State, o.Nodes[2].State = api.StateRunning, api.StateQueued // older than the events
	o.Nodes[4] = api.NodeOutlook{Node: "late", Name: "late", State: api.StateRunning, Executions: 1, Started: pointer(noonOfRuns)}
	o.Total, o.Kept = 5, 1
	b.Learn(o)
	if n, total := b.Ended(); n != 2 || total != 4 || b.Kept != 1 {
		t.Errorf("%d of %d ended, %d kept", n, total, b.Kept)
	}
	if len(b.Running) != 2 || b.Running["late"].Name != "late" || b.Running["c"] == nil || len(b.Queued) != 0 {
		t.Errorf("running %v, queued %v", b.Running, b.Queued)
	}
}

func TestStages(t *testing.T) {
	for name, want := range map[string]string{"align_S001": "align", "split_fasta_00000003": "split_fasta", "call_S1_chr2": "call",
		"sleep~12": "sleep", "job7": "job", "multiqc": "multiqc", "42": "42", "_1": "_"} {
		if got := StageName(name, ""); got != want {
			t.Errorf("%s: stage %q, want %q", name, got, want)
		}
	}
	if got := StageName("x_1", "QC"); got != "QC" {
		t.Errorf("group: %q", got)
	}
	b := runOf(endEvent(1, "a_1", 1, 1, 0), endEvent(2, "b_1", 1, 1, 0))
	finished := b.Learn(outlookOf(api.StateIdle, "a_1", "a_2", "b_1"))
	if len(finished) != 1 || finished[0].Name != "b" {
		t.Fatalf("finished already: %+v", finished)
	}
	s := b.Apply(endEvent(9, "a_2", 1, 4, 1))
	if s == nil || s.Name != "a" || s.Failed != 1 || s.Last.Sub(s.First) != 4*time.Second {
		t.Errorf("%+v", s)
	}
	if s := b.Apply(endEvent(12, "a_2", 2, 1, 0)); s != nil {
		t.Errorf("a second execution finishes %+v again", s)
	}
}

func TestSlowest(t *testing.T) {
	b := New()
	for i, s := range []int{5, 1, 9, 7, 3, 9} {
		b.time(fmt.Sprint(i), time.Duration(s)*time.Second)
	}
	if len(b.Slowest) != 3 || b.Slowest[1].Took != 9*time.Second || b.Slowest[2] != (TimedNode{"3", 7 * time.Second}) || b.Work != 34*time.Second {
		t.Errorf("%v, %v of work", b.Slowest, b.Work)
	}
}

func TestOfInstance(t *testing.T) {
	for name, want := range map[string]bool{"a": false, "a[0]/b": true, "a[0]/b[1]/c": true, "a]/b": false, "]/": false, "a[0]": false, "a/b": false, "[0]/b": false} {
		if OfInstance(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

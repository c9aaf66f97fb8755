package progress

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
)

// story returns the events of a run of three nodes. One fails and has a name with control sequences.
func story() []api.Event {
	return []api.Event{
		{Type: api.GraphUpdated, Time: noon},
		{Type: api.RunStarted, Time: noon, Run: "42", Nodes: 3, Jobs: 2},
		{Type: api.NodeStarted, Time: noon, Run: "42", Node: "1", Name: "fetch\x1b[2J", Execution: 1, PID: 7},
		{Type: api.NodeFinished, Time: after(2 * time.Second), Run: "42", Node: "1", Name: "fetch\x1b[2J", Execution: 1, ExitCode: number(0), DurationMS: number(int64(2100))},
		{Type: api.NodeStarted, Time: after(2 * time.Second), Run: "42", Node: "2", Name: "align", Execution: 1},
		{Type: api.NodeFailed, Time: after(70 * time.Second), Run: "42", Node: "2", Name: "align", Execution: 1, ExitCode: number(2), Reason: api.ReasonExit, DurationMS: number(int64(68000))},
		{Type: api.NodeStarted, Time: after(70 * time.Second), Run: "42", Node: "2", Name: "align", Execution: 2},
		{Type: api.RunStopping, Time: after(71 * time.Second), Run: "42", Client: "c2"},
		{Type: api.NodeFailed, Time: after(72 * time.Second), Run: "42", Node: "2", Name: "align", Execution: 2, Signal: "SIGTERM", Reason: api.ReasonCancelled, DurationMS: number(int64(900))},
	}
}

// testView returns a Display that writes into memory. It has no daemon, so it must not request output.
func testView(opt Options) (v *Display, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	e := &console.Console{Stdout: stdout, Stderr: stderr, Environ: []string{"LANG=C.UTF-8"}, Dir: "/data", Color: "auto"}
	opt.Output = "none"
	return NewDisplay(e, &Target{Client: &client.Client{}, Path: "/data/Workfile"}, opt), stdout, stderr
}

func play(t *testing.T, v *Display, events []api.Event) {
	t.Helper()
	for _, ev := range events {
		if err := v.event(context.Background(), ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.flush(); err != nil {
		t.Fatal(err)
	}
}

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  Options
		want string
	}{
		{"plain", Options{Progress: "auto"}, `12:00:00 run 42 Workfile: 3 nodes, 2 jobs
12:00:02 ✓ fetch 2.1s (1/3)
12:01:10 ✗ align 1m08s exit 2 (2/3)
12:01:11 another command stops the run
12:01:12 ◌ align 0.9s cancelled execution 2 (2/3)
`},
		{"quiet", Options{Progress: "auto", Quiet: true}, `12:01:10 ✗ align 1m08s exit 2 (2/3)
12:01:12 ◌ align 0.9s cancelled execution 2 (2/3)
`},
		{"verbose", Options{Progress: "plain", Verbose: true}, `12:00:00 run 42 Workfile: 3 nodes, 2 jobs
12:00:00 ● fetch started
12:00:02 ✓ fetch 2.1s (1/3)
12:00:02 ● align started
12:01:10 ✗ align 1m08s exit 2 (2/3)
12:01:10 ● align started execution 2
12:01:11 another command stops the run
12:01:12 ◌ align 0.9s cancelled execution 2 (2/3)
`},
		{"none", Options{Progress: "none"}, ""},
		{"JSON", Options{Progress: "auto", JSON: true}, ""},
	} {
		v, stdout, stderr := testView(c.opt)
		play(t, v, story())
		if stderr.String() != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, stderr, c.want)
		}
		if !c.opt.JSON && stdout.Len() > 0 {
			t.Errorf("%s: standard output: %q", c.name, stdout)
		}
	}
}

// TestEventsAsJSON checks that every event of the run is printed unchanged, and no earlier event.
func TestEventsAsJSON(t *testing.T) {
	v, stdout, _ := testView(Options{Progress: "auto", JSON: true})
	play(t, v, story())
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if len(lines) != len(story())-1 {
		t.Fatalf("%d lines:\n%s", len(lines), stdout)
	}
	for i, line := range lines {
		var ev api.Event
		if err := json.Unmarshal([]byte(line), &ev); err != nil || ev.Type != story()[i+1].Type {
			t.Errorf("line %d: %v %s", i, err, line)
		}
	}
}

func TestHeartbeat(t *testing.T) {
	v, _, stderr := testView(Options{Progress: "plain"})
	play(t, v, story()[:5])
	stderr.Reset()
	v.heartbeat(after(62 * time.Second))
	v.flush()
	if want := "12:01:02 … still running: align 1m00s (1/3)\n"; stderr.String() != want {
		t.Errorf("%q, want %q", stderr, want)
	}
}

func TestResync(t *testing.T) {
	v, _, stderr := testView(Options{Progress: "plain"})
	play(t, v, story()[:4])
	v.resync(api.RunSummary{Run: "42", Nodes: 3, Counts: api.Counts{OK: 2, Running: 1}})
	if v.flush(); !strings.Contains(stderr.String(), "run 42 is active (2/3)") {
		t.Errorf("%q", stderr)
	}
}

func TestHeadline(t *testing.T) {
	for _, c := range []struct {
		ev   api.Event
		want string
	}{
		{api.Event{Run: "42", Result: api.Succeeded, Counts: &api.Counts{OK: 30}, DurationMS: number(int64(182000))}, "✓ run 42  30 ok  3m02s"},
		{api.Event{Run: "43", Result: api.Succeeded, Counts: &api.Counts{OK: 6, Kept: 24}}, "✓ run 43  6 ok · 24 kept"},
		{api.Event{Run: "42", Result: api.ResFailed, Counts: &api.Counts{OK: 24, Failed: 1, Blocked: 5}, DurationMS: number(int64(182000))},
			"✗ run 42 failed  24 ok · 1 failed · 5 blocked  3m02s"},
		{api.Event{Run: "42", Result: api.Cancelled, Counts: &api.Counts{OK: 19, Cancelled: 3, Idle: 8}, DurationMS: number(int64(135000))},
			"◌ run 42 cancelled  19 ok · 3 cancelled · 8 not reached  2m15s    continue: wf resume"},
	} {
		v, _, stderr := testView(Options{})
		(&summary{v, c.ev}).headline()
		if v.flush(); stderr.String() != c.want+"\n" {
			t.Errorf("%q, want %q", stderr, c.want)
		}
	}
}

func TestResultStatus(t *testing.T) {
	for _, c := range []struct {
		result api.Result
		code   *int
		want   int
	}{
		{api.Succeeded, number(0), 0}, {api.ResFailed, number(1), 1}, {api.Cancelled, number(6), 6},
		{api.Cancelled, nil, 6}, {api.Cancelled, number(124), 124}, {api.ResFailed, nil, 1},
	} {
		if got := resultStatus(c.result, c.code); got != c.want {
			t.Errorf("%s %v: %d, want %d", c.result, c.code, got, c.want)
		}
	}
}

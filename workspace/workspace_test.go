package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"wf/api"
	"wf/executor"
)

// TestMain lets the test binary become a runner, as cmd/wf does.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "runner" {
		os.Exit(cutRunner(os.Args[2], os.Args[3]))
	}
	goleak.VerifyTestMain(m)
}

func apiCode(err error) api.Code {
	var e *api.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestEventsOfARun(t *testing.T) {
	b := newTestbed(t, "a>b", "a>c", "b>d", "c>d")
	b.slots.n = 1
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, nil)
	want := []string{"run_started", "node_ready a", "node_started a", "node_finished a", "node_ready b", "node_ready c",
		"node_started b", "node_finished b", "node_started c", "node_finished c", "node_ready d",
		"node_started d", "node_finished d", "run_complete succeeded"}
	if got := v.story(); !slices.Equal(got, want) {
		t.Errorf("story\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	v.checkGapless(t)
	if text := b.read(); strings.Count(text, ">ran<") != 4 {
		t.Errorf("the file does not say that four nodes ran:\n%s", text)
	}
	if !s.closed {
		t.Error("the executor was not closed before the end of the run")
	}
}

func TestAllWatchersSeeTheSame(t *testing.T) {
	b := newTestbed(t, "a>b", "a>c", "b~d", "c~d")
	b.slots.n = 2
	b.open()
	first := b.watch()
	_, s := b.run(api.RunRequest{})
	j := b.next(s)
	second := b.watch() // in the middle of the run
	s.end(j.ID, executor.Exit{})
	b.play(first, s, map[string]int{"c": 1})
	<-second.over
	for _, v := range []*viewer{first, second} {
		v.checkGapless(t)
		v.v.Close()
		<-v.closed
	}
	late := first.events[len(first.events)-len(second.events):]
	if len(second.events) == 0 || !reflect.DeepEqual(late, second.events) {
		t.Errorf("one saw\n%+v\nthe other\n%+v", late, second.events)
	}
}

func TestFailureBlocksAndResumeContinues(t *testing.T) {
	b := newTestbed(t, "a>b", "b>c", "a>d")
	b.open()
	v := b.watch()
	acc, s := b.run(api.RunRequest{})
	b.play(v, s, map[string]int{"b": 3})
	st, err := b.w.Status(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]api.State{}
	for _, n := range st.Nodes {
		states[strings.TrimPrefix(n.ID, "id-")] = n.State
		if n.ID == "id-b" && (n.Reason != api.ReasonExit || n.ExitCode == nil || *n.ExitCode != 3) {
			t.Errorf("node b: reason %q, exit code %v", n.Reason, n.ExitCode)
		}
	}
	if states["a"] != api.StateOK || states["b"] != api.StateFailed || states["c"] != api.StateBlocked || states["d"] != api.StateOK {
		t.Errorf("states: %v", states)
	}
	again, s := b.run(api.RunRequest{})
	if again.Mode != api.ModeResume || again.Resumes != acc.Run || again.Failed != 1 {
		t.Errorf("resume: %+v", again)
	}
	var ran []string
	for range 2 {
		j := b.next(s)
		ran = append(ran, j.Command)
		s.end(j.ID, executor.Exit{})
	}
	<-v.over
	if !slices.Equal(ran, []string{"echo b", "echo c"}) {
		t.Errorf("resume ran %v", ran)
	}
	info, err := b.w.LogInfo(context.Background(), "id-a", "", 0, false) // kept: its output is that of the first run
	if err != nil || info.Run != acc.Run {
		t.Errorf("output of a kept node: %+v, %v", info, err)
	}
}

func TestRunsWithDisjointScopes(t *testing.T) {
	b := newTestbed(t, "a>b", "c>d")
	b.open()
	v := b.watch()
	first, s1 := b.run(api.RunRequest{Nodes: []string{"id-a", "id-b"}})
	j1 := b.next(s1)
	_, s2 := b.run(api.RunRequest{Nodes: []string{"id-c", "id-d"}})
	_, err := b.w.StartRun(context.Background(), "c2", api.RunRequest{Nodes: []string{"id-b"}})
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeConflict || e.Run != first.Run || len(e.Nodes) != 1 {
		t.Fatalf("overlapping run: %v", err)
	}
	b.play(v, s2, nil)
	s1.end(j1.ID, executor.Exit{})
	b.play(v, s1, nil)
}

func TestStopCancelsRunningNodes(t *testing.T) {
	b := newTestbed(t, "a>b", "c")
	b.open()
	v := b.watch()
	acc, s := b.run(api.RunRequest{})
	b.next(s)
	b.next(s)
	res, err := b.w.StopRun(context.Background(), "c2", "", api.StopRequest{})
	if err != nil || res.Run != acc.Run || res.Killed != 2 {
		t.Fatalf("stop: %+v, %v", res, err)
	}
	e := v.wait(t, "run_complete", func(e api.Event) bool { return e.Type == api.RunComplete })
	if e.Result != api.Cancelled || *e.ExitCode != 6 {
		t.Errorf("result %q, exit code %d", e.Result, *e.ExitCode)
	}
	if e.Counts.Cancelled != 2 || e.Counts.Idle != 1 || e.Counts.Blocked != 0 {
		t.Errorf("counts %+v", *e.Counts)
	}
	if e := v.wait(t, "failure", func(e api.Event) bool { return e.Type == api.NodeFailed }); e.Reason != api.ReasonCancelled {
		t.Errorf("reason %q", e.Reason)
	}
}

// waitFor waits for a condition that no event reports.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestChangeByOthersDuringARun(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	j := b.next(s)
	// Another program adds a node and a comment while a runs, and replaces the file.
	text := strings.Replace(workfileText("a>b", "b>c"), "<graph ", "<!-- by hand --><graph ", 1)
	other := filepath.Join(filepath.Dir(b.path), "other")
	if err := os.WriteFile(other, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, b.path); err != nil {
		t.Fatal(err)
	}
	v.wait(t, "reload", func(e api.Event) bool { return e.Op == "reload" })
	s.end(j.ID, executor.Exit{})
	b.play(v, s, nil)
	got := b.read()
	if !strings.Contains(got, "<!-- by hand -->") || strings.Count(got, ">ran<") != 2 || !strings.Contains(got, "echo c") {
		t.Errorf("the file after the run:\n%s", got)
	}
}

func TestSlowWatcherIsDroppedAndTheRunGoesOn(t *testing.T) {
	b := newTestbed(t, "a~a")
	b.write(strings.Replace(b.read(), `<graph edgedefault="directed">`,
		`<key id="max" for="graph" attr.name="max_activations"/><graph edgedefault="directed"><data key="max">50</data>`, 1))
	b.open()
	const queue = 8
	slow, err := b.w.watch(context.Background(), api.WatchOptions{}, queue)
	if err != nil {
		t.Fatal(err)
	}
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	for i := range 50 {
		s.end(b.next(s).ID, executor.Exit{})
		v.wait(t, "end of an execution", func(e api.Event) bool { return e.Type == api.NodeFinished && e.Execution == i+1 })
	}
	<-v.over
	v.checkGapless(t)
	frames := 0
	for range slow.Frames() {
		frames++
	}
	if frames != queue || slow.Reason() == "" {
		t.Errorf("the slow watcher got %d frames, reason %q", frames, slow.Reason())
	}
}

func TestRestartRecoversTheRun(t *testing.T) {
	b := newTestbed(t, "a>b", "b>c", "x")
	b.slots.n = 2
	b.open()
	acc, s := b.run(api.RunRequest{})
	ja, jx := b.next(s), b.next(s)
	if ja.Command != "echo a" {
		ja, jx = jx, ja
	}
	b.close(b.w) // the daemon goes away; the executor does not
	s.end(ja.ID, executor.Exit{})
	b.open()
	<-b.fake.opened
	v := b.watch()
	if j := b.next(s); j.Command != "echo b" {
		t.Fatalf("after the restart %q was started", j.Command)
	} else {
		s.end(j.ID, executor.Exit{})
	}
	s.end(jx.ID, executor.Exit{Code: 7})
	b.play(v, s, nil)
	d, err := b.w.Run(context.Background(), acc.Run)
	if err != nil || d.Result != api.ResFailed || d.Counts.OK != 3 || d.Counts.Failed != 1 || len(d.Execs) != 4 {
		t.Errorf("run after restart: %+v, %v", d.RunSummary, err)
	}
	if got := b.read(); strings.Count(got, ">ran<") != 3 || strings.Count(got, ">fail<") != 1 {
		t.Errorf("file:\n%s", got)
	}
}

// TestRestartKeepsExecutionsOfTheRun repeats a run that has failed. The daemon is replaced while one node runs and another has
// ended: what the first run left of them must not replace their executions.
func TestRestartKeepsExecutionsOfTheRun(t *testing.T) {
	b := newTestbed(t)
	b.write(controlText("", nodeText("a"), nodeText("b"), nodeText("c"), edgeText("a", "c", "exit:5")))
	b.slots.n = 2
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, map[string]int{"a": 5, "b": 5})
	_, s = b.run(api.RunRequest{Mode: api.ModeFresh})
	first, second := b.next(s), b.next(s)
	v = b.watch()
	s.end(first.ID, executor.Exit{})
	v.wait(t, "the first end", func(e api.Event) bool { return e.Type == api.NodeFinished })
	b.close(b.w)
	b.open()
	<-b.fake.opened
	v = b.watch()
	s.end(second.ID, executor.Exit{Code: 6})
	v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete })
	st, err := b.w.Status(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []int{first.ID.Node, second.ID.Node} {
		n, code := st.Nodes[id], []int{0, 6}[i]
		if n.Executions != 1 || n.Run != "2" || n.ExitCode == nil || *n.ExitCode != code {
			t.Errorf("node %+v, and not an execution with exit code %d", n, code)
		}
	}
}

func TestReopenedWorkspaceKnowsEarlierRuns(t *testing.T) {
	b := newTestbed(t, "a>b")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, map[string]int{"b": 5})
	b.close(b.w)
	b.open()
	st, err := b.w.Status(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	n := st.Nodes[1]
	if n.Executions != 1 || n.Run != "1" || n.ExitCode == nil || *n.ExitCode != 5 || st.LastRun == nil || st.LastRun.Result != api.ResFailed {
		t.Errorf("node %+v, last run %+v", n, st.LastRun)
	}
	why, err := b.w.Why(context.Background(), "id-b", "")
	if err != nil || !strings.Contains(strings.Join(why.Text, " "), "exit code 5") {
		t.Errorf("why: %+v, %v", why.Text, err)
	}
}

func TestExecutorThatCannotOpen(t *testing.T) {
	b := newTestbed(t, "a")
	b.fake.fail = errors.New("no more processes")
	b.open()
	_, err := b.w.StartRun(context.Background(), "c", api.RunRequest{})
	if err == nil || !strings.Contains(err.(*api.Error).Why, "no more processes") {
		t.Fatalf("run: %v", err)
	}
	st, err := b.w.Status(context.Background(), false)
	if err != nil || len(st.ActiveRuns) != 0 {
		t.Errorf("a run that never began is still there: %v, %v", st.ActiveRuns, err)
	}
	list, err := b.w.Runs(context.Background())
	if err != nil || len(list.Runs) != 0 {
		t.Errorf("runs: %+v, %v", list, err)
	}
}

package activerun

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/history/historytest"
	"wf/workspace/runstate"
	"wf/workspace/workfile/workfiletest"
)

// run_complete is the last event: it waits until the executor is closed and the children are stopped.
func TestRunIsCompleteWhenEverythingHasEnded(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.session.closed, b.nested.stop = make(chan struct{}), make(chan struct{})
		b.started("a")
		b.do(func() { r.Adopt(b.id("a"), Child{"other", "9"}) })
		b.ended("a", executor.Exit{})
		b.check("at the end of the last command", b.seen(""), "run_started")
		b.session.closed <- struct{}{}
		b.do(func() {})
		b.check("when the executor is closed", b.seen(""), "run_started")
		if r.Phase != runstate.Ended || len(b.runs) != 1 {
			t.Errorf("phase %d, %d runs", r.Phase, len(b.runs))
		}
		b.nested.stop <- struct{}{}
		b.do(func() {})
		b.check("when the child is stopped", b.seen(""), "run_started run_complete")
		if r.Phase != runstate.Complete || len(b.runs) != 0 {
			t.Errorf("phase %d, %d runs", r.Phase, len(b.runs))
		}
		if _, err := os.Stat(filepath.Join(r.Dir, runstate.OutputsDir)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder of outputs: %v", err)
		}
	}, "a")
}

// What later runs need is written before the end of the run. If that fails, the run is held and tries again.
func TestEndThatCannotBeRecorded(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.do(func() {
			r.ending.RecordEnd(func() (string, error) { return "the prior state", errors.New("disk full") }, func() { t.Error("done") })
		})
		b.check("held by", r.HeldBy(), "the prior state cannot be recorded: disk full")
		b.ran("a")
	}, "a")
}

func TestRunWhoseFolderIsRemoved(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		if err := os.RemoveAll(r.Dir); err != nil {
			b.t.Fatal(err)
		}
		b.ended("a", executor.Exit{})
		if m := b.last(api.RunComplete).Message; !strings.Contains(m, r.Dir+" was removed") {
			t.Errorf("message %q", m)
		}
	}, "a")
}

func TestLeftoversAreNoted(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		b.report(executor.Report{Kind: executor.Leftovers, Count: 3, Left: []executor.Leftover{{Node: "a", Execution: 1, PID: 5, Program: "sleep"}}})
		b.ended("a", executor.Exit{})
		if notes := strings.Join(b.last(api.RunComplete).Notes, " "); !strings.Contains(notes, "sleep") || !strings.Contains(notes, "a") {
			t.Errorf("notes %q", notes)
		}
		if past, err := b.host.Store.Load(r.Number); err != nil || past.Result.LeftCount != 3 || len(past.Result.Left) != 1 {
			t.Errorf("%+v, %v", past.Result, err)
		}
	}, "a")
}

// Outputs are read when the execution has ended, whether one or many have ended at once.
func TestOutputsOfCommands(t *testing.T) {
	for _, nodes := range [][]string{{"a"}, {"a", "b", "c", "d"}} {
		test(t, func(b *testbed) {
			r := b.start(api.RunRequest{})
			b.started(nodes...)
			if err := os.WriteFile(runstate.OutputFile(r.Dir, b.id("a")), []byte("n=5\n"), 0o600); err != nil {
				b.t.Fatal(err)
			}
			var ends []executor.Report
			for _, n := range nodes {
				ends = append(ends, executor.Report{Kind: executor.Ended, ID: b.id(n)})
			}
			b.session.report(ends)
			b.do(func() {})
			if v, err := json.Marshal(r.Nodes[0].Execution.Outputs); err != nil || !strings.Contains(string(v), "5") {
				t.Errorf("%d nodes: outputs %s, %v", len(nodes), v, err)
			}
			b.check("result", string(b.last(api.RunComplete).Result), string(api.Succeeded))
		}, nodes...)
	}
}

func TestInvalidOutputsAreAFailure(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		if err := os.WriteFile(runstate.OutputFile(r.Dir, b.id("a")), []byte("no equals sign\n"), 0o600); err != nil {
			b.t.Fatal(err)
		}
		b.ended("a", executor.Exit{})
		if e := b.last(api.NodeFailed); e.Reason != api.ReasonExpression || e.Message == "" {
			t.Errorf("%+v", e)
		}
	}, "a")
}

// The command of a foreach lists the items; its lines become the items of the sub-flow.
func TestItemsOfACommand(t *testing.T) {
	for text, want := range map[string]string{"one\r\ntwo\n": "x x", "": ""} {
		test(t, func(b *testbed) {
			r := b.start(api.RunRequest{})
			id := b.session.jobs[0].ID
			b.handed()
			if err := os.WriteFile(filepath.Join(r.Dir, "lines"), []byte("--"+text), 0o600); err != nil {
				b.t.Fatal(err)
			}
			b.report(executor.Report{Kind: executor.Started, ID: id, PID: 7})
			b.report(executor.Report{Kind: executor.Ended, ID: id, Out: executor.Range{File: "lines", Start: 2, End: int64(2 + len(text))}})
			b.check("jobs", b.handed(), want)
			if text != "" {
				b.check("an item", r.Nodes[len(r.Nodes)-2].Name, "f[one]/x")
			}
		}, `<node id="f"><data key="node-foreach">lines:list</data><graph>`+workfiletest.Element("x")+`</graph></node>`)
	}
}

// TestStopIsDurableBeforeTheExecutorIsClosed has a power cut when the executor is closed: its environment is gone, so the run
// must not go on after a stop, nor after the cancellation of a node.
func TestStopIsDurableBeforeTheExecutorIsClosed(t *testing.T) {
	for want, stop := range map[history.RecordType]func(b *testbed, r *Run){
		history.RecordStop: func(b *testbed, r *Run) { r.Stop(api.StopRequest{}, "c2", nil) },
		history.RecordCancel: func(b *testbed, r *Run) {
			r.StopNode(api.StopRequest{Node: "a"}, func(api.StopResult, error) {})
		},
	} {
		test(t, func(b *testbed) {
			volatile, err := historytest.NewVolatile(b.dir)
			if err != nil {
				b.t.Fatal(err)
			}
			b.close()
			b.disk = volatile
			b.open()
			r := b.start(api.RunRequest{})
			b.started("a")
			b.session.closed = make(chan struct{})
			b.do(func() { stop(b, r) })
			b.ended("a", executor.Exit{Stopped: true})
			b.crash()
			b.session.closed <- struct{}{} // Close has been called
			if err := volatile.Cut(nil); err != nil {
				b.t.Fatal(err)
			}
			durable := false
			if _, err := history.ReadLog(filepath.Join(r.Dir, "journal"), func(payload []byte) error {
				durable = durable || strings.Contains(string(payload), `"`+string(want)+`"`)
				return nil
			}); err != nil || !durable {
				b.t.Errorf("the %s is durable: %v, %v", want, durable, err)
			}
		}, "a")
	}
}

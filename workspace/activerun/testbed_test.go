package activerun

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/planning"
	"wf/workspace/runstate"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
	"wf/workspace/workfile/workfiletest"
)

// A testbed is what a run needs of a workspace: its loop, its files, and a planner. The executor, the slots, the pools and
// other runs are fakes. It lives in a bubble of synctest, so its methods return when everything they caused has happened.
type testbed struct {
	t         *testing.T
	dir, path string
	disk      history.Disk
	host      *Host
	planner   *planning.Planner
	runs      []*Run
	watcher   *watchers.Watcher
	events    []api.Event

	session *fakeSession  // of the latest run
	refuse  error         // returned by Open
	opening chan struct{} // if not nil, Open waits for it
	slots   fakeSlots
	pools   fakePools
	nested  fakeNested
	notices Notices // of this and the next daemons; nil = nobody is notified
}

// test calls f in a bubble with a testbed whose workfile consists of these elements, see workfiletest.Text.
func test(t *testing.T, f func(b *testbed), elements ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		path := workfiletest.Write(t, elements...)
		b := &testbed{t: t, dir: filepath.Dir(path), path: path, disk: history.LocalDisk{}, slots: fakeSlots{free: 100}}
		b.pools = fakePools{sizes: map[string]int{}, used: map[string]int{}, claims: map[string]bool{}}
		start, sinceBoot := time.Now(), clock.SinceBoot
		clock.SinceBoot = func() (string, time.Duration) { return "boot", time.Since(start) }
		t.Cleanup(func() { b.close(); clock.SinceBoot = sinceBoot })
		b.open()
		f(b)
	})
}

// open opens the workfile without recovering runs, and starts the loop.
func (b *testbed) open() {
	b.t.Helper()
	b.prepare()
	b.startLoop()
}

func (b *testbed) prepare() {
	b.t.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	l := loop.New(loop.Hooks{Settle: b.settle, Log: slog.New(slog.NewTextHandler(b.t.Output(), nil))})
	file := workfiletest.Open(b.t, b.path, l, b.disk)
	store, err := history.Open(b.disk, b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	nodes := &nodestate.Table{File: file, Log: log, Latest: map[string]nodestate.Latest{}}
	out := watchers.New(l, log, nodes.ItemOf, func(ev api.Event) api.Event { return ev })
	b.host = &Host{ID: "w", Path: b.path, Log: log, Loop: l, File: file, Nodes: nodes, Store: store, Out: out,
		Marks: watchers.NewMarks(out, nodes), Executor: b, Slots: &b.slots, Pools: &b.pools, Nested: &b.nested, Notices: b.notices, Found: func(*Run) {}, Answered: func(*Run, string, bool) {},
		HoldPause: time.Minute, StopPatience: time.Hour}
	retry := l.NewTimer(func() {
		for _, r := range b.runs {
			r.Retry()
		}
	})
	b.host.RetryLater = func() { retry.Reset(b.host.HoldPause) }
	b.planner = &planning.Planner{ID: "w", Path: b.path, Loop: l, File: file, Nodes: nodes, Store: store, Engines: b.Engines, Usable: func() error { return nil }}
	b.runs, b.events = nil, nil
	b.watcher = out.Watch(1000, nil, func() api.Status { return api.Status{} })
}

func (b *testbed) startLoop() {
	b.host.Loop.Start()
	synctest.Wait()
}

// settle does what a workspace does after each burst of functions.
func (b *testbed) settle() {
	for _, r := range slices.Clone(b.runs) {
		r.EnterPools()
		r.GiveBack()
		for r.Acquire() {
		}
		r.HandOver()
		r.PublishShortage()
		r.FlushJournal()
		b.host.File.Tend()
		if r.EndReady() {
			r.RecordEnd(func() (string, error) { return "", nil }, func() {
				r.Leave()
				b.runs = slices.DeleteFunc(b.runs, func(x *Run) bool { return x == r })
				r.Complete()
			})
		}
	}
	b.host.Out.Hurry()
	b.host.Out.Flush()
}

// do calls f on the loop.
func (b *testbed) do(f func()) {
	b.t.Helper()
	if !b.host.Loop.Post(f) {
		b.t.Fatal("the loop has ended")
	}
	synctest.Wait()
}

// sleep lets time pass. It synchronizes with the loop first, for the race detector.
func (b *testbed) sleep(d time.Duration) {
	b.do(func() {})
	time.Sleep(d)
	synctest.Wait()
}

// close detaches from the runs and ends the loop, as a daemon does at its end.
func (b *testbed) close() {
	b.host.Loop.Post(func() {
		for _, r := range b.runs {
			r.Detach()
		}
		b.host.Loop.End()
	})
	b.host.Loop.Wait()
}

// crash ends the loop after a panic. Records that were not flushed are lost.
func (b *testbed) crash() {
	b.do(func() {
		for _, r := range b.runs {
			r.Abandon()
		}
		b.runs = nil
		b.host.Loop.End()
	})
}

// recover opens the workfile again and recovers run n.
func (b *testbed) recover(n int) *Run {
	b.t.Helper()
	b.slots = fakeSlots{free: 100}
	b.prepare()
	r, err := Recover(b.host, n)
	if err != nil {
		b.t.Fatal(err)
	}
	b.runs = []*Run{r}
	return r
}

// restart lets the next daemon continue run n.
func (b *testbed) restart(n int) *Run {
	b.t.Helper()
	b.close()
	return b.restartClosed(n)
}

// restartClosed is restart after close.
func (b *testbed) restartClosed(n int) *Run {
	b.t.Helper()
	r := b.recover(n)
	r.Follow()
	b.startLoop()
	return r
}

// start starts a run.
func (b *testbed) start(req api.RunRequest) *Run {
	b.t.Helper()
	req.Env = []string{"PATH=/bin"}
	req, err := b.planner.Complete(b.t.Context(), req)
	if err != nil {
		b.t.Fatal(err)
	}
	d, err := loop.Ask(b.t.Context(), b.host.Loop, func() (*planning.Draft, error) {
		d, _, err := b.planner.Draft("c1", req)
		return d, err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	hist, err := b.host.Store.Create(d.Request, []byte(workfileOf(b.host.File)))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(hist.Dir(), runstate.OutputsDir), 0o700); err != nil {
		b.t.Fatal(err)
	}
	r := New(b.host, d.Run, func(err error) {
		if err != nil {
			b.t.Error(err)
		}
	})
	sess, err := r.OpenExecutor(hist.Dir(), hist.Number(), req.Env)
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(func() {
		b.runs, b.host.Nodes.Runs = append(b.runs, r), append(b.host.Nodes.Runs, r.Run)
		r.Launch(hist, sess)
	})
	return r
}

func workfileOf(f *workfile.File) (text []byte) {
	for _, piece := range f.Document().Render() {
		text = append(text, piece...)
	}
	return text
}

// id returns the latest execution of a node of the latest run that was handed over.
func (b *testbed) id(node string) executor.ID {
	b.t.Helper()
	for _, j := range slices.Backward(b.session.jobs) {
		if j.Command == "echo "+node {
			return j.ID
		}
	}
	b.t.Fatalf("%s was not handed over", node)
	return executor.ID{}
}

// started reports that executions have started.
func (b *testbed) started(nodes ...string) {
	b.t.Helper()
	for _, n := range nodes {
		id := b.id(n)
		b.report(executor.Report{Kind: executor.Started, ID: id, PID: 1000 + id.Node})
	}
}

// ended reports that an execution has ended.
func (b *testbed) ended(node string, exit executor.Exit) {
	b.t.Helper()
	b.report(executor.Report{Kind: executor.Ended, ID: b.id(node), Exit: exit})
}

// ran reports that executions have started and succeeded.
func (b *testbed) ran(nodes ...string) {
	b.t.Helper()
	for _, n := range nodes {
		b.started(n)
		b.ended(n, executor.Exit{})
	}
}

func (b *testbed) report(rep executor.Report) {
	rep.Time = time.Now()
	b.session.report([]executor.Report{rep})
	synctest.Wait()
}

// handed returns the commands that were handed over since the last call, in order; those that wait for others in brackets.
func (b *testbed) handed() string {
	var names []string
	for _, j := range b.session.jobs[b.session.seen:] {
		name := strings.TrimPrefix(j.Command, "echo ")
		if len(j.After) > 0 {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	b.session.seen = len(b.session.jobs)
	return strings.Join(names, " ")
}

// check compares two texts.
func (b *testbed) check(what, got, want string) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// seen returns the types of the events of a node ("" is the run), in order.
func (b *testbed) seen(node string) string {
	for {
		select {
		case data := <-b.watcher.Frames():
			var f api.Frame
			if err := json.Unmarshal(data, &f); err != nil {
				b.t.Fatal(err)
			}
			b.events = append(b.events, f.Events...)
			continue
		default:
		}
		break
	}
	var types []string
	for _, e := range b.events {
		if e.Node == node && e.Type != api.GraphUpdated {
			types = append(types, string(e.Type))
		}
	}
	return strings.Join(types, " ")
}

// last returns the latest event of a type.
func (b *testbed) last(kind api.EventType) api.Event {
	b.t.Helper()
	b.seen("")
	for _, e := range slices.Backward(b.events) {
		if e.Type == kind {
			return e
		}
	}
	b.t.Fatalf("no event %s", kind)
	return api.Event{}
}

// stateOf describes everything of a run that follows from its journal.
func stateOf(r *Run) string {
	var text strings.Builder
	fmt.Fprintf(&text, "phase %d, result %d, cause %q, %d in flight, %d running, next tick %d, counts %+v\n",
		r.Phase, r.Result, r.Cause, r.InFlight(), r.Running(), r.Sched.NextTick(), r.CountAll())
	for i := range r.Nodes {
		n := &r.Nodes[i]
		fmt.Fprintf(&text, "%s %s %s since %v", n.Name, r.Sched.Status(i), r.StateIn(i, false), r.Since[i])
		if e := n.Execution; e != nil {
			fmt.Fprintf(&text, ": %d of run %d, %s, live %v, started %v, %v to %v, %s %q, exit %d, outputs %v", e.Number, e.Run, e.Status, e.Live,
				e.Started, e.StartedAt, e.EndedAt, e.Reason, e.Message, e.ExitCode, e.Outputs)
		}
		text.WriteString("\n")
	}
	var queue []string
	for _, id := range r.dispatcher.queue[r.dispatcher.head:] {
		if r.Sched.Wants(id.Node, id.Execution) {
			queue = append(queue, fmt.Sprint(id))
		}
	}
	slices.Sort(queue)
	fmt.Fprintf(&text, "queue %v\n", queue)
	return text.String()
}

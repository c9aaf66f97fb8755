package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
)

// torture makes the crash tests cut at every byte, which takes many minutes. Without it they cut
// at the ends and in the middle of lines, and with -short at some of these.
var torture = flag.Bool("torture", false, "cut journals at every byte")

// crashNodes is how many nodes the run has that is cut, one letter each.
const crashNodes = 50

// crashLetters are their names.
const crashLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// crashEdges is a graph of crashNodes nodes with joins, failures in the middle, and a loop at the
// end: all of it ends the same way in whatever order things happen.
func crashEdges() []string {
	var edges []string
	edge := func(from int, kind string, to int) {
		edges = append(edges, crashLetters[from:from+1]+kind+crashLetters[to:to+1])
	}
	const body = crashNodes - 2
	for i := range body {
		if i < 3 {
			edges = append(edges, crashLetters[i:i+1])
			continue
		}
		edge(i-3, ">", i)
		if i%5 == 0 {
			edge(i-2, ">", i)
		}
	}
	edge(0, ">", body)
	edge(body, ">", body+1)
	edge(body+1, "~", body)
	return edges
}

// crashCode is the exit code of an execution. X fails the third time, which ends its loop with W.
func crashCode(j executor.Job) int {
	label := strings.TrimPrefix(j.Command, "echo ")
	if label == "D" || label == "R" || label == "X" && j.ID.Execution == 3 {
		return int(label[0])
	}
	return 0
}

// recorder is an executor with a log that survives crashes. It ends every job at once, repeats its log to every daemon
// that opens it, and ignores jobs that it has already had, as a runner does.
type recorder struct {
	mu      sync.Mutex
	known   map[executor.ID]bool
	record  []executor.Report
	report  func([]executor.Report)
	waiting []executor.Report
	gates   gates
	closed  bool
	opened  map[string]bool // folders of runs, without their path
	changed chan struct{}   // capacity 1: there is something to tell
	gone    chan struct{}   // closed by Close and Detach
	reports sync.WaitGroup
	ends    func(executor.Job) (code int, outputs string) // nil: crashCode, and nothing is left
	jobs    []executor.Job                                // that were executed
	synced  func() int                                    // returns how many bytes of the journal are on the disk; nil if the test does not use it
	handed  map[executor.ID]int                           // the result of synced when a job was executed
}

func newRecorder(record []executor.Report) *recorder {
	x := &recorder{handed: map[executor.ID]int{}, known: map[executor.ID]bool{}, opened: map[string]bool{}, record: record, changed: make(chan struct{}, 1), gone: make(chan struct{})}
	for _, r := range record {
		x.known[r.ID] = true
		if r.Kind == executor.Ended {
			x.gates.over(r.ID, r.Exit)
		}
	}
	return x
}

func (x *recorder) Open(_ context.Context, spec executor.Spec) (executor.Session, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.report, x.opened[filepath.Base(spec.Dir)] = spec.Report, true
	x.waiting = append(slices.Clone(x.record), executor.Report{Kind: executor.CaughtUp, Time: time.Now()})
	x.reports.Go(x.tell)
	x.wake()
	return x, nil
}

// tell reports everything that is there, together, as what has arrived at a socket is.
func (x *recorder) tell() {
	for {
		select {
		case <-x.changed:
		case <-x.gone:
			return
		}
		x.mu.Lock()
		list := x.waiting
		x.waiting = nil
		x.mu.Unlock()
		if len(list) > 0 {
			x.report(list)
		}
	}
}

func (x *recorder) wake() {
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

func (x *recorder) Start(jobs []executor.Job) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, j := range jobs {
		if x.gates.release(j) || !x.known[j.ID] {
			x.known[j.ID] = true
			for ready := x.gates.admit(j); len(ready) > 0; {
				ready = append(ready[1:], x.execute(ready[0])...)
			}
		}
	}
	x.wake()
	return nil
}

// execute begins and ends a job, and returns those that can start now.
func (x *recorder) execute(j executor.Job) (next []executor.Job) {
	exit := executor.Exit{Code: crashCode(j)}
	if x.ends != nil {
		exit.Code = x.leave(j)
	}
	begin := executor.Report{Kind: executor.Started, ID: j.ID, Time: time.Now(), PID: 1000 + j.ID.Node,
		Out: executor.Range{File: "out/x", End: -1}, Err: executor.Range{File: "out/y", End: -1}}
	end := executor.Report{Kind: executor.Ended, ID: j.ID, Time: time.Now(), Exit: exit,
		Out: executor.Range{File: "out/x"}, Err: executor.Range{File: "out/y"}}
	x.record = append(x.record, begin, end)
	x.waiting = append(x.waiting, begin, end)
	return x.gates.over(j.ID, exit)
}

// leave writes what a job leaves in the file that its environment names, and returns its exit code.
func (x *recorder) leave(j executor.Job) int {
	code, outputs := x.ends(j)
	if x.synced != nil {
		x.handed[j.ID] = x.synced()
	}
	x.jobs = append(x.jobs, j)
	for _, v := range j.Env {
		if path, ok := strings.CutPrefix(v, "WF_OUTPUT="); ok && outputs != "" {
			if err := os.WriteFile(path, []byte(outputs), 0o600); err != nil {
				panic(err)
			}
		}
	}
	return code
}

func (x *recorder) Gates() bool { return !x.gates.none }

func (x *recorder) SetWidth(int) {}

// Stop gives back what has not begun.
func (x *recorder) Stop(ids []executor.ID, _ time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		if x.gates.drop(id) {
			end := executor.Report{Kind: executor.Ended, ID: id, Time: time.Now(), Exit: executor.Exit{Stopped: true}}
			x.record, x.waiting = append(x.record, end), append(x.waiting, end)
		}
	}
	x.wake()
}

func (x *recorder) Close(context.Context) ([]int, error) {
	x.Detach()
	return nil, nil
}

func (x *recorder) Retry() {}

func (x *recorder) Detach() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.closed {
		x.closed = true
		close(x.gone)
	}
}

// outcome is what a run leaves behind, as far as it must not depend on crashes.
type outcome struct {
	result   api.Result
	counts   api.Counts
	statuses map[string]string // in the workfile
	codes    map[string]string // exit code of each execution
}

func (o outcome) String() string {
	return fmt.Sprintf("%q %+v\n%v\n%v", o.result, o.counts, o.statuses, o.codes)
}

// A crashed is a run whose journal is cut again and again.
type crashed struct {
	*testbed
	text    string // of the workfile when the run began
	journal []byte // uncut
	folder  string // of the run
	record  []executor.Report
	want    outcome
	name    string // of the crash at hand, for messages

	flow   bool                   // its run has a control flow of its own
	files  map[executor.ID]string // what its commands leave
	synced map[executor.ID]int    // how much of the journal was on the disk when they were executed
}

// newCrashed runs the run once without a crash.
func newCrashed(t *testing.T) *crashed {
	c := &crashed{testbed: newTestbed(t, crashEdges()...)}
	c.text = c.read()
	x := newRecorder(nil)
	c.cfg.Executor, c.slots.n = x, 4
	c.open()
	if _, err := c.w.StartRun(context.Background(), "c1", api.RunRequest{Env: []string{}}); err != nil {
		t.Fatal(err)
	}
	c.want = c.outcome()
	c.close(c.w)
	x.reports.Wait()
	c.record = x.record
	c.folder = filepath.Join(c.cfg.State, "workspaces", c.w.id, "runs", "1")
	var err error
	// The executor of these tests keeps its record in memory; a real one leaves it here.
	if err := os.WriteFile(filepath.Join(c.folder, "record"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c.journal, err = os.ReadFile(filepath.Join(c.folder, "journal")); err != nil {
		t.Fatal(err)
	}
	if n := len(c.want.statuses); n != crashNodes || c.want.counts.OK != 38 || c.want.counts.Failed != 2 || c.want.counts.Blocked != 10 {
		t.Fatalf("the run is not what it was made to be: %v", c.want)
	}
	return c
}

// outcome waits for the end of the only run and says how it ended.
func (c *crashed) outcome() outcome {
	c.t.Helper()
	v := c.watch()
	<-v.news
	if len(v.snap.Status.ActiveRuns) > 0 && c.flow {
		c.awaitFlow(v)
	} else if len(v.snap.Status.ActiveRuns) > 0 {
		select {
		case <-v.over:
		case <-time.After(patience):
			c.stuck()
		}
	}
	v.v.Close()
	<-v.closed
	d, err := c.w.Run(context.Background(), "")
	if err != nil {
		c.t.Fatal(err)
	}
	o := outcome{result: d.Result, counts: d.Counts, statuses: map[string]string{}, codes: map[string]string{}}
	for _, n := range parsed(c.t, c.path).Nodes() {
		o.statuses[n.ID] = n.Status.String()
	}
	for _, e := range d.Execs {
		code := "none"
		if e.ExitCode != nil {
			code = fmt.Sprint(*e.ExitCode)
		}
		key := fmt.Sprintf("%s/%d", e.Node, e.Execution)
		if o.codes[key] != "" {
			c.t.Errorf("%s is twice in the history", key)
		}
		o.codes[key] = code
	}
	return o
}

// stuck fails the test, because the run does not end, with all that may tell why.
func (c *crashed) stuck() {
	c.t.Helper()
	st, err := c.w.Status(context.Background(), false)
	for _, file := range []string{"journal", "record", "runner.log"} {
		text, _ := os.ReadFile(filepath.Join(c.folder, file))
		c.t.Logf("%s:\n%s", file, bytes.Trim(text, "\x00"))
	}
	c.t.Fatalf("%s, the run does not end: %+v, %v", c.name, st, err)
}

// cuts are the lengths at which the journal is cut. The whole of it is not among them: its last
// record is written when the workfile has been saved.
func (c *crashed) cuts() []int {
	var cuts []int
	if *torture {
		for i := range c.journal {
			cuts = append(cuts, i)
		}
		return cuts
	}
	at, step := 0, 1
	if c.flow {
		step = 5 // it waits for real moments
	}
	if testing.Short() {
		step = 9
	}
	for i, line := range slices.Collect(bytes.Lines(c.journal)) {
		if i%step == 0 {
			cuts = append(cuts, at, at+len(line)/2)
		}
		at += len(line)
	}
	return cuts
}

// crash makes the disk as it is after a crash that left cut bytes of the journal, opens the
// workspace with an executor that has this record, and returns how the run ends.
func (c *crashed) crash(cut int, record []executor.Report) outcome {
	c.t.Helper()
	c.name = fmt.Sprintf("cut at byte %d", cut)
	c.write(c.text)
	if err := os.Remove(filepath.Join(c.folder, "result.json")); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.folder, "journal"), c.journal[:cut], 0o600); err != nil {
		c.t.Fatal(err)
	}
	x := newRecorder(slices.Clone(record))
	if c.restoreOutputs(record); c.flow {
		x.ends = flowResult
	}
	c.cfg.Executor = x
	w, err := Open(c.path, c.cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	c.w = w
	o := c.outcome()
	c.close(w)
	x.Detach()
	x.reports.Wait()
	return o
}

// written returns the executions that the first cut bytes of the journal tell of, by their latest
// record there.
func (c *crashed) written(cut int) map[executor.ID]history.RecordType {
	c.t.Helper()
	const sum = 9 // the checksum and a space
	latest := map[executor.ID]history.RecordType{}
	for line := range bytes.Lines(c.journal[:cut]) {
		if line[len(line)-1] != '\n' {
			break
		}
		var rec history.Record
		if err := json.Unmarshal(line[sum:], &rec); err != nil {
			c.t.Fatal(err)
		}
		latest[executor.ID{Node: rec.Node, Execution: rec.Execution}] = rec.Type
	}
	return latest
}

// recorded returns what the record tells of the executions that keep says true of.
func (c *crashed) recorded(keep func(executor.ID) bool) []executor.Report {
	return slices.DeleteFunc(slices.Clone(c.record), func(r executor.Report) bool { return !keep(r.ID) })
}

func (c *crashed) check(cut int, got outcome) {
	c.t.Helper()
	if got.result != c.want.result || got.counts != c.want.counts || !maps.Equal(got.statuses, c.want.statuses) || !maps.Equal(got.codes, c.want.codes) {
		c.t.Fatalf("cut at byte %d of %d:\n%v\nwithout a crash:\n%v", cut, len(c.journal), got, c.want)
	}
}

// TestCrashOfTheDaemon: the executor has all dispatched jobs and ends them meanwhile.
func TestCrashOfTheDaemon(t *testing.T) {
	c := newCrashed(t)
	for _, cut := range c.cuts() {
		written := c.written(cut)
		got := c.crash(cut, c.recorded(func(id executor.ID) bool { return written[id] != "" }))
		c.check(cut, got)
	}
}

// TestCrashBeforeTheHandOver: dispatched jobs that were not reported as started have not reached the executor.
func TestCrashBeforeTheHandOver(t *testing.T) {
	c := newCrashed(t)
	for _, cut := range c.cuts() {
		written := c.written(cut)
		got := c.crash(cut, c.recorded(func(id executor.ID) bool {
			return written[id] == history.RecordStart || written[id] == history.RecordEnd
		}))
		c.check(cut, got)
	}
}

// TestCrashOfTheMachine: the journal was not on the disk yet, but the complete runner log was. The runner repeats its
// reports in the same order.
func TestCrashOfTheMachine(t *testing.T) {
	c := newCrashed(t)
	for _, cut := range c.cuts() {
		c.check(cut, c.crash(cut, c.record))
	}
}

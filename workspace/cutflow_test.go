package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
)

// flowBody returns a workfile with every feature of control flow: waits, retries, an approval, conditions, a list of
// items with handled and unhandled failures, an until loop, a pool.
func flowBody() []string {
	items := make([]string, 12)
	for i := range items {
		items[i] = fmt.Sprint(i)
	}
	return []string{
		nodeText("start", "name=start", "wait=1ms"),
		nodeText("flaky", "name=flaky", "retries=3", "retry_delay=1ms"),
		nodeText("ask", "name=ask", "approve=Go on with ${{ nodes.start.outputs.v }}?"),
		nodeText("choose", "name=choose"), nodeText("left", "name=left"), nodeText("right", "name=right"), nodeText("behind", "name=behind"),
		nodeText("breaks", "name=breaks"), nodeText("mend", "name=mend"),
		`<node id="id-each"><data key="name">each</data><data key="foreach">[` + strings.Join(items, ",") + `]</data>` +
			`<data key="parallel">3</data><data key="on_failure">continue</data><graph>`,
		nodeText("item", "name=item"), nodeText("saved", "name=saved"), nodeText("use", "name=use", "pool=db:1"),
		edgeText("item", "saved", "failure"), edgeText("item", "use", "success"), `</graph></node>`,
		`<node id="id-loop"><data key="name">loop</data><data key="until">nodes.turn.outputs.n == "3"</data><graph>`,
		nodeText("turn", "name=turn"), nodeText("sign", "name=sign", "approve=Turn ${{ iteration }}?"),
		edgeText("turn", "sign", "success"), `</graph></node>`,
		nodeText("end", "name=end", "join=any"),
		edgeText("start", "flaky", "success"), edgeText("start", "ask", "success"), edgeText("ask", "choose", "success"),
		edgeText("choose", "left", "case:left"), edgeText("choose", "right", "else"), edgeText("right", "behind", "success"),
		edgeText("flaky", "each", "success"), edgeText("start", "loop", "success"), edgeText("ask", "breaks", "success"),
		edgeText("breaks", "mend", "exit:7"), edgeText("behind", "end", "success"), edgeText("left", "end", "success"),
	}
}

// flowResult is how an execution of flowBody ends, and what it leaves.
func flowResult(j executor.Job) (code int, outputs string) {
	name := strings.TrimPrefix(j.Command, "echo ")
	vars := map[string]string{}
	for _, v := range j.Env {
		key, value, _ := strings.Cut(v, "=")
		vars[key] = value
	}
	switch {
	case name == "start":
		return 0, "v=7\n"
	case name == "flaky" && j.ID.Execution < 3:
		return 3, ""
	case name == "choose":
		return 0, "case=left\n"
	case name == "breaks":
		return 7, ""
	case name == "item" && vars["WF_ITEM"] == "5":
		return 1, ""
	case name == "use" && vars["WF_ITEM"] == "8":
		return 2, ""
	case name == "item":
		return 0, "text<<END\n" + vars["WF_ITEM"] + "\nEND\n"
	case name == "turn":
		return 0, "n=" + vars["WF_ITERATION"] + "\n"
	}
	return 0, ""
}

// newCutFlow runs flowBody once without a crash.
func newCutFlow(t *testing.T) *crashed {
	c := &crashed{testbed: newTestbed(t), flow: true, files: map[executor.ID]string{}}
	c.cfg.Pools = newFakePools()
	c.write(controlText("", flowBody()...))
	c.text = c.read()
	x := newRecorder(nil)
	x.ends = flowResult
	disk := &syncing{Disk: c.cfg.Disk}
	x.synced = func() int { return int(disk.bytes.Load()) }
	c.cfg.Executor, c.cfg.Disk, c.slots.n = x, disk, 4
	c.open()
	if _, err := c.w.StartRun(context.Background(), "c1", api.RunRequest{Env: []string{}}); err != nil {
		t.Fatal(err)
	}
	c.want = c.outcome()
	c.close(c.w)
	x.reports.Wait()
	c.record, c.synced, c.cfg.Disk = x.record, x.handed, nil
	c.folder = filepath.Join(c.cfg.State, "workspaces", c.w.id, "runs", "1")
	for _, j := range x.jobs {
		if _, outputs := flowResult(j); outputs != "" {
			c.files[j.ID] = outputs
		}
	}
	if err := os.WriteFile(filepath.Join(c.folder, "record"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.journal, err = os.ReadFile(filepath.Join(c.folder, "journal")); err != nil {
		t.Fatal(err)
	}
	if c.want.result != api.ResFailed || len(c.want.codes) != 42 {
		t.Fatalf("the run is not what it was made to be, with %d executions: %v", len(c.want.codes), c.want)
	}
	return c
}

// agree approves all nodes that wait for a person.
func (c *crashed) agree() {
	list, err := c.w.Approvals(context.Background())
	if err != nil {
		return // it has closed
	}
	for _, a := range list.Approvals {
		if _, err := c.w.Decide(context.Background(), "c1", api.Decision{Node: a.Node, Approved: true, User: "u"}); err != nil && apiCode(err) != api.CodeNotFound {
			c.t.Errorf("%s: %v", a.Node, err)
		}
	}
}

// restoreOutputs restores the output files that existed when the daemon died.
func (c *crashed) restoreOutputs(record []executor.Report) {
	c.t.Helper()
	if !c.flow {
		return
	}
	for _, path := range []string{filepath.Join(c.folder, runstate.OutputsDir), filepath.Join(c.folder, "..", "..", runstate.PriorFile)} {
		if err := os.RemoveAll(path); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := makeOutputs(c.folder); err != nil {
		c.t.Fatal(err)
	}
	r := activerun.Run{Run: &nodestate.Run{State: runstate.State{Dir: c.folder}}}
	for id, text := range c.files {
		if !slices.ContainsFunc(record, func(r executor.Report) bool { return r.ID == id }) {
			continue
		}
		if err := os.WriteFile(runstate.OutputFile(r.Dir, id), []byte(text), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
	c.cfg.Pools = newFakePools()
}

// TestCrashInControlFlow: the daemon dies; the executor has all dispatched jobs and ends them meanwhile. The next daemon
// reads the outputs of the commands, and open approvals are still open.
func TestCrashInControlFlow(t *testing.T) {
	c := newCutFlow(t)
	for _, cut := range c.cuts() {
		written := c.written(cut)
		c.check(cut, c.crash(cut, c.recorded(func(id executor.ID) bool { return written[id] != "" })))
	}
}

// TestCrashInControlFlowBeforeTheHandOver: dispatched jobs that were not reported as started have not reached the executor.
func TestCrashInControlFlowBeforeTheHandOver(t *testing.T) {
	c := newCutFlow(t)
	for _, cut := range c.cuts() {
		written := c.written(cut)
		c.check(cut, c.crash(cut, c.recorded(func(id executor.ID) bool {
			return written[id] == history.RecordStart || written[id] == history.RecordEnd
		})))
	}
}

// TestCrashOfTheMachineInControlFlow: the disk has the synced part of the journal, and the complete runner log.
func TestCrashOfTheMachineInControlFlow(t *testing.T) {
	c := newCutFlow(t)
	for _, cut := range c.cuts() {
		n := slices.IndexFunc(c.record, func(r executor.Report) bool { return c.synced[r.ID] > cut })
		if n < 0 {
			n = len(c.record)
		}
		c.check(cut, c.crash(cut, c.record[:n]))
	}
}

// syncing notes how much of journals was synced.
type syncing struct {
	history.Disk
	bytes atomic.Int64
}

func (d *syncing) Open(path string, flag int) (history.File, error) {
	f, err := d.Disk.Open(path, flag)
	if err == nil && filepath.Base(path) == "journal" {
		f = &syncedFile{f, d}
	}
	return f, err
}

type syncedFile struct {
	history.File
	d *syncing
}

func (f *syncedFile) Sync() error {
	if err := f.File.Sync(); err != nil {
		return err
	}
	info, err := f.File.Stat()
	if err != nil {
		return err
	}
	data := make([]byte, info.Size())
	if _, err := f.File.ReadAt(data, 0); err != nil && err != io.EOF {
		return err
	}
	f.d.bytes.Store(int64(len(bytes.TrimRight(data, "\x00"))))
	return nil
}

// awaitFlow waits for the end of a run in which people are asked.
func (c *crashed) awaitFlow(v *viewer) {
	c.t.Helper()
	late := time.After(patience)
	for {
		c.agree()
		select {
		case <-v.over:
			return
		case <-v.news:
		case <-late:
			c.stuck()
		}
	}
}

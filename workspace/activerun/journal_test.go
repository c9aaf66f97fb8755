package activerun

import (
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/history/historytest"
	"wf/workspace/workfile/workfiletest"
)

// slowDisk is a disk whose syncs of journals wait for the test.
type slowDisk struct {
	history.Disk
	slow, full atomic.Bool // full: no new segments either
	result     chan error  // for each sync
}

func (d *slowDisk) Open(path string, flag int) (history.File, error) {
	f, err := d.Disk.Open(path, flag)
	if err == nil && filepath.Base(path) == "journal" {
		f = &slowFile{f, d}
	}
	return f, err
}

func (d *slowDisk) Rename(from, to string) error {
	if d.full.Load() {
		return errors.New("no space for a segment")
	}
	return d.Disk.Rename(from, to)
}

type slowFile struct {
	history.File
	disk *slowDisk
}

func (f *slowFile) Sync() error {
	if f.disk.slow.Load() {
		if err := <-f.disk.result; err != nil {
			return err
		}
	}
	return f.File.Sync()
}

// slowDown makes syncs of journals wait from now on.
func (b *testbed) slowDown() *slowDisk {
	d := &slowDisk{Disk: b.disk, result: make(chan error)}
	b.disk = d
	b.close()
	b.open()
	return d
}

// decide approves a node. The answer is sent when the decision is durable.
func (b *testbed) decide(r *Run, node string) <-chan error {
	b.t.Helper()
	answer := make(chan error, 1)
	b.do(func() {
		i, _ := r.Sched.Index(node)
		if err := r.Decide(i, "c1", api.Decision{Node: node, Approved: true, User: "u"}); err != nil {
			b.t.Error(err)
		}
		r.KeepDecision(api.Approval{}, func(_ api.Approval, err error) { answer <- err })
	})
	return answer
}

// A decision shows at once. It is answered, and its job is handed over, when it is durable; without it the journal could
// contain the job of an approval that nobody gave.
func TestDecisionIsFollowedWhenItIsDurable(t *testing.T) {
	for name, fault := range map[string]error{"slow disk": nil, "failing sync": syscall.EIO} {
		t.Run(name, func(t *testing.T) {
			test(t, func(b *testbed) {
				disk := b.slowDown()
				r := b.start(api.RunRequest{})
				disk.slow.Store(true)
				answer := b.decide(r, "ask")
				b.check("events", b.seen("ask"), "node_ready node_waiting node_decided")
				b.check("jobs before it is durable", b.handed(), "")
				if len(answer) > 0 {
					t.Error("answered before it is durable")
				}
				disk.slow.Store(false)
				disk.result <- fault
				if err := <-answer; err != nil {
					t.Error(err)
				}
				b.do(func() {})
				b.check("jobs", b.handed(), "ask")
			}, "ask approve=sure?")
		})
	}
}

func TestDecisionThatCannotBeKeptIsNotConfirmed(t *testing.T) {
	test(t, func(b *testbed) {
		disk := b.slowDown()
		r := b.start(api.RunRequest{})
		disk.slow.Store(true)
		disk.full.Store(true)
		answer := b.decide(r, "ask")
		disk.result <- syscall.EIO
		var refused *api.Error
		if err := <-answer; !errors.As(err, &refused) || refused.Code != api.CodeInternal {
			t.Errorf("answered %v", err)
		}
		b.do(func() {})
		b.check("events", b.seen(""), "run_started run_held")
		disk.slow.Store(false)
		disk.full.Store(false)
		b.sleep(2 * b.host.HoldPause)
		b.do(func() {})
		b.check("jobs when the disk works again", b.handed(), "ask")
		b.check("events", b.seen(""), "run_started run_held run_held")
	}, "ask approve=sure?")
}

// The numbers of instances follow from the order of the records, so jobs with new numbers wait until that order is durable.
func TestJobsOfNewInstancesWaitForTheirNumbers(t *testing.T) {
	test(t, func(b *testbed) {
		disk := b.slowDown()
		b.start(api.RunRequest{})
		b.ran("list")
		disk.slow.Store(true)
		b.ran("first")
		b.check("jobs before the numbers are durable", b.handed(), "list [first] first")
		disk.slow.Store(false)
		disk.result <- nil
		b.do(func() {})
		b.check("jobs", b.handed(), "x x")
	}, "list", "first", "list>first", `<node id="f"><data key="node-foreach">[1, 2]</data><graph>`+workfiletest.Element("x")+`</graph></node>`, "first>f")
}

// Nothing is handed over that the journal does not contain: after a crash the next daemon would not know of it.
func TestNothingIsHandedOverWhileTheDiskIsFull(t *testing.T) {
	test(t, func(b *testbed) {
		disk := &historytest.Faults{Disk: b.disk, Plan: historytest.Plan{Err: syscall.ENOSPC, Stay: true}}
		b.disk = disk
		b.close()
		b.open()
		b.slots.free = 0
		r := b.start(api.RunRequest{})
		disk.FailFromNowOn()
		b.do(func() { b.slots.free = 1 })
		b.check("jobs", b.handed(), "")
		if held := b.last(api.RunHeld).Message; !strings.Contains(held, syscall.ENOSPC.Error()) {
			t.Errorf("held by %q", held)
		}
		b.check("summary", r.Summary().Held, r.HeldBy())
		b.check("paused", string(r.Summary().Paused), string(api.PausedHeld))
		disk.Heal()
		b.sleep(2 * b.host.HoldPause)
		b.check("jobs when the disk works again", b.handed(), "a")
		b.check("held", b.last(api.RunHeld).Message, "")
	}, "a")
}

// An execution that is stopped while it waits for the disk has never started.
func TestStopOfAJobThatWasNotHandedOver(t *testing.T) {
	test(t, func(b *testbed) {
		disk := b.slowDown()
		r := b.start(api.RunRequest{})
		disk.slow.Store(true)
		b.decide(r, "ask")
		if len(r.dispatcher.unhanded) != 1 {
			b.t.Fatalf("%d jobs wait for the disk", len(r.dispatcher.unhanded))
		}
		b.do(func() { r.Stop(api.StopRequest{}, "", nil) })
		disk.slow.Store(false)
		disk.result <- nil
		b.do(func() {})
		b.check("jobs", b.handed(), "")
		b.check("result", string(b.last(api.RunComplete).Result), string(api.Cancelled))
		if past, err := b.host.Store.Load(r.Number); err != nil || len(past.Executions) != 0 {
			t.Errorf("executions %+v, %v", past.Executions, err)
		}
	}, "ask approve=sure?")
}

// A held executor holds the run until the executor says otherwise.
func TestHeldExecutor(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.report(executor.Report{Kind: executor.Held, Message: "the disk is full"})
		b.check("held by", r.HeldBy(), "the disk is full")
		b.do(r.RetryExecutor)
		if b.session.retries != 1 {
			t.Errorf("%d retries", b.session.retries)
		}
		b.report(executor.Report{Kind: executor.Held})
		b.check("held by", r.HeldBy(), "")
		b.do(r.RetryExecutor)
		if b.session.retries != 1 {
			t.Errorf("%d retries of an executor that is not held", b.session.retries-1)
		}
		b.check("events", b.seen(""), "run_started run_held run_held")
	}, "a")
}

func TestUnwrittenRecordsAreLostInACrash(t *testing.T) {
	test(t, func(b *testbed) {
		r := b.start(api.RunRequest{})
		b.started("a")
		b.host.Loop.Post(func() { // no Settle between the record and the panic
			r.handleReport(executor.Report{Kind: executor.Ended, ID: b.id("a"), Time: time.Now()})
			r.Abandon()
			b.runs = nil
			b.host.Loop.End()
		})
		b.host.Loop.Wait()
		next := b.recover(r.Number)
		if e := next.Nodes[0].Execution; !e.Live || !e.Started {
			t.Errorf("the journal contains %+v", e)
		}
		b.startLoop()
	}, "a")
}

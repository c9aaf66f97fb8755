package workspace

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/workspace/history"
	"wf/workspace/history/historytest"
)

// TestEveryOperationFails lets each disk operation of a daemon fail during a run, once or until the run is held. The run
// ends with the same result, each node is executed as often, and the records are complete. A run that could not start leaves
// nothing behind.
func TestEveryOperationFails(t *testing.T) {
	c := newCrashed(t)
	c.cfg.holdPause = time.Millisecond
	for i, p := range []historytest.Plan{
		{Err: syscall.ENOSPC}, {Err: syscall.ENOSPC, Half: true, Stay: true}, {Err: syscall.EIO, Half: true}, {Err: syscall.EIO, Stay: true},
		{Err: syscall.EINTR}, {Err: syscall.EMFILE, Stay: true}, {Err: syscall.EROFS, Stay: true},
	} {
		if i > 3 && !*torture {
			break
		}
		t.Run(fmt.Sprintf("%v, half %v, stays %v", p.Err, p.Half, p.Stay), func(t *testing.T) {
			c.t = t
			for p.At = 1; c.fails(p); p.At++ {
			}
			t.Log(p.At-1, "operations")
		})
	}
}

// fails makes a run with a fault and reports whether it came to it.
func (c *crashed) fails(p historytest.Plan) bool {
	c.t.Helper()
	c.write(c.text)
	c.cfg.State = filepath.Join(c.t.TempDir(), "state")
	x := newRecorder(nil)
	disk := &historytest.Faults{Disk: helperDisk{history.LocalDisk{}, c.t}, Plan: p}
	c.cfg.Executor, c.cfg.Disk = x, disk
	w, err := Open(c.path, c.cfg)
	if err != nil {
		disk.Heal()
		if w, err = Open(c.path, c.cfg); err != nil {
			c.t.Fatalf("operation %d: %v", p.At, err)
		}
	}
	c.w = w
	v := c.watch()
	if _, err := w.StartRun(context.Background(), "c1", api.RunRequest{Env: []string{}}); err != nil {
		if !p.Stay {
			c.nothingLeft(p.At)
		}
		disk.Heal()
		if _, err := w.StartRun(context.Background(), "c1", api.RunRequest{Env: []string{}}); err != nil {
			c.t.Fatalf("operation %d: %v", p.At, err)
		}
	}
	c.await(v, disk)
	_, failed := disk.Count()
	disk.Heal() // for those who look at what is left
	got := c.outcome()
	if got.result != c.want.result || got.counts != c.want.counts || !maps.Equal(got.statuses, c.want.statuses) || !maps.Equal(got.codes, c.want.codes) {
		c.t.Fatalf("operation %d (%v):\n%v\nwithout a fault:\n%v", p.At, failed, got, c.want)
	}
	if detail, err := w.Run(context.Background(), ""); err != nil || detail.Problem != "" {
		c.t.Fatalf("operation %d (%v): %+v, %v", p.At, failed, detail.Problem, err)
	}
	c.close(w)
	x.Detach()
	x.reports.Wait()
	if list, err := c.open().Runs(context.Background()); err != nil || len(list.Runs) != 1 {
		c.t.Fatalf("operation %d (%v): runs %+v, %v", p.At, failed, list.Runs, err)
	}
	c.close(c.w)
	return len(failed) > 0
}

// nothingLeft checks that a run that could not start has left nothing behind.
func (c *crashed) nothingLeft(at int) {
	c.t.Helper()
	runs, err := filepath.Glob(filepath.Join(c.cfg.State, "workspaces", "*", "runs", "[0-9]*"))
	if err != nil || len(runs) > 0 {
		c.t.Fatalf("operation %d: left %v, %v", at, runs, err)
	}
	for late := time.Now().Add(patience); ; time.Sleep(time.Millisecond) { // a helper removes the note
		marks, err := os.ReadDir(filepath.Join(c.cfg.State, "active"))
		if err != nil || len(marks) == 0 {
			return
		}
		if time.Now().After(late) {
			c.t.Fatalf("operation %d: left %v", at, marks)
		}
	}
}

// await waits for the end of the run, and heals the disk when the run is held by it.
func (c *crashed) await(v *viewer, disk *historytest.Faults) {
	c.t.Helper()
	late := time.After(patience)
	for {
		select {
		case <-v.over:
			v.v.Close()
			<-v.closed
			return
		case <-v.news:
			v.mu.Lock()
			for _, e := range v.events {
				if e.Type == api.RunHeld && e.Message != "" {
					disk.Heal()
				}
			}
			v.mu.Unlock()
		case <-late:
			st, err := c.w.Status(context.Background(), false)
			_, failed := disk.Count()
			c.t.Fatalf("after %v: the run does not end: %+v, %v", failed, st, err)
		}
	}
}

package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/activerun"
	"wf/workspace/history/historytest"
)

// TestRunWhoseFolderIsGone stops a run whose records were removed while it was active. The stop returns and reports what is
// lost, statuses stay, and the next run starts with a new number.
func TestRunWhoseFolderIsGone(t *testing.T) {
	for _, lost := range []string{"", "workspaces", "workspaces/ID", "workspaces/ID/runs", "workspaces/ID/runs/1", "workspaces/ID/runs/1/journal"} {
		t.Run("state/"+lost, func(t *testing.T) {
			b := newTestbed(t, "a>b")
			b.open()
			v := b.watch()
			acc, s := b.run(api.RunRequest{})
			s.end(b.next(s).ID, executor.Exit{})
			b.next(s)
			if err := os.RemoveAll(filepath.Join(b.cfg.State, strings.Replace(lost, "ID", b.w.id, 1))); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), activerun.DefaultStopPatience)
			defer cancel()
			res, err := b.w.StopRun(ctx, "c2", acc.Run, api.StopRequest{})
			if err != nil || !strings.Contains(res.Problem, "removed") {
				t.Fatalf("stop: %+v, %v", res, err)
			}
			if e := v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete }); e.Message != res.Problem {
				t.Errorf("the run ends with %q, the stop with %q", e.Message, res.Problem)
			}
			acc, s = b.run(api.RunRequest{Mode: api.ModeResume})
			if acc.Run != "2" || acc.Failed != 1 {
				t.Errorf("resume: %+v", acc)
			}
			s.end(b.next(s).ID, executor.Exit{})
			v.wait(t, "the end of the resume", func(e api.Event) bool { return e.Type == api.RunComplete && e.Result == api.Succeeded })
		})
	}
}

// TestStopReturnsWhileTheDiskIsFull: the commands have ended, but the end of the run cannot be recorded.
func TestStopReturnsWhileTheDiskIsFull(t *testing.T) {
	b := newTestbed(t, "a>b")
	disk := &historytest.Faults{Disk: b.cfg.Disk, Plan: historytest.Plan{Err: syscall.ENOSPC, Stay: true}}
	b.cfg.Disk = disk
	b.cfg.holdPause, b.cfg.stopPatience = time.Millisecond, time.Millisecond
	b.open()
	v := b.watch()
	acc, s := b.run(api.RunRequest{})
	b.next(s)
	disk.FailFromNowOn()
	defer disk.Heal()
	ctx, cancel := context.WithTimeout(context.Background(), activerun.DefaultStopPatience)
	defer cancel()
	res, err := b.w.StopRun(ctx, "c2", acc.Run, api.StopRequest{})
	if err != nil || !strings.Contains(res.Problem, syscall.ENOSPC.Error()) || res.Killed != 1 {
		t.Fatalf("stop: %+v, %v", res, err)
	}
	disk.Heal()
	v.wait(t, "the end", func(e api.Event) bool { return e.Type == api.RunComplete && e.Result == api.Cancelled })
}

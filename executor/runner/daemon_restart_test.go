package runner

import (
	"os"
	"testing"
	"time"

	"wf/executor/wire"
)

// TestDaemonRestart checks that a runner without a daemon starts one, with longer and longer pauses, until one connects.
func TestDaemonRestart(t *testing.T) {
	r, _ := newTestRunner(t, 1)
	calls := 0
	r.options.StartDaemon = func() error { calls++; return nil }
	now := time.Unix(1000, 0)
	r.restartDaemon(now)
	for pause, want := daemonRestartDelay, 1; want < 4; pause, want = 2*pause, want+1 {
		now = now.Add(pause - 1)
		if r.restartDaemon(now); calls != want-1 {
			t.Errorf("%d starts, too early: want %d", calls, want)
		}
		now = now.Add(1)
		if r.restartDaemon(now); calls != want {
			t.Errorf("%d starts, want %d", calls, want)
		}
	}
	r.links.all = map[int]*link{0: {}}
	if r.restartDaemon(now.Add(time.Hour)); calls != 3 || !r.restart.next.IsZero() {
		t.Errorf("%d starts although there is a daemon: %+v", calls, r.restart)
	}
}

// TestFolderGone checks that a runner without a daemon ends when its folder is gone, although its log can no longer be
// synced. While the folder exists, a failing log keeps it from ending.
func TestFolderGone(t *testing.T) {
	r, record := newTestRunner(t, 1)
	record.fault = os.ErrNotExist
	r.close()
	if r.finish(nil); r.closing.done {
		t.Fatal("it has ended with entries that are not synced")
	}
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	if r.finish(nil); !r.closing.done {
		t.Fatal("it waits for a folder that is gone")
	}
}

// TestStopWithoutFolder checks that the daemon hears of the end of a stopped job although the log cannot be written, once
// the folder of the run is gone. While the folder exists, the news wait.
func TestStopWithoutFolder(t *testing.T) {
	r, record := newTestRunner(t, 1)
	record.fault = os.ErrNotExist
	r.holdFor(record.fault)
	handOver(r, "true")
	r.stopAll([]wire.ID{{Node: 0, Execution: 1}}, 0)
	if r.announceNow(); len(r.news.pending) == 0 {
		t.Fatal("it has announced an end that is not written")
	}
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	if r.announceNow(); len(r.news.pending) > 0 {
		t.Fatal("the end waits for a folder that is gone")
	}
}

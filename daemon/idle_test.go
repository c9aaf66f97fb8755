package daemon

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestPreventIdle checks that the daemon does not end before it has recovered the runs, nor between preventIdle and
// allowIdle, and that IdleTimeout starts afterwards.
func TestPreventIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle := make(chan struct{}, 1)
		w := newWorkspaces(newFakes().opener(), Config{IdleTimeout: time.Second}, func() { idle <- struct{}{} })
		time.Sleep(time.Minute) // of the fake clock
		if len(idle) > 0 {
			t.Fatal("it ended before it has recovered the runs")
		}
		w.preventIdle()
		w.allowIdle()
		time.Sleep(time.Minute)
		if len(idle) > 0 {
			t.Fatal("it ended while it was held")
		}
		w.allowIdle()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if len(idle) != 1 {
			t.Error("it does not end")
		}
	})
}

package daemon

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestHold checks that the daemon does not end between hold and allowIdle, and that IdleTimeout starts afterwards.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle := make(chan struct{}, 1)
		w := &workspaces[*fake]{byID: map[string]*entry[*fake]{}, timeout: time.Second, idle: func() { idle <- struct{}{} }}
		w.mu.Lock()
		w.armIdle()
		w.mu.Unlock()
		w.preventIdle()
		w.preventIdle()
		w.allowIdle()
		time.Sleep(time.Minute) // of the fake clock
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

package daemon

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
)

// TestLockOfAServingDaemon checks, in fake time, that a second daemon waits for a taken lock, but not if the registry names
// a living daemon: it would replace that one after a stop.
func TestLockOfAServingDaemon(t *testing.T) {
	for _, serves := range []bool{false, true} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			l, err := acquire(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if serves {
				pid := os.Getpid()
				if err := writeRegistry(dir, api.Registry{PID: pid, StartTime: startTime(pid), BootID: bootID()}); err != nil {
					t.Fatal(err)
				}
			}
			begin := time.Now()
			_, err = acquire(t.Context(), dir)
			if !errors.Is(err, ErrAlreadyRunning) || time.Since(begin) == 0 != serves {
				t.Errorf("a daemon serves: %v; the other waits %v and returns %v", serves, time.Since(begin), err)
			}
		})
	}
}

// TestLockOfAnEndingDaemon checks that a second daemon waits for a daemon that has removed its registry.
func TestLockOfAnEndingDaemon(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l, err := acquire(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(lockTimeout/2, l.Close)
		next, err := acquire(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		next.Close()
	})
}

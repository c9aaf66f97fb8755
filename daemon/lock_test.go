package daemon

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
)

// Who finds the lock taken waits for a while, in fake time, but not when the registry says that a daemon
// serves: it would take over when that one is stopped.
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
				t.Errorf("a daemon serves: %v; the other waits %v and says %v", serves, time.Since(begin), err)
			}
		})
	}
}

// A daemon that is ending, and has taken its registry away, is waited for.
func TestLockOfAnEndingDaemon(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l, err := acquire(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(lockPatience/2, l.Close)
		next, err := acquire(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		next.Close()
	})
}

package armed

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
)

// TestDisableDuringAStart checks that disable waits for the start that is under way, whose run is in the log, and that none
// follows. It does not wait for ever.
func TestDisableDuringAStart(t *testing.T) {
	for name, test := range map[string]struct{ takes, disabled time.Duration }{
		"slow": {4 * time.Second, 4 * time.Second}, "dead": {30 * time.Minute, quiesceTime},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				path := b.file("w", "every: 1s")
				k := b.keeper()
				b.accept = func(started string, _ api.RunRequest) error {
					if started == path {
						time.Sleep(test.takes)
					}
					return nil
				}
				begin := time.Now()
				b.must(b.enable(k, path))
				other := b.file("other", "every: 1h")
				b.must(b.enable(k, other)) // the ledger stays open
				time.Sleep(time.Second + time.Millisecond)
				began := time.Now()
				b.must(k.Disable(context.Background(), path))
				if took := time.Since(began).Round(100 * time.Millisecond); took != test.disabled {
					t.Errorf("disable took %v, want %v", took, test.disabled)
				}
				want := "started "
				if name == "dead" {
					want = "refused the triggers were disabled before it was known whether the run had started"
				}
				if got := b.results(k, path); len(got) != 1 || got[0] != want {
					t.Errorf("the log says %q, want %q", got, want)
				}
				time.Sleep(2 * time.Hour)
				b.wantInstants(begin, 1, 3600, 7200)
				b.must(k.Disable(context.Background(), other))
				k.Close()
			})
		})
	}
}

// TestDisableIsGivenUp checks that a workfile stays armed if the client of disable leaves.
func TestDisableIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "every: 10s")
		k := b.keeper()
		b.accept = func(string, api.RunRequest) error { time.Sleep(5 * time.Second); return nil }
		begin := time.Now()
		b.must(b.enable(k, path))
		time.Sleep(11 * time.Second)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		if err := k.Disable(ctx, path); err == nil {
			t.Error("it was disabled")
		}
		cancel()
		time.Sleep(14 * time.Second)
		b.wantInstants(begin, 10, 20)
		k.Close()
	})
}

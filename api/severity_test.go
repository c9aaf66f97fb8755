package api

import "testing"

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		counts Counts
		want   State
	}{
		{Counts{}, StateOK},
		{Counts{OK: 3, Failed: 1, Running: 2}, StateFailed},
		{Counts{OK: 3, Waiting: 1, Running: 2}, StateWaiting},
		{Counts{OK: 3, Idle: 1}, StateIdle},
		{Counts{OK: 3, Handled: 1, Skipped: 2}, StateOK},
		{Counts{Handled: 1, Skipped: 2}, StateHandled},
		{Counts{Skipped: 2}, StateSkipped},
	} {
		if got := c.counts.Worst(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.counts, got, c.want)
		}
	}
}

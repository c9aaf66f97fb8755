package cluster

import (
	"testing"
	"time"
)

func TestRateIsAWindow(t *testing.T) {
	q := newQuota(10, Rate{Calls: 2, Per: time.Minute})
	start := time.Unix(1000, 0)
	for i, c := range []struct{ at, next time.Duration }{{0, -1}, {10 * time.Second, 60 * time.Second}, {60 * time.Second, 70 * time.Second}, {75 * time.Second, 120 * time.Second}} {
		q.submit(start.Add(c.at))
		want := time.Time{}
		if c.next >= 0 {
			want = start.Add(c.next)
		}
		if got := q.next(); !got.Equal(want) {
			t.Errorf("after submission %d the next one may come at %v, not at %v", i, got, want)
		}
	}
}

func TestRefusalsHalveTheNumberOfJobs(t *testing.T) {
	q := newQuota(100, Rate{})
	q.shrink(60)
	if q.jobs != 30 {
		t.Errorf("after a refusal of 60 jobs: %d", q.jobs)
	}
	for range 10 {
		q.shrink(q.jobs)
	}
	if q.jobs != 1 {
		t.Errorf("after many refusals: %d", q.jobs)
	}
	for range 100 {
		q.grow()
	}
	if q.jobs != 100 {
		t.Errorf("after many successes: %d", q.jobs)
	}
}

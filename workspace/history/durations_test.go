package history

import (
	"maps"
	"testing"
	"time"
)

// timed returns the records of one execution of node a that took ms milliseconds.
func timed(execution, ms int, ok bool) []Record {
	return []Record{
		{Time: noon, Type: RecordStart, Node: 0, ID: "id-a", Execution: execution},
		{Time: noon.Add(time.Duration(ms) * time.Millisecond), Type: RecordEnd, Node: 0, ID: "id-a", Execution: execution, OK: ok},
	}
}

func finish(t *testing.T, r *Run, records ...[]Record) {
	t.Helper()
	for _, list := range records {
		appendAll(t, r, list)
	}
	if err := r.Finish(cancelled()); err != nil {
		t.Fatal(err)
	}
}

func TestDurations(t *testing.T) {
	s := openStore(t)
	finish(t, createRun(t, s), timed(1, 9000, true))                    // too old for a limit of 3
	finish(t, createRun(t, s), timed(1, 100, true), timed(2, 50, true)) // a loop: 150
	finish(t, createRun(t, s), timed(1, 700, false))                    // failures do not count
	finish(t, createRun(t, s), timed(1, 5, false), timed(2, 200, true)) // 205
	finish(t, createRun(t, s), twoNodes(), timed(2, 999, true)[:1])     // b failed; a was started again, 1 so far
	appendAll(t, createRun(t, s), timed(1, 4000, true))                 // not over
	got, runs, err := s.Durations(3)
	want := map[string]time.Duration{"id-a": 150 * time.Millisecond}
	if err != nil || runs != 3 || !maps.Equal(got, want) {
		t.Errorf("%v over %d runs, %v; want %v over 3", got, runs, err, want)
	}
	if err := s.Remove(2, true); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := s.Durations(3); got["id-a"] != 205*time.Millisecond {
		t.Errorf("without run 2: %v", got)
	}
}

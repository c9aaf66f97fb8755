package history

import (
	"errors"
	"slices"
	"time"
)

// Durations returns how long nodes took, by their ids: the median over the newest runs that ended, up to
// limit. The duration in a run is the sum of all executions of a node; only nodes whose last execution
// succeeded count. runs is the number of runs with such nodes. Runs that cannot be read, or are removed
// meanwhile, are skipped.
func (s *Store) Durations(limit int) (median map[string]time.Duration, runs int, err error) {
	numbers, err := s.Numbers()
	if err != nil {
		return nil, 0, err
	}
	samples := map[string][]time.Duration{}
	for _, n := range numbers {
		if runs == limit {
			break
		}
		if _, over := s.result(n); over && s.addDurations(n, samples) {
			runs++
		}
	}
	median = make(map[string]time.Duration, len(samples))
	for id, times := range samples {
		slices.Sort(times)
		median[id] = times[(len(times)-1)/2]
	}
	return median, runs, nil
}

// addDurations adds the durations of one run and reports whether there were any.
func (s *Store) addDurations(n int, samples map[string][]time.Duration) bool {
	type total struct {
		started time.Time
		spent   time.Duration
		ok      bool
	}
	totals := map[string]*total{}
	_, err := ReadLog(s.file(n, journalFile), recordReader(func(r *Record) error {
		switch r.Type {
		case RecordStart:
			t := totals[r.ID]
			if t == nil {
				t = &total{}
				totals[r.ID] = t
			}
			t.started = r.Time
		case RecordClock:
			for _, t := range totals {
				if r.Clocks != nil && !t.started.IsZero() {
					t.started = t.started.Add(time.Duration(r.Clocks.ByNS))
				}
			}
		case RecordEnd:
			t := totals[r.ID]
			if t == nil || t.started.IsZero() {
				return nil // no process was started
			}
			t.spent += max(0, r.Time.Sub(t.started))
			t.started, t.ok = time.Time{}, r.OK
		}
		return nil
	}))
	var damaged *DamagedError
	if err != nil && !errors.As(err, &damaged) {
		return false
	}
	found := false
	for id, t := range totals {
		if t.ok {
			samples[id] = append(samples[id], t.spent)
			found = true
		}
	}
	return found
}

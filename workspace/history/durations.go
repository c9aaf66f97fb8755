package history

import (
	"errors"
	"slices"
	"time"
)

// Durations returns how long nodes took, by their ids: the median over the newest limit runs that
// are over. What counts of a run is the time of all executions of a node together, and only of
// those nodes whose last execution succeeded. runs is how many runs say something. Runs that
// cannot be read, or are removed meanwhile, are passed over.
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

// addDurations adds those of one run and says whether there were any.
func (s *Store) addDurations(n int, samples map[string][]time.Duration) bool {
	type total struct {
		begun time.Time
		spent time.Duration
		ok    bool
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
			t.begun = r.Time
		case RecordClock:
			for _, t := range totals {
				if r.Clocks != nil && !t.begun.IsZero() {
					t.begun = t.begun.Add(time.Duration(r.Clocks.ByNS))
				}
			}
		case RecordEnd:
			t := totals[r.ID]
			if t == nil || t.begun.IsZero() {
				return nil // it had no process
			}
			t.spent += max(0, r.Time.Sub(t.begun))
			t.begun, t.ok = time.Time{}, r.OK
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

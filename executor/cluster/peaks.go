package cluster

import "time"

// A peak is the most memory that a task has used, which accounting may know soon after its end.
type peak struct {
	bytes int64     // 0 = not known
	asked time.Time // when accounting was asked and has not answered yet; zero = it is not being asked
	tries int       // how often it has answered
}

// mostPeakTries is how often accounting is asked about a task: it may learn the end of a task a little later than its files tell it.
const mostPeakTries = 2

// askPeaks asks accounting with one call how much memory the tasks have used that have just ended. It knows nothing of those that
// were shorter than the time between two measurements, nor of single tasks of an allocation.
func (w *watcher) askPeaks(now time.Time) {
	meter, can := w.c.Engine.(Meter)
	if !can {
		return
	}
	asked := map[Ref]*task{}
	var refs []Ref
	for _, t := range w.m.tasks {
		if w.measured(t) && t.peak.asked.IsZero() {
			t.peak.asked = now
			asked[t.batch.ref(t)] = t
			refs = append(refs, t.batch.ref(t))
		}
	}
	if len(refs) == 0 {
		return
	}
	w.call(meter.Peaks(refs), func(output string, err error) {
		var states []State
		if err == nil {
			states, err = w.c.Engine.FinalStates(output)
		}
		for _, t := range asked {
			t.peak.asked = time.Time{}
			if t.peak.tries++; err != nil {
				t.peak.tries = mostPeakTries
			}
		}
		for _, st := range states {
			if t := asked[st.Ref]; t != nil && st.Phase.over() {
				t.peak.bytes, t.peak.tries = st.Peak, mostPeakTries
			}
		}
	})
}

// measured reports whether accounting may know how much memory a task has used that has ended, and was not asked often enough.
func (w *watcher) measured(t *task) bool {
	if t.result == nil || !t.started || t.batch == nil || t.batch.hold != nil || t.batch.job == "" || t.peak.tries >= mostPeakTries {
		return false
	}
	a, _ := w.c.probe.allowed()
	return a.Sampling > 0 && t.result.Time.Sub(t.startedAt) >= a.Sampling
}

// waitsForPeak reports whether the end of a task waits for what accounting says about its memory, which is not long.
func (w *watcher) waitsForPeak(t *task) bool {
	return w.measured(t) && (t.peak.asked.IsZero() || time.Since(t.peak.asked) < w.c.Timing.Account)
}

package executor

import (
	"errors"
	"time"
)

var errNoGates = errors.New("the runner is of an older version, which does not support jobs that start after others")

func (s *session) Gates() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gates
}

// dropGated reports all jobs behind gates as stopped, because the runner does not support gates.
func (s *session) dropGated() {
	var dropped []Report
	s.mu.Lock()
	for id, sent := range s.jobs {
		if len(sent.job.After) > 0 {
			dropped = append(dropped, Report{Kind: Ended, ID: id, Time: time.Now(), Exit: Exit{Stopped: true}})
		}
	}
	s.mu.Unlock()
	if len(dropped) > 0 && s.confirm(dropped) {
		s.spec.Report(dropped)
	}
}

// reportCaughtUp reports CaughtUp, once.
func (s *session) reportCaughtUp() {
	if !s.caughtUp {
		s.caughtUp = true
		s.report(Report{Kind: CaughtUp, Time: time.Now()})
	}
}

// setGates notes whether the current runner supports gates.
func (s *session) setGates(known bool) {
	s.mu.Lock()
	s.gates = known
	s.mu.Unlock()
	if !known {
		s.dropGated()
	}
}

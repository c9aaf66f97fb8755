package engines

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"wf/executor"
)

// A merger makes one sequence out of the reports of several sessions. Reports of the same session keep their order.
type merger struct {
	mu     sync.Mutex // held while reports are sent; guards what follows
	report func([]executor.Report)
	behind int               // sessions that have not reported everything from before they were opened
	held   map[string]string // why sessions start nothing, by engine; "" = this machine
	why    string            // the message of the last Held report
	broken bool              // a session was lost: nothing is reported after that
}

func newMerger(report func([]executor.Report), sessions int) *merger {
	return &merger{report: report, behind: sessions, held: map[string]string{}}
}

// forward sends the reports of the session of an engine; "" = this machine. followed says that the session was opened together
// with that of the run, so that its CaughtUp counts.
func (m *merger) forward(engine string, followed bool, reports []executor.Report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := make([]executor.Report, 0, len(reports))
	for _, r := range reports {
		if m.broken {
			break
		}
		if r, news := m.merge(engine, followed, r); news {
			kept = append(kept, r)
		}
	}
	if len(kept) > 0 {
		m.report(kept)
	}
}

// merge returns what a report of one session means for the run; news is false if that is nothing.
func (m *merger) merge(engine string, followed bool, r executor.Report) (_ executor.Report, news bool) {
	switch r.Kind {
	case executor.CaughtUp:
		if followed {
			m.behind--
		}
		return r, followed && m.behind == 0
	case executor.Resized:
		return r, engine == "" // the width of the run is about this machine
	case executor.Held:
		before := m.why
		r.Message = m.hold(engine, r.Message)
		return r, r.Message != before
	case executor.Broken:
		m.broken = true
	}
	return r, true
}

// hold notes why a session starts nothing; "" = it does. It returns why the run is held.
func (m *merger) hold(engine, why string) string {
	if m.held[engine] = why; why == "" {
		delete(m.held, engine)
	}
	m.why = ""
	if names := slices.Sorted(maps.Keys(m.held)); len(names) > 0 {
		if m.why = m.held[names[0]]; names[0] != "" {
			m.why = fmt.Sprintf("executor %s: %s", names[0], m.why)
		}
	}
	return m.why
}

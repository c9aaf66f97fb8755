package activerun

import (
	"fmt"
	"time"

	"wf/api"
	"wf/workspace/runstate"
)

// A run can be asked why no more of its executions go at once. Watchers are told once, and only when the shortage lasts: short
// commands wait for a slot all the time.

// shortPause is how long a shortage lasts before watchers are told. Tests shorten it.
var shortPause = time.Second

// shortKind is what keeps a run from having more slots.
type shortKind uint8

const (
	notShort     shortKind = iota
	shortOwn               // the run was started with this limit
	shortMachine           // the machine's limit for runs without one of their own
	shortShared            // other runs have the slots
	shortKinds
)

// shortage is what watchers have been told.
type shortage struct {
	kind  shortKind
	since time.Time
	told  [shortKinds]bool
	timer *time.Timer
}

func (s *shortage) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

// lacking returns how many executions could start beyond those that have slots, and why they do not.
func (r *Run) lacking() (n int, kind shortKind) {
	if r.Phase != runstate.Going || r.sess == nil || r.holds.why() != "" {
		return 0, notShort
	}
	n = r.working() + len(r.queue) - r.head - r.slots
	if n <= 0 {
		return 0, notShort
	}
	mine := r.slots + len(r.lent)
	switch limit, _ := r.member.Machine(); {
	case r.Request.Jobs > 0 && mine >= r.Request.Jobs:
		return n, shortOwn
	case r.jobs() == 0 && mine >= limit:
		return n, shortMachine
	}
	return n, shortShared
}

// Shortage describes the shortage; nil when there is none.
func (r *Run) Shortage() *api.Shortage {
	n, kind := r.lacking()
	if kind == notShort {
		return nil
	}
	limit, used := r.member.Machine()
	s := &api.Shortage{Running: r.slots, Waiting: n}
	switch kind {
	case shortOwn:
		s.Why = fmt.Sprintf("the run was asked for at most %d at once", r.Request.Jobs)
		s.Fix = fmt.Sprintf("start it with wf run -j %d, or -j 0 for no limit", r.Request.Jobs+s.Waiting)
	case shortMachine:
		s.Why = fmt.Sprintf("this machine has %s for runs that do not say how many", slotCount(limit))
		s.Fix = fmt.Sprintf("wf run -j %d runs more at once, wf server restart --slots N gives the machine more", limit+s.Waiting)
	case shortShared:
		s.Why = fmt.Sprintf("other runs use %d of %s of this machine", max(0, used-r.slots), slotCount(limit))
		s.Fix = "wf server ls shows them; wf run -j N gets more than the machine's limit"
	}
	return s
}

func slotCount(n int) string { return api.Counted(n, "slot", "slots") }

// TellShortage publishes a shortage that lasts, once for each kind.
func (r *Run) TellShortage() {
	_, kind := r.lacking()
	tells := kind != notShort && kind != shortOwn && !r.short.told[kind]
	switch {
	case kind != r.short.kind:
		r.short.kind, r.short.since = kind, time.Now()
		r.short.stop()
		if tells {
			r.short.timer = time.AfterFunc(shortPause, r.host.Loop.Wake)
		}
		return
	case !tells || time.Since(r.short.since) < shortPause:
		return
	}
	r.short.told[kind] = true
	r.host.Out.Publish(api.Event{Type: api.RunShort, Run: r.ID, Short: r.Shortage()})
}

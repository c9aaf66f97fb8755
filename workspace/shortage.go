package workspace

import (
	"fmt"
	"time"

	"wf/api"
)

// What keeps a run from having more executions going is told to whoever asks, and once to those who
// watch, when it lasts: commands that are over in no time wait for a slot all the time.

// shortPause is how long it lasts before they are told. Only tests change it.
var shortPause = time.Second

// shortKind is what keeps a run from having more slots.
type shortKind uint8

const (
	notShort     shortKind = iota
	shortOwn               // it was asked for no more
	shortMachine           // it was not asked for a number, and the machine has no more for such runs
	shortShared            // others have them
	shortKinds
)

// shortage is what those who watch were told.
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

// lacking is how many executions could start beside those that have slots, and why they do not.
func (r *run) lacking() (n int, kind shortKind) {
	if r.phase != going || r.sess == nil || r.holds.why() != "" {
		return 0, notShort
	}
	n = r.working() + len(r.queue) - r.head - r.slots
	if n <= 0 {
		return 0, notShort
	}
	mine := r.slots + len(r.lent)
	switch limit, _ := r.member.Machine(); {
	case r.req.Jobs > 0 && mine >= r.req.Jobs:
		return n, shortOwn
	case r.jobs() == 0 && mine >= limit:
		return n, shortMachine
	}
	return n, shortShared
}

// shortage describes it; nil when there is none.
func (r *run) shortageNow() *api.Shortage {
	n, kind := r.lacking()
	if kind == notShort {
		return nil
	}
	limit, used := r.member.Machine()
	s := &api.Shortage{Running: r.slots, Waiting: n}
	switch kind {
	case shortOwn:
		s.Why = fmt.Sprintf("the run was asked for at most %d at once", r.req.Jobs)
		s.Fix = fmt.Sprintf("start it with wf run -j %d, or -j 0 for no limit", r.req.Jobs+s.Waiting)
	case shortMachine:
		s.Why = fmt.Sprintf("this machine has %s for runs that do not say how many", slotCount(limit))
		s.Fix = fmt.Sprintf("wf run -j %d runs more at once, wf server restart --slots N gives the machine more", limit+s.Waiting)
	case shortShared:
		s.Why = fmt.Sprintf("other runs use %d of %s of this machine", max(0, used-r.slots), slotCount(limit))
		s.Fix = "wf server ls shows them; wf run -j N gets more than the machine's limit"
	}
	return s
}

func slotCount(n int) string { return agreed(n, "slot", "slots") }

// tellShortage tells those who watch, once for each kind.
func (r *run) tellShortage(w *Workspace) {
	_, kind := r.lacking()
	tells := kind != notShort && kind != shortOwn && !r.short.told[kind]
	switch {
	case kind != r.short.kind:
		r.short.kind, r.short.since = kind, time.Now()
		r.short.stop()
		if tells {
			r.short.timer = time.AfterFunc(shortPause, w.loop.Wake)
		}
		return
	case !tells || time.Since(r.short.since) < shortPause:
		return
	}
	r.short.told[kind] = true
	w.publish(api.Event{Type: api.RunShort, Run: r.id, Short: r.shortageNow()})
}

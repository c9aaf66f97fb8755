package activerun

import (
	"fmt"
	"time"

	"wf/api"
	"wf/workspace/loop"
	"wf/workspace/runstate"
)

// A shortage means that executions of a run could start if the run had more slots. It is published once for each kind, and
// only if it lasts: short commands wait for a slot all the time.

// shortPause is how long a shortage must last before it is published.
const shortPause = time.Second

// shortKind tells what keeps a run from getting more slots.
type shortKind uint8

const (
	notShort     shortKind = iota
	shortOwn               // the limit that the run was started with
	shortMachine           // the limit of the machine, for runs without their own
	shortShared            // other runs use the slots
	shortKinds
)

// shortage is the present shortage, and the kinds that were published.
type shortage struct {
	kind      shortKind
	since     time.Time
	published [shortKinds]bool
	timer     *loop.Timer
}

// lacking returns how many executions wait for a slot, and why the run gets no more slots.
func (sh *slotShare) lacking() (n int, kind shortKind) {
	if sh.run.Phase != runstate.Active || sh.run.sess == nil || sh.run.journal.holds.why() != "" {
		return 0, notShort
	}
	n = sh.working() + len(sh.run.dispatcher.queue) - sh.run.dispatcher.head - sh.slots
	if n <= 0 {
		return 0, notShort
	}
	mine := sh.slots + len(sh.lent)
	switch limit, _ := sh.member.Machine(); {
	case sh.run.Request.Jobs > 0 && mine >= sh.run.Request.Jobs:
		return n, shortOwn
	case sh.jobs() == 0 && mine >= limit:
		return n, shortMachine
	}
	return n, shortShared
}

// Shortage describes the shortage, or returns nil if there is none.
func (sh *slotShare) Shortage() *api.Shortage {
	n, kind := sh.lacking()
	if kind == notShort {
		return nil
	}
	limit, used := sh.member.Machine()
	s := &api.Shortage{Running: sh.slots, Waiting: n}
	switch kind {
	case shortOwn:
		s.Why = fmt.Sprintf("the run was asked for at most %d at once", sh.run.Request.Jobs)
		s.Fix = fmt.Sprintf("start it with wf run -j %d, or -j 0 for no limit", sh.run.Request.Jobs+s.Waiting)
	case shortMachine:
		s.Why = fmt.Sprintf("this machine has %s for runs that do not say how many", slotCount(limit))
		s.Fix = fmt.Sprintf("wf run -j %d runs more at once, wf server restart --slots N gives the machine more", limit+s.Waiting)
	case shortShared:
		s.Why = fmt.Sprintf("other runs use %d of %s of this machine", max(0, used-sh.slots), slotCount(limit))
		s.Fix = "wf server ls shows them; wf run -j N gets more than the machine's limit"
	}
	return s
}

func slotCount(n int) string { return api.Counted(n, "slot", "slots") }

// PublishShortage publishes a shortage that lasts.
func (sh *slotShare) PublishShortage() {
	_, kind := sh.lacking()
	due := kind != notShort && kind != shortOwn && !sh.short.published[kind]
	switch {
	case kind != sh.short.kind:
		sh.short.kind, sh.short.since = kind, time.Now()
		sh.short.timer.Stop()
		if due {
			sh.short.timer.Reset(shortPause)
		}
		return
	case !due || time.Since(sh.short.since) < shortPause:
		return
	}
	sh.short.published[kind] = true
	sh.run.host.Out.Publish(api.Event{Type: api.RunShort, Run: sh.run.ID, Short: sh.Shortage()})
}

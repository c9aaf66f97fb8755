package runner

import (
	"slices"
	"strings"
	"time"

	"wf/executor/wire"
)

// A job with a list in After waits behind a gate until all executions in the list have succeeded. The runner opens
// gates itself as soon as it records an end, so that a chain does not wait for answers of the daemon.
//
// With short commands, a sync for each would take a fifth of the time of a chain. So the intents of jobs behind gates
// are recorded ahead of time, like those of jobs that wait for a place. A job with a synced intent starts the moment
// its gate opens, up to syncDelay before the end that opened the gate is synced. After a power cut it is unknown
// whether such a job has started, so it is lost.
//
// Such an intent is valid only for intentLifetime. Then it is taken back, and a new one is recorded when the gate opens;
// the sync of that one also syncs the end that opened the gate. So after a crash, a job behind a long command certainly
// has not started.

// intentLifetime is how long the intent of a job behind a gate is valid.
const intentLifetime = 100 * time.Millisecond

// gates are the jobs that wait for the success of others.
type gates struct {
	shut   int                      // how many jobs wait
	behind map[wire.ID][]*execution // the jobs that wait for each execution, in the order of their arrival
	// failed are the executions that have ended without success. All other known executions that have ended have
	// succeeded, so those are not stored.
	failed map[wire.ID]struct{}

	fresh    []*execution // put behind gates since the last sync
	unsynced []*execution // whose intents were recorded since the last sync
	intended []*execution // with intents that are still valid, the oldest first
}

// jobs are all jobs of the daemon.
type jobs struct {
	width     int  // how many executions may run at once
	forked    bool // in this turn
	event     int  // counts the ends of executions and the readings of lines from the daemon
	queue     queue
	gates     gates
	lookahead lookahead
	known     map[wire.ID]struct{}   // all executions that ever arrived: the daemon may send a job again
	active    map[wire.ID]*execution // those that have not ended
}

// admit puts a new job behind a gate, or into the queue if all executions in its After have succeeded.
func (r *runner) admit(e *execution) {
	for _, id := range e.job.After {
		if r.jobs.hasSucceeded(id) {
			continue
		}
		if r.jobs.gates.behind == nil {
			r.jobs.gates.behind = make(map[wire.ID][]*execution)
		}
		r.jobs.gates.behind[id] = append(r.jobs.gates.behind[id], e)
		e.waitsFor++
	}
	if e.waitsFor == 0 {
		r.ready(e)
		return
	}
	e.shutSince = time.Now()
	r.jobs.gates.shut++
	r.jobs.gates.fresh = append(r.jobs.gates.fresh, e)
}

// hasSucceeded reports whether an execution has ended with success. It returns false for an unknown one, which may
// still arrive.
func (j *jobs) hasSucceeded(id wire.ID) bool {
	_, known := j.known[id]
	_, failed := j.gates.failed[id]
	return known && !failed && j.active[id] == nil
}

// ready puts a job into the queue. A job without a command ends at once.
func (r *runner) ready(e *execution) {
	if strings.TrimSpace(e.job.Command) == "" {
		r.end(e, &wire.Entry{})
		return
	}
	e.readySince = r.jobs.event
	r.jobs.queue.push(e)
}

// settle opens the gates that an end opens. Jobs that wait for a failed execution stay behind their gates until the
// daemon takes them back.
func (r *runner) settle(id wire.ID, end *wire.Entry) {
	behind := r.jobs.gates.behind[id]
	delete(r.jobs.gates.behind, id)
	if !end.Succeeded() {
		r.jobs.gates.fail(id)
		return
	}
	waited := r.jobs.queue.waiting
	for _, e := range behind {
		switch e.waitsFor {
		case 0: // it was taken back meanwhile
		case 1:
			r.jobs.takeBack(e)
			r.ready(e)
		default:
			e.waitsFor--
		}
	}
	// Until now more places than jobs were there; now jobs may lack a place, and the daemon may grant more.
	r.news.crowded = r.news.crowded || waited == 0 && r.jobs.queue.waiting > 1
}

func (g *gates) fail(id wire.ID) {
	if g.failed == nil {
		g.failed = make(map[wire.ID]struct{})
	}
	g.failed[id] = struct{}{}
}

// takeBack removes a job from behind its gate.
func (j *jobs) takeBack(e *execution) {
	e.waitsFor = 0
	j.gates.shut--
}

// forgetWaiting forgets all jobs with a list in After that have not started, including those whose gates have opened
// meanwhile. After its hello a daemon sends the jobs again that it still wants. It may be a new daemon, which does not
// know the old jobs.
func (r *runner) forgetWaiting() {
	if r.jobs.gates.shut+r.jobs.queue.waiting == 0 {
		return
	}
	for id, e := range r.jobs.active {
		switch {
		case len(e.job.After) == 0:
			continue
		case e.waitsFor > 0:
			r.jobs.takeBack(e)
		case e.waiting:
			r.jobs.queue.drop(e)
		default:
			continue
		}
		r.unintend(e)
		delete(r.jobs.active, id)
		delete(r.jobs.known, id)
	}
	clear(r.jobs.gates.behind)
}

// intend records the intents of the jobs that were put behind gates since the last sync.
func (g *gates) intend(now time.Time, record func(*execution)) {
	for _, e := range g.fresh {
		if e.waitsFor > 0 && now.Sub(e.shutSince) < intentLifetime {
			record(e)
			g.unsynced = append(g.unsynced, e)
			g.intended = append(g.intended, e)
		}
	}
	clear(g.fresh)
	g.fresh = g.fresh[:0]
}

// anyDurable reports whether a job that waits has a synced intent.
func (g *gates) anyDurable() bool {
	for _, e := range slices.Backward(g.intended) {
		if e.waitsFor > 0 {
			return e.durable
		}
	}
	return false
}

// synced notes that all recorded intents are synced.
func (g *gates) synced() {
	for _, e := range g.unsynced {
		e.durable = e.intended
	}
	clear(g.unsynced)
	g.unsynced = g.unsynced[:0]
}

// expireIntents calls forget for the jobs that have waited for intentLifetime.
func (g *gates) expireIntents(now time.Time, forget func(*execution)) {
	for len(g.intended) > 0 && now.Sub(g.intended[0].shutSince) >= intentLifetime {
		if e := g.intended[0]; e.waitsFor > 0 {
			forget(e)
		}
		g.intended[0] = nil
		g.intended = g.intended[1:]
	}
}

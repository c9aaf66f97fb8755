package runner

import (
	"strings"
	"time"

	"wf/executor/wire"
)

// A job that names others in After waits behind a gate until all of them have succeeded. The runner
// opens gates by itself, the moment it records an end, so that a chain needs no answer of the daemon.
//
// Where commands are short, a sync for each would take a fifth of the time of a chain. So the intents of
// jobs behind gates are recorded ahead, like those of jobs that wait for a place, and with such an intent
// on the disk a job starts the moment its gate opens, at most syncDelay before the end that opened it is
// on the disk, too. After a power cut nobody can say whether it has begun: it is lost. Such an intent
// holds for gatePatience only: then it is taken back, the next one comes when the gate opens, and the
// sync of that one is the sync of the end that opened the gate. So what waits behind a command that
// takes its time has not begun, whatever dies.

// gatePatience is how long a job behind a gate may have its intent recorded.
const gatePatience = 100 * time.Millisecond

// gates are the jobs that wait for others.
type gates struct {
	shut   int                      // how many jobs wait
	behind map[wire.ID][]*execution // by an execution that has to succeed first: who waits, in the order handed over
	// failed are the executions that have ended without success. All others that are known and have
	// ended have succeeded, which is why those need no memory of their own.
	failed map[wire.ID]struct{}

	fresh    []*execution // handed over since the last sync
	unsynced []*execution // whose intents have been recorded since
	intended []*execution // whose intents were recorded, in this order, until gatePatience is over
}

// jobs are all that was handed over.
type jobs struct {
	width     int // how many executions may be going at once
	queue     queue
	gates     gates
	lookahead lookahead
	known     map[wire.ID]struct{}   // every execution ever handed over: commands may be repeated
	active    map[wire.ID]*execution // those without an end
}

// admit lets a job start when what it is to come after has succeeded: at once, or when it will have.
func (r *runner) admit(e *execution) {
	for _, id := range e.job.After {
		if r.jobs.hasSucceeded(id) {
			continue
		}
		if r.jobs.gates.behind == nil {
			r.jobs.gates.behind = make(map[wire.ID][]*execution)
		}
		r.jobs.gates.behind[id] = append(r.jobs.gates.behind[id], e)
		e.lacks++
	}
	if e.lacks == 0 {
		r.ready(e)
		return
	}
	e.shutSince = time.Now()
	r.jobs.gates.shut++
	r.jobs.gates.fresh = append(r.jobs.gates.fresh, e)
}

// hasSucceeded reports whether an execution is over and has succeeded. One that nobody has heard of
// may still come.
func (j *jobs) hasSucceeded(id wire.ID) bool {
	_, known := j.known[id]
	_, failed := j.gates.failed[id]
	return known && !failed && j.active[id] == nil
}

// open lets a job go that waits behind a gate.
func (r *runner) open(e *execution) {
	r.jobs.takeBack(e)
	r.ready(e)
}

// ready takes a job that waits for nothing but a place.
func (r *runner) ready(e *execution) {
	if strings.TrimSpace(e.job.Command) == "" {
		r.end(e, &wire.Entry{})
		return
	}
	r.jobs.queue.push(e)
}

// settle opens the gates that an end opens. What waits for one that failed waits on: the daemon
// takes it back.
func (r *runner) settle(id wire.ID, end *wire.Entry) {
	behind := r.jobs.gates.behind[id]
	delete(r.jobs.gates.behind, id)
	if !end.Succeeded() {
		r.jobs.gates.fail(id)
		return
	}
	waited := r.jobs.queue.waiting
	for _, e := range behind {
		switch e.lacks {
		case 0: // taken back meanwhile
		case 1:
			r.open(e)
		default:
			e.lacks--
		}
	}
	// Until now a place was waiting, not a job: the daemon may have more places.
	r.news.crowded = r.news.crowded || waited == 0 && r.jobs.queue.waiting > 1
}

func (g *gates) fail(id wire.ID) {
	if g.failed == nil {
		g.failed = make(map[wire.ID]struct{})
	}
	g.failed[id] = struct{}{}
}

// takeBack drops a job from behind its gate.
func (j *jobs) takeBack(e *execution) {
	e.lacks = 0
	j.gates.shut--
}

// forgetWaiting forgets all jobs that were handed over to come after others and have not begun, also those
// whose gates have opened meanwhile. After its hello a
// daemon submits again the jobs that it still wants. It may be a new daemon, which does not know the old ones.
func (r *runner) forgetWaiting() {
	if r.jobs.gates.shut+r.jobs.queue.waiting == 0 {
		return
	}
	for id, e := range r.jobs.active {
		switch {
		case len(e.job.After) == 0:
			continue
		case e.lacks > 0:
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

// intend records the intents of jobs that have just been put behind gates.
func (g *gates) intend(now time.Time, record func(*execution)) {
	for _, e := range g.fresh {
		if e.lacks > 0 && now.Sub(e.shutSince) < gatePatience {
			record(e)
			g.unsynced = append(g.unsynced, e)
			g.intended = append(g.intended, e)
		}
	}
	clear(g.fresh)
	g.fresh = g.fresh[:0]
}

// synced says that everything recorded is on the disk.
func (g *gates) synced() {
	for _, e := range g.unsynced {
		e.durable = e.intended
	}
	clear(g.unsynced)
	g.unsynced = g.unsynced[:0]
}

// expireIntents takes back the intents of those who have waited long.
func (g *gates) expireIntents(now time.Time, forget func(*execution)) {
	for len(g.intended) > 0 && now.Sub(g.intended[0].shutSince) >= gatePatience {
		if e := g.intended[0]; e.lacks > 0 {
			forget(e)
		}
		g.intended[0] = nil
		g.intended = g.intended[1:]
	}
}

package executor

import "strings"

// A job that names others in After waits behind a gate until all of them have succeeded. The runner
// opens gates by itself, the moment it records an end, so that a chain needs no answer of the daemon.
// Nothing of a job behind a shut gate is on the disk: when the gate opens, one sync brings the end
// that opened it and the intent of the job to the disk together, and only then is there a fork. So
// whatever dies, a job behind a shut gate has not begun.

// gates are the jobs that wait for others.
type gates struct {
	shut   int                 // how many jobs wait
	behind map[ID][]*execution // by an execution that has to succeed first: who waits, in the order handed over
	// failed are the executions that have ended without success. All others that are known and have
	// ended have succeeded, which is why those need no memory of their own.
	failed map[ID]struct{}
}

// succeeded reports whether an end opens gates. It is what the caller of an executor counts as success.
func (e *entry) succeeded() bool {
	return e.Code == 0 && e.Signal == 0 && !e.Stopped && !e.Failed && !e.Lost
}

// admit lets a job start when what it is to come after has succeeded: at once, or when it will have.
func (r *runner) admit(e *execution) {
	for _, id := range e.job.After {
		if r.hasSucceeded(id) {
			continue
		}
		if r.gates.behind == nil {
			r.gates.behind = make(map[ID][]*execution)
		}
		r.gates.behind[id] = append(r.gates.behind[id], e)
		e.lacks++
	}
	if e.lacks > 0 {
		r.gates.shut++
		return
	}
	r.ready(e)
}

// hasSucceeded reports whether an execution is over and has succeeded. One that nobody has heard of
// may still come.
func (r *runner) hasSucceeded(id ID) bool {
	_, known := r.known[id]
	_, failed := r.gates.failed[id]
	return known && !failed && r.active[id] == nil
}

// open lets a job go that waits behind a gate.
func (r *runner) open(e *execution) {
	r.takeBack(e)
	r.ready(e)
}

// ready takes a job that waits for nothing but a place.
func (r *runner) ready(e *execution) {
	switch {
	case strings.TrimSpace(e.job.Command) == "":
		r.end(e, &entry{})
	case r.env.missing:
		r.end(e, &entry{Failed: true, Message: "the environment of the run is gone"})
	default:
		r.queue.push(e)
	}
}

// settle opens the gates that an end opens. What waits for one that failed waits on: the daemon
// takes it back.
func (r *runner) settle(id ID, end *entry) {
	behind := r.gates.behind[id]
	delete(r.gates.behind, id)
	if !end.succeeded() {
		r.gates.fail(id)
		return
	}
	waited := r.queue.waiting
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
	r.crowded = r.crowded || waited == 0 && r.queue.waiting > 1
}

func (g *gates) fail(id ID) {
	if g.failed == nil {
		g.failed = make(map[ID]struct{})
	}
	g.failed[id] = struct{}{}
}

// takeBack drops a job from behind its gate.
func (r *runner) takeBack(e *execution) {
	e.lacks = 0
	r.gates.shut--
}

// forgetShut forgets all jobs behind gates. A daemon that says hello hands over again what it still
// wants: it may be another one, and must not be surprised by jobs that it knows nothing of.
func (r *runner) forgetShut() {
	if r.gates.shut == 0 {
		return
	}
	for id, e := range r.active {
		if e.lacks > 0 {
			r.takeBack(e)
			delete(r.active, id)
			delete(r.known, id)
		}
	}
	clear(r.gates.behind)
}

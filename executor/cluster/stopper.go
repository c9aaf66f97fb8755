package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A stopper ends the tasks that are to be stopped. It keeps those that have not started from starting, with a file in the
// folder of the run, and has the batch system signal the others again and again until it says that they are gone.
type stopper struct {
	c      *Cluster
	m      *model
	w      *watcher
	folder *folder
	call   caller
	busy   bool
}

// A stopping is a call of Stop.
type stopping struct {
	deadline time.Time // of TERM; KILL follows
	next     time.Time // when the batch system is told again
	told     bool      // the batch system was told to end it, as far as it answered
	kills    int       // how often it was told to kill it
}

// due returns when the batch system is to be told.
func (s *stopping) due(now time.Time) time.Time {
	switch {
	case s.kills > 0 || s.next.Before(s.deadline):
		return s.next
	case now.Before(s.deadline):
		return s.deadline
	}
	return now
}

// stop ends a task, at once if the batch system cannot have it.
func (s *stopper) stop(t *task, deadline time.Time) {
	s.m.stop(t, deadline)
	if !s.m.maybeSubmitted(t) {
		s.m.finish(t, entry{Time: time.Now(), Phase: Cancelled})
	}
}

// A round is what the stopper tells the cluster with one script.
type round struct {
	waiting, term []*task
	kill          []*task // for the first time: job.sh kills the processes and nothing else
	again         []*task // to be killed by the batch system
	atOnce        []*task // those in waiting that get no TERM if they run nevertheless
}

// all returns the tasks of the round, by what the batch system does.
func (r *round) all() [][]*task {
	return [][]*task{CancelWaiting: r.waiting, CancelTerminate: r.term, CancelScript: r.kill, CancelKill: r.again}
}

// act tells the cluster what to stop. It returns when to call it again; zero = after the next event.
func (s *stopper) act(now time.Time) (next time.Time) {
	var r round
	for _, t := range s.m.tasks {
		switch {
		case t.stop == nil:
			continue
		case !s.m.maybeSubmitted(t): // its batch was refused
			s.m.finish(t, entry{Time: now, Phase: Cancelled})
			continue
		case now.After(t.stop.deadline) && s.w.silence(now) >= s.c.Timing.Abandon:
			s.abandon(t, now)
			continue
		case s.busy:
			continue
		}
		hard := !now.Before(t.stop.deadline)
		if t.result != nil && !hard {
			continue // the batch system kills what the job script leaves
		}
		if due := t.stop.due(now); now.Before(due) {
			next = earlier(next, due)
			continue
		}
		r.add(t, hard)
		t.stop.next = now.Add(s.c.Timing.StopAgain)
		next = earlier(next, t.stop.due(now))
	}
	s.tell(r)
	return next
}

// add takes a task that is due into the round.
func (r *round) add(t *task, hard bool) {
	switch {
	case !t.started:
		r.waiting = append(r.waiting, t)
		if hard {
			r.atOnce = append(r.atOnce, t)
		}
	case !hard:
		r.term = append(r.term, t)
	default:
		if t.stop.kills++; t.stop.kills == 1 {
			r.kill = append(r.kill, t)
		} else {
			r.again = append(r.again, t)
		}
	}
}

// abandon ends a stopped task without knowing whether its processes have ended.
func (s *stopper) abandon(t *task, now time.Time) {
	if t.result != nil {
		s.m.finish(t, *t.result)
		return
	}
	job := t.engineJob().ID
	if job == "" {
		job = t.batch.name
	}
	s.m.finish(t, entry{Time: now, Left: true, Reason: fmt.Sprintf("cluster %s has not answered for %v: job %s may still be there; end it there by hand",
		s.c.Name, s.w.silence(now).Round(time.Second), job)})
}

// tell has a round carried out: first the files that keep tasks from starting, and steps from going on with another task; then
// the signals.
func (s *stopper) tell(r round) {
	if len(r.waiting)+len(r.term)+len(r.kill)+len(r.again) == 0 {
		return
	}
	refs := map[*task][]Ref{}
	for _, tasks := range r.all() {
		for _, t := range tasks {
			refs[t] = s.m.refs(t)
		}
	}
	s.busy = true
	script := s.folder.prepare() + s.folder.claim(r.waiting) + s.folder.mark(r.term, "TERM") + s.folder.mark(slices.Concat(r.kill, r.again, r.atOnce), "KILL")
	s.call(script+":\n", func(output string, err error) {
		if err != nil {
			s.busy = false
			s.c.poller.hasten()
			return
		}
		s.marked(output, refs)
		s.signal(r, refs)
	})
}

// marked handles the names that the first script of a round prints: those of tasks that never start, which end here, and those
// that must get no signal, because their step has gone on with another task.
func (s *stopper) marked(output string, refs map[*task][]Ref) {
	for line := range strings.Lines(output) {
		name, left := strings.CutPrefix(strings.TrimSpace(line), "left ")
		id, _ := parseTaskName(name)
		switch t := s.m.tasks[id]; {
		case t == nil || t.stop == nil:
		case left:
			delete(refs, t)
			t.verdict = true // it has left nothing
		case !t.started:
			s.m.finish(t, entry{Time: time.Now(), Phase: Cancelled})
		}
	}
}

// signal executes the second script of a round. What became of the tasks is seen in the next look.
func (s *stopper) signal(r round, refs map[*task][]Ref) {
	var script []string
	for how, tasks := range r.all() {
		var all []Ref
		for _, t := range tasks {
			all = append(all, refs[t]...)
		}
		if len(all) > 0 {
			script = append(script, s.c.Engine.Cancel(all, Cancellation(how))+" >&2")
		}
	}
	s.call(strings.Join(script, "\n")+"\n:\n", func(_ string, err error) {
		s.busy = false
		if err == nil {
			for _, tasks := range r.all() {
				for _, t := range tasks {
					t.stop.told = true
				}
			}
		}
		s.c.poller.hasten()
	})
}

// earlier returns the earlier of two moments; zero = never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

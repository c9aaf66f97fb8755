package cluster

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"wf/executor/login"
)

// A caller executes a script in the background, and gives its result to the goroutine of the session.
type caller func(script string, then func(output string, err error))

// A submitter submits the tasks of the queue: those with the same resources together, as many as there is room for, and not
// while the batch system refuses more. It finds out about submissions without an answer before it repeats them.
type submitter struct {
	c      *Cluster
	m      *model
	pools  *pools
	folder *folder
	call   caller

	width  int // of the session
	quota  *quota
	ready  bool // what the batch system allows was asked
	busy   bool
	tries  int       // submissions in a row that failed for a reason that may pass
	notNow time.Time // before this no batch is submitted
}

// act submits the next batch if there is one and none is being submitted. It returns when to call it again; zero = after the
// next event.
func (s *submitter) act(now time.Time) (next time.Time) {
	if s.busy || !s.ready {
		return next
	}
	var first *task
	waiting := 0
	for _, t := range s.m.queue {
		if !s.pools.takes(t) {
			first = cmp.Or(first, t)
			waiting++
		}
	}
	room := s.room()
	switch {
	case waiting == 0 || room <= 0:
		return next
	case room < min(waiting, s.limit()/2) && s.m.someWaitThere():
		return next // more together, when there is room for more
	}
	if due := s.next(); now.Before(due) {
		return due
	}
	most := min(room, s.arraySize())
	if due := first.queued.Add(s.c.Timing.Collect); now.Before(due) && waiting < most {
		return due
	}
	if first.shape.Mode == ModeJob {
		most = 1
	}
	if b, durable := s.m.begin(s.m.dequeueAlike(first.shape, most)); durable {
		s.submit(b)
	}
	return next
}

// ask asks the batch system what it allows, once for all runs. If it does not answer, what is usual counts.
func (s *submitter) ask() {
	prober, can := s.c.Engine.(Prober)
	if _, known := s.c.probe.allowed(); known || !can {
		s.ready = true
		return
	}
	s.call(prober.Probe(), func(output string, err error) {
		if s.ready = true; err == nil {
			s.c.probe.set(prober.Probed(output))
		}
	})
}

// arraySize is how many tasks a batch may have.
func (s *submitter) arraySize() int {
	if a, _ := s.c.probe.allowed(); a.ArraySize > 0 {
		return min(s.c.ArraySize, a.ArraySize)
	}
	return s.c.ArraySize
}

// limit is how many jobs the batch system may have at once.
func (s *submitter) limit() int { return min(s.width, s.quota.jobs) }

// room is how many more jobs may be submitted.
func (s *submitter) room() int { return s.limit() - s.m.submitted() }

// next is when the next submission is allowed.
func (s *submitter) next() time.Time { return later(s.notNow, s.quota.next()) }

// later returns the later of two moments.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// submit submits a batch of jobs.
func (s *submitter) submit(b *batch) {
	b.without = s.m.badHosts()
	what := &Batch{Name: b.name, Tasks: len(b.tasks), Resources: b.tasks[0].shape.Resources, Requeue: b.tasks[0].shape.Requeue, Exclude: b.without, Environment: !s.folder.apart, Grace: s.c.Timing.Grace}
	s.send(b, s.folder.prepare()+s.folder.upload(b)+s.c.Engine.Submit(what, `"$PWD"/job.sh`, `"$PWD" `+b.name)+"\n")
}

// send executes the script that submits a batch.
func (s *submitter) send(b *batch, script string) {
	s.busy = true
	s.quota.submit(time.Now())
	s.call(script, func(output string, err error) {
		s.busy = false
		s.answered(b, output, err)
		s.c.poller.hasten()
	})
}

// answered handles the answer to a submission.
func (s *submitter) answered(b *batch, output string, err error) {
	if err == nil {
		var id string
		if id, err = s.c.Engine.Submitted(output); err == nil {
			s.tries = 0
			s.quota.grow()
			s.m.taken(b, id)
			return
		}
	}
	var failure *login.Error
	switch {
	case !errors.As(err, &failure):
		s.m.doubt(b)
	case !failure.Begun || failure.Code == notWritten:
		s.m.refused(b)
		s.pause(failure.Error())
	case failure.Code < 0 || !s.c.Engine.Refused(failure.Message):
		s.m.doubt(b)
	case s.c.Engine.Busy(failure.Message):
		before := s.quota.jobs
		s.quota.shrink(s.m.submitted())
		s.m.refused(b)
		if s.quota.jobs == before || s.m.submitted() > 0 { // otherwise fewer jobs are tried at once
			s.pause(failure.Message)
		}
	case len(b.without) > 0: // perhaps no others are left: a machine that has failed is better than none
		s.m.forgive()
		s.m.refused(b)
	default:
		tasks := slices.Clone(b.tasks)
		s.m.refused(b)
		if b.hold != nil { // the others of its shape would be refused, too
			tasks = append(tasks, s.m.dequeueAlike(b.hold.Shape, len(s.m.queue))...)
		}
		for _, t := range tasks {
			s.m.finish(t, entry{Time: time.Now(), Phase: NotLaunched, Reason: failure.Message})
		}
	}
}

// pause lets the queue wait, longer after each failed submission in a row.
func (s *submitter) pause(why string) {
	s.tries++
	s.notNow = time.Now().Add(min(s.c.Timing.Retry<<min(s.tries-1, 10), s.c.Timing.SlowRetry))
	if s.tries > 2 {
		s.m.complain(why)
	}
}

// resolve decides about a batch of which it is unknown whether the batch system has it. states is what the batch system has
// just shown of it.
func (s *submitter) resolve(b *batch, states map[int]*State, now time.Time) {
	for _, st := range states {
		s.m.taken(b, st.Ref.Job)
		return
	}
	switch {
	case b.doubt.IsZero():
	case slices.ContainsFunc(b.tasks, func(t *task) bool { return t.started && t.batch == b }):
		b.doubt = time.Time{} // it was taken, and is over for the batch system
	default:
		if b.misses++; b.misses >= mostMisses && now.Sub(b.doubt) >= min(s.c.Timing.Doubt, s.c.Timing.Missing) {
			s.m.giveUp(b)
			s.pause("submitting jobs has no answer")
		}
	}
}

// mostMisses is how many answers without a batch in doubt it takes, besides Timing.Doubt, to conclude that it was not taken.
const mostMisses = 3

// retry lets the queue wait no longer.
func (s *submitter) retry() { s.notNow = time.Time{} }

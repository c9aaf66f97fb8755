package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"wf/executor"
)

// A Pooler is an Engine that can hold an allocation for many tasks, which are executed in it as steps.
type Pooler interface {
	Engine
	// Hold is Submit for an allocation with room for b.Tasks tasks at once, each with b.Resources, but for Time, which is that
	// of the whole allocation.
	Hold(b *Batch, script, args string) string
	// Step returns the command, as words of a shell, that executes a command with the resources of one task in the
	// allocation of the job that calls it. Its exit status is that of the command, or not 0 if the batch system ended it.
	Step(r executor.Resources) string
	// StepID is the id of a step, as a part of a shell script that is executed in it.
	StepID() string
	// Machine is the name by which the batch system knows the machine, as a part of a shell script that is executed in a step, or
	// that holds an allocation.
	Machine() string
	// Left reports whether an allocation that goes on has certainly lost a machine, whose name is from Machine.
	Left(allocation State, machine string) bool
	// StepFailure returns why a step failed, from what its command printed; Unknown = by itself, as far as is known.
	StepFailure(message string) Phase
}

// The modes of a Cluster, and of the resources of a job.
const (
	ModeAuto  = "auto"
	ModePool  = "pool"
	ModeArray = "array"
	ModeJob   = "job"
)

// A Pool describes the allocations that are held for many tasks. Zero values are replaced by those of the comments.
type Pool struct {
	Size  int           // how many tasks an allocation executes at once; 8
	Time  time.Duration // after which an allocation ends; 1 h, and at least twice the time of a task
	Idle  time.Duration // after which an allocation without tasks is given back; 1 min
	Limit int           // how many allocations a run holds at most; 4
}

func (p Pool) withDefaults() Pool {
	return Pool{Size: cmp.Or(p.Size, 8), Time: cmp.Or(p.Time, time.Hour), Idle: cmp.Or(p.Idle, time.Minute), Limit: cmp.Or(p.Limit, 4)}
}

// In mode auto, tasks that take at most shortTask are executed in a pool when manyTasks with the same resources wait.
const (
	shortTask = 10 * time.Minute
	manyTasks = 20
)

// mostHoldFailures is how many allocations in a row may end before they have started a task.
const mostHoldFailures = 3

// A hold is what a batch has that is an allocation. Tasks are given to it as long as it takes some.
type hold struct {
	Shape shape `json:"shape"` // of each task
	Width int   `json:"width"` // how many tasks it executes at once

	running bool // its script has started
	closed  bool // it takes no more tasks
	over    bool // the batch system has ended it
	used    bool // it has started a task
	removed bool // it was cancelled, because nothing is expected of it any more
	// abandoned: the allocation still runs, but starts no more tasks. It is cancelled when its running tasks have ended.
	abandoned bool
	misfires  int       // steps in a row that have not started their tasks
	sealed    time.Time // since when its steps can know that they must start nothing more; zero = they cannot
	deserted  bool      // it is abandoned, and a look since then has shown all that it has started
	machine   string    // where its script is executed, see Pooler.Machine; "" = not known
	progress  time.Time // when something began or ended there, or was given to it; zero = the batch system has not answered since
	// depth is how many tasks it has at once: what it executes at once, so that another allocation can get the others, and what
	// ends until the look after the next one.
	depth  int
	ended  int       // tasks since the depth was set
	since  time.Time // when the depth was set, or it got tasks after it had none; zero = never
	eager  time.Time // until then looks come soon, because it is about to start, or to run out of tasks
	absent time.Time // since when the batch system does not show it any more
}

// load is how many tasks of an allocation have not ended.
func (b *batch) load() (n int) {
	for _, t := range b.tasks {
		if t.batch == b && t.result == nil {
			n++
		}
	}
	return n
}

// waiting is how many tasks of an allocation have not started.
func (b *batch) waiting() (n int) {
	for _, t := range b.tasks {
		if t.batch == b && !t.started {
			n++
		}
	}
	return n
}

// pools holds allocations, as many as there is work for, and gives them tasks.
type pools struct {
	c      *Cluster
	engine Pooler // nil = the engine has no steps
	m      *model
	folder *folder
	call   caller
	submit *submitter

	busy   bool
	shapes map[shape]bool // those whose tasks are executed in pools at present
	failed map[shape]int  // allocations in a row that have not started a task
}

func newPools(c *Cluster, m *model, f *folder, call caller, s *submitter) *pools {
	engine, _ := c.Engine.(Pooler)
	return &pools{c: c, engine: engine, m: m, folder: f, call: call, submit: s, failed: map[shape]int{}}
}

// choose decides which tasks of the queue are executed in pools.
func (p *pools) choose() {
	p.shapes = map[shape]bool{}
	if p.engine == nil {
		return
	}
	waiting := map[shape]int{}
	for _, t := range p.m.queue {
		waiting[t.shape]++
	}
	for want, n := range waiting {
		switch want.Mode {
		case ModePool:
			p.shapes[want] = true
		case ModeArray, ModeJob:
		default:
			short := want.Time > 0 && want.Time <= shortTask
			p.shapes[want] = short && (n >= manyTasks || len(p.open(want)) > 0)
		}
	}
}

// takes reports whether a task of the queue is executed in a pool.
func (p *pools) takes(t *task) bool { return p.shapes[t.shape] }

// open are the allocations for tasks of a shape that take more, the oldest first.
func (p *pools) open(want shape) (open []*batch) {
	for _, b := range p.m.batches {
		if b.hold != nil && b.hold.Shape == want && !b.hold.closed && !b.hold.over {
			open = append(open, b)
		}
	}
	slices.SortFunc(open, func(a, b *batch) int { return cmp.Compare(a.number, b.number) })
	return open
}

// act gives tasks to allocations, or asks for another allocation. It returns when to call it again; zero = after the next event.
func (p *pools) act(now time.Time) (next time.Time) {
	p.choose()
	for _, b := range p.m.batches {
		if h := b.hold; h != nil && !h.over {
			h.adapt(b.load(), p.c.Timing.Poll, now)
			if now.Before(h.eager) {
				p.c.poller.soon()
			}
		}
	}
	if p.busy || !p.submit.ready {
		return next
	}
	for _, want := range p.inOrder() {
		if gifts := p.gifts(want, now); len(gifts) > 0 {
			p.give(gifts)
			return next
		}
		due, wanted := p.wants(want, now)
		switch {
		case !wanted:
		case now.Before(due):
			next = earlier(next, due)
		default:
			p.hold(want, now)
			return next
		}
	}
	p.remove()
	return next
}

// remove cancels an allocation without tasks, if nothing is expected of it: it has not started, it starts nothing any more, or
// its place is needed for others.
func (p *pools) remove() {
	crowded := p.crowded()
	waits := func(want shape) bool {
		return slices.ContainsFunc(p.m.queue, func(t *task) bool { return t.shape == want })
	}
	for _, b := range p.m.batches {
		h := b.hold
		if h == nil || h.over || h.removed || b.job == "" || len(b.tasks) > 0 {
			continue
		}
		if !h.deserted && (h.abandoned || waits(h.Shape) || h.running && !crowded) {
			continue
		}
		h.closed, h.removed, p.busy = true, true, true
		p.call(p.engine.Cancel([]Ref{{Job: b.job, Index: -1}}, CancelKill), func(_ string, err error) {
			p.busy, h.removed = false, err == nil
			p.c.poller.hasten()
		})
		return
	}
}

// crowded reports whether tasks wait for an allocation that there cannot be beside all others.
func (p *pools) crowded() bool {
	return p.m.holds() >= p.c.Pool.Limit && slices.ContainsFunc(p.inOrder(), func(want shape) bool { return len(p.open(want)) == 0 })
}

// inOrder are the shapes of the tasks for pools, in the order of the queue.
func (p *pools) inOrder() (shapes []shape) {
	seen := map[shape]bool{}
	for _, t := range p.m.queue {
		if p.takes(t) && !seen[t.shape] {
			seen[t.shape] = true
			shapes = append(shapes, t.shape)
		}
	}
	return shapes
}

// A gift is what an allocation gets.
type gift struct {
	to    *batch
	tasks []*task
}

// gifts takes tasks from the queue for the allocations that have room.
func (p *pools) gifts(want shape, now time.Time) (gifts []gift) {
	for _, b := range p.open(want) {
		if !b.hold.running {
			continue
		}
		load := b.load()
		if tasks := p.m.dequeueAlike(want, b.hold.depth-load); len(tasks) > 0 {
			if load == 0 {
				b.hold.since = now
			}
			b.hold.progress = now
			gifts = append(gifts, gift{b, tasks})
		}
	}
	return gifts
}

// mostDepth is how many times as many tasks as it executes at once an allocation may have.
const mostDepth = 100

// adapt sets the depth of an allocation that has load tasks, if some have ended since the last time.
func (h *hold) adapt(load int, poll time.Duration, now time.Time) {
	if h.ended == 0 {
		if load == 0 && now.Sub(h.since) > 2*poll { // the next tasks may be long
			h.depth = h.Width
		}
		return
	}
	if h.since.IsZero() {
		h.since = now.Add(-poll)
	}
	elapsed := max(now.Sub(h.since), time.Millisecond)
	pace := float64(h.ended) / elapsed.Seconds()
	if load < h.Width && elapsed <= 2*poll { // for a part of this time there was nothing to execute
		pace *= 2
	}
	ends := min(int(pace*poll.Seconds()), mostDepth*h.Width)
	h.depth = min(h.Width+2*ends, mostDepth*h.Width)
	h.ended, h.since, h.eager = 0, now, time.Time{}
	if load < 2*ends {
		h.eager = now.Add(poll)
	}
}

// give appends tasks to the lists of allocations. If the answer is lost, they are appended again: each is started once.
func (p *pools) give(gifts []gift) {
	var script strings.Builder
	script.WriteString(p.folder.prepare())
	for _, g := range gifts {
		if !p.m.give(g.to, g.tasks) {
			return
		}
		script.WriteString(p.folder.files(g.tasks) + p.folder.give(g.to, g.tasks))
	}
	p.busy = true
	p.call(script.String(), func(output string, err error) {
		p.busy = false
		for _, g := range gifts {
			if err != nil { // it is unknown what the lists contain
				p.m.takeBack(g.to, g.tasks)
			} else if slices.Contains(strings.Fields(output), g.to.name) {
				g.to.hold.closed = true
				p.m.takeBack(g.to, g.tasks)
			}
		}
		if err != nil {
			p.submit.pause(err.Error())
		}
	})
}

// wants reports whether another allocation is needed for tasks of a shape, and from when on it may be asked for.
func (p *pools) wants(want shape, now time.Time) (due time.Time, wanted bool) {
	open := p.open(want)
	for _, b := range open {
		if !b.hold.running {
			return due, false // it is enough that one waits
		}
	}
	if held := p.m.holds(); held >= p.c.Pool.Limit || p.submit.room() <= 0 || p.submit.busy {
		return due, false
	}
	due = p.submit.next()
	if len(open) == 0 {
		first := p.m.queue[slices.IndexFunc(p.m.queue, func(t *task) bool { return t.shape == want })]
		if collected := first.queued.Add(p.c.Timing.Collect); collected.After(due) {
			due = collected
		}
	}
	return due, true
}

// stepSpan is how long a step begins tasks. So much later a task may get TERM because its time is up.
const stepSpan = time.Minute

// hold asks for an allocation.
func (p *pools) hold(want shape, now time.Time) {
	width := p.c.Pool.Size
	h := &hold{Shape: want, Width: width, depth: width}
	var tasks []*task
	if len(p.open(want)) == 0 { // otherwise the others may execute them before this one starts
		tasks = p.m.dequeueAlike(want, width)
		h.eager = now.Add(2 * p.c.Timing.Poll)
	}
	b, durable := p.m.hold(h, tasks)
	if !durable {
		return
	}
	total := max(p.c.Pool.Time, 2*want.Time)
	life := total / 2
	if want.Time > 0 {
		life = total - want.Time - p.c.Timing.Grace
	}
	life = max(life, total/10)
	b.without = p.m.badHosts()
	what := &Batch{Name: b.name, Tasks: width, Resources: want.Resources, Grace: p.c.Timing.Grace, Environment: !p.folder.apart, Exclude: b.without}
	what.Resources.Time = total
	step := want.Resources
	if step.Time > 0 {
		step.Time += stepSpan
	}
	args := fmt.Sprintf(`"$PWD" %s %d %d %d %d `, b.name, width, int(p.c.Pool.Idle.Seconds()), int(life.Seconds()), int(stepSpan.Seconds())) + p.engine.Step(step)
	p.submit.send(b, p.folder.prepare()+p.folder.files(b.tasks)+p.folder.pool(b)+p.engine.Hold(what, `"$PWD"/pool.sh`, args)+"\n")
}

// seen takes over what the batch system says about an allocation; nil = it does not show it.
func (p *pools) seen(b *batch, st *State, began, now time.Time) {
	if !b.hold.over {
		p.check(b, st, began, now)
	}
	switch {
	case b.hold.over:
	case st != nil && !st.Phase.over():
		b.hold.absent = time.Time{}
	case st == nil && (b.job == "" || !b.doubt.IsZero()):
	case b.hold.absent.IsZero():
		b.hold.absent = now // the files are looked at once more
		p.c.poller.askSoon()
	case st != nil && began.After(b.hold.absent):
		p.end(b, *st)
	case st == nil && now.Sub(b.hold.absent) >= p.c.Timing.Missing:
		p.end(b, State{})
	}
}

// check finds allocations that start nothing any more although they go on: the machine with their script has failed, their steps hang,
// as after a restart of a controller that believes that steps go on which have ended, or their steps fail, because the controller
// has forgotten the allocation. Others get their tasks.
func (p *pools) check(b *batch, st *State, began, now time.Time) {
	h := b.hold
	switch {
	case p.engine == nil || !h.running:
		return
	case h.abandoned:
		h.deserted = !h.sealed.IsZero() && began.After(h.sealed.Add(p.c.Timing.Poll))
		p.seal(b)
		return
	case h.misfires >= mostMisfires:
	case st == nil || st.Phase.over():
		return
	case h.machine != "" && p.engine.Left(*st, h.machine):
	case h.progress.IsZero() || b.waiting() == 0 || b.waiting() < b.load():
		h.progress = now
		return
	case now.Sub(h.progress) < p.c.Timing.Stall:
		return
	}
	h.abandoned, h.closed = true, true
	p.m.takeBack(b, slices.Clone(b.tasks))
	p.seal(b)
}

// seal lets the steps of an abandoned allocation know that they must start nothing more.
func (p *pools) seal(b *batch) {
	h := b.hold
	if !h.sealed.IsZero() || p.busy {
		return
	}
	p.busy = true
	p.call(p.folder.prepare()+p.folder.seal(b), func(_ string, err error) {
		if p.busy = false; err == nil {
			h.sealed = time.Now()
		}
		p.c.poller.hasten()
	})
}

// end notes that an allocation is over. Tasks that it has not started wait again, unless allocations end again and again
// before they have started one.
func (p *pools) end(b *batch, st State) {
	want := b.hold.Shape
	if p.failed[want]++; b.hold.used || b.hold.removed {
		p.failed[want] = 0
	}
	p.m.over(b)
	if p.failed[want] < mostHoldFailures {
		return
	}
	delete(p.failed, want)
	why := fmt.Sprintf("%d allocations in a row have ended before they started a task; the last one: %s", mostHoldFailures, cmp.Or(strings.TrimSpace(st.Text+" "+st.Reason), "not shown any more"))
	for _, t := range p.m.dequeueAlike(want, len(p.m.queue)) {
		p.m.finish(t, entry{Time: time.Now(), Phase: NotLaunched, Reason: why})
	}
}

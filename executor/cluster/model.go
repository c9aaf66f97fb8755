package cluster

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/executor"
	"wf/executor/shell"
)

// A model is what is known of the run: its tasks, and the batches with which they were submitted. Each change is written to
// the journal, and becomes a report if it matters to the caller of the executor. Only what the batch system says about a task
// is not in the journal. A model starts nothing, and belongs to the goroutine of its session.
type model struct {
	c       *Cluster
	journal *journal
	fault   error  // of the journal
	name    string // of the folder of the run on the shared file system
	series  string // part of the names of batches, which no other journal has; in journals of earlier versions it is name
	dir     string // of that folder: Cluster.Dir when the run began
	outputs *outputs

	queue   []*task                  // not submitted, in order
	tasks   map[executor.ID]*task    // all that have not ended
	batches map[string]*batch        // those with tasks that have not ended
	ended   map[executor.ID]struct{} // whose files may still be there
	count   int                      // of batches, for their names
	reached bool                     // the batch system has, or may have had, a batch
	lost    map[string]loss          // by machines of the cluster that have failed
	left    []string                 // ids of jobs of ended tasks that the cluster may still have
	done    map[string]struct{}      // names of ended tasks whose files on the shared file system can be removed
	reports []executor.Report        // to be sent at the end of the turn
	problem string                   // why the cluster does not take or show jobs at present; "" = it does
}

func newModel(c *Cluster, o *outputs) *model {
	return &model{c: c, outputs: o, tasks: map[executor.ID]*task{}, batches: map[string]*batch{}, ended: map[executor.ID]struct{}{}, lost: map[string]loss{}, done: map[string]struct{}{}}
}

// log adds an entry to the journal.
func (m *model) log(e entry) {
	if err := m.journal.add(e); err != nil {
		m.fault = err
	}
}

// sync makes the journal durable, and reports whether it could.
func (m *model) sync() bool {
	if err := m.journal.sync(); err != nil {
		m.fault = err
	}
	return m.fault == nil
}

// report adds a report.
func (m *model) report(r executor.Report) { m.reports = append(m.reports, r) }

// take takes over a job that is not known yet.
func (m *model) take(j executor.Job, now time.Time) {
	if m.tasks[j.ID] != nil {
		return
	}
	if _, over := m.ended[j.ID]; over {
		return
	}
	t := &task{job: j, shape: m.c.shapeOf(&j), slot: -1, queued: now}
	m.log(entry{Kind: entryJob, Given: &j})
	m.tasks[j.ID] = t
	if strings.TrimSpace(j.Command) == "" {
		m.finish(t, entry{Time: now})
		return
	}
	if err := tooLarge(&j); err != nil {
		m.finish(t, entry{Time: now, Phase: NotLaunched, Reason: err.Error()})
		return
	}
	m.queue = append(m.queue, t)
}

// mostArguments is the most that arguments and variables of a program may have together on Linux, whatever its limits are.
const mostArguments = 6 << 20

// tooLarge returns the error for a job whose variables no program can get.
func tooLarge(j *executor.Job) error {
	env, _, err := shell.Values(j.Command, j.Env)
	if err == nil && shell.Size(env) > mostArguments {
		err = shell.TooLarge([]string{j.Command}, env)
	}
	return err
}

// submitted is the number of tasks that the batch system has or may have. An allocation counts as one, whatever it executes.
func (m *model) submitted() int {
	n := len(m.tasks) - len(m.queue)
	for _, b := range m.batches {
		if b.hold == nil {
			continue
		}
		for _, t := range b.tasks {
			if t.batch == b {
				n--
			}
		}
		if !b.hold.over {
			n++
		}
	}
	return n
}

// dropStopped removes the tasks that are to be stopped from the queue.
func (m *model) dropStopped() {
	m.queue = slices.DeleteFunc(m.queue, func(t *task) bool { return t.stop != nil })
}

// dequeue removes a task from the queue.
func (m *model) dequeue(t *task) {
	m.queue = slices.DeleteFunc(m.queue, func(o *task) bool { return o == t })
}

// batchPrefix begins the names of the batches of the run.
func (m *model) batchPrefix() string { return NamePrefix + m.series + "-" }

// begin makes a batch of tasks that are not in the queue any more. It is durable when begin returns true.
func (m *model) begin(tasks []*task) (b *batch, durable bool) {
	return m.beginBatch(tasks, nil)
}

// hold makes an allocation that gets tasks, which are not in the queue any more. It is durable when hold returns true.
func (m *model) hold(h *hold, tasks []*task) (b *batch, durable bool) {
	return m.beginBatch(tasks, h)
}

func (m *model) beginBatch(tasks []*task, h *hold) (b *batch, durable bool) {
	m.count++
	b = newBatch(m.batchPrefix()+strconv.Itoa(m.count), m.count, tasks)
	b.hold = h
	m.batches[b.name] = b
	m.log(entry{Kind: entryBatch, Batch: b.name, Tasks: taskIDs(tasks), Hold: h})
	if m.sync() {
		return b, true
	}
	delete(m.batches, b.name)
	m.requeue(b)
	return nil, false
}

func taskIDs(tasks []*task) []executor.ID {
	ids := make([]executor.ID, len(tasks))
	for i, t := range tasks {
		ids[i] = t.job.ID
	}
	return ids
}

// dequeueAlike removes and returns the first tasks of the queue that have a shape.
func (m *model) dequeueAlike(want shape, most int) (taken []*task) {
	rest := m.queue[:0:0]
	for _, t := range m.queue {
		if len(taken) < most && t.shape == want {
			taken = append(taken, t)
		} else {
			rest = append(rest, t)
		}
	}
	m.queue = rest
	return taken
}

// taken notes that the batch system has a batch.
func (m *model) taken(b *batch, id string) {
	m.reached = true
	if b.job == id {
		return
	}
	b.job, b.doubt, b.misses = id, time.Time{}, 0
	m.log(entry{Kind: entryTaken, Batch: b.name, Taken: id})
	m.complain("")
}

// doubt notes that it is unknown whether the batch system has a batch. It is looked for by its name.
func (m *model) doubt(b *batch) {
	m.reached = true
	b.doubt, b.misses = time.Now(), 0
}

// refused notes that the batch system has certainly not taken a batch.
func (m *model) refused(b *batch) {
	m.log(entry{Kind: entryRefused, Batch: b.name})
	delete(m.batches, b.name)
	m.requeue(b)
}

// giveUp notes that the batch system does not show a batch, whose tasks are submitted again.
func (m *model) giveUp(b *batch) {
	m.log(entry{Kind: entryUnknown, Batch: b.name})
	m.dropped(b)
}

// dropped notes that nothing is expected of a batch any more.
func (m *model) dropped(b *batch) {
	b.given, b.doubt = true, time.Time{}
	if b.hold != nil {
		b.hold.over = true
	}
	m.requeue(b)
}

// give gives tasks, which are not in the queue any more, to an allocation. It is durable when give returns true.
func (m *model) give(b *batch, tasks []*task) (durable bool) {
	b.add(tasks)
	m.log(entry{Kind: entryGive, Batch: b.name, Tasks: taskIDs(tasks)})
	if m.sync() {
		return true
	}
	m.takeBack(b, tasks)
	return false
}

// takeBack takes tasks that an allocation has not started, as far as is known, back into the queue.
func (m *model) takeBack(b *batch, tasks []*task) {
	m.requeueTasks(b, tasks)
	m.log(entry{Kind: entryTakeBack, Batch: b.name, Tasks: taskIDs(tasks)})
}

// over notes that an allocation has ended. The tasks that it has not started wait again.
func (m *model) over(b *batch) {
	b.hold.over = true
	m.log(entry{Kind: entryOver, Batch: b.name})
	m.requeue(b)
}

// someWaitThere reports whether the batch system has tasks that have not started.
func (m *model) someWaitThere() bool {
	for _, t := range m.tasks {
		if t.batch != nil && t.batch.hold == nil && !t.started {
			return true
		}
	}
	return false
}

// holds is how many allocations the batch system has or may have.
func (m *model) holds() (n int) {
	for _, b := range m.batches {
		if b.hold != nil && !b.hold.over {
			n++
		}
	}
	return n
}

// heldJobs are the allocations that the batch system has, as far as their ids are known.
func (m *model) heldJobs() (jobs []Ref) {
	for _, b := range m.batches {
		if b.hold != nil && !b.hold.over && b.job != "" {
			jobs = append(jobs, Ref{Job: b.job, Index: -1})
		}
	}
	return jobs
}

// requeue takes the tasks of a batch back into the queue, before all others. A task that has started stays.
func (m *model) requeue(b *batch) { m.requeueTasks(b, b.tasks) }

func (m *model) requeueTasks(b *batch, tasks []*task) {
	var back []*task
	for _, t := range tasks {
		if t.batch != b || t.started {
			continue
		}
		t.batch = nil
		back = append(back, t)
	}
	m.queue = append(back, m.queue...)
	if b.hold != nil { // its tasks come and go
		b.tasks = slices.DeleteFunc(b.tasks, func(t *task) bool { return t.batch != b })
	}
}

// start notes and reports the start of a task, of which the entry has what its script has told.
func (m *model) start(t *task, e entry) error {
	if err := m.outputs.open(t); err != nil {
		return err
	}
	e.Kind, e.ID, e.Slot, e.OutAt, e.ErrAt, e.Merge = entryStart, t.job.ID, t.slot, t.out.start, t.err.start, t.job.Merge
	t.started, t.startedAt, t.host, t.machine, t.step, t.absent = true, e.Time, e.Host, e.Machine, e.Step, time.Time{}
	m.startedIn(t)
	if t.state.Phase == Waiting { // the batch system says so later
		t.state = State{Phase: Running, Text: "RUNNING"}
	}
	m.log(e)
	m.report(t.startReport())
	return nil
}

// startedIn notes in which batch a task has started. It may have been given to another one since, or wait again, because its
// allocation seemed to be over.
func (m *model) startedIn(t *task) {
	job, _, step := strings.Cut(t.step, ".")
	if t.batch == nil || step && t.batch.job != job {
		for _, b := range m.batches {
			if _, in := b.index[t.job.ID]; in && (b.job == job || !step && t.batch == nil) {
				m.moveTo(t, b)
				break
			}
		}
	}
	if b := t.batch; b != nil && b.hold != nil {
		b.hold.running, b.hold.used, b.hold.misfires = true, true, 0
	}
}

// moveTo makes a task, which may be in the queue or in another batch, one of a batch that has had it before.
func (m *model) moveTo(t *task, b *batch) {
	m.dequeue(t)
	if old := t.batch; old != nil {
		old.tasks = slices.DeleteFunc(old.tasks, func(o *task) bool { return o == t })
	}
	t.batch, b.tasks = b, append(b.tasks, t)
}

// watched reports whether the batch system has something that the run waits for.
func (m *model) watched() bool {
	for _, b := range m.batches {
		if len(b.tasks) > 0 || b.hold != nil && !b.hold.over {
			return true
		}
	}
	return false
}

// change reports what the batch system says about a task, if it differs from what it said before.
func (m *model) change(t *task, st State, now time.Time) {
	before := t.state
	if t.state = st; before != st {
		m.report(executor.Report{Kind: executor.Changed, ID: t.job.ID, Time: now, Engine: t.engineJob()})
	}
}

// complain reports for each task why the cluster does not answer or takes no jobs; "" = it does. The run is not held: what
// other executors have of it goes on.
func (m *model) complain(why string) {
	if why == m.problem {
		return
	}
	m.problem = why
	now := time.Now()
	for _, t := range m.tasks {
		j := t.engineJob()
		if why != "" {
			j.State, j.Why = "NO ANSWER", why
		}
		m.report(executor.Report{Kind: executor.Changed, ID: t.job.ID, Time: now, Engine: j})
	}
}

// stop notes that a task is to be stopped, with KILL after the deadline.
func (m *model) stop(t *task, deadline time.Time) {
	if t.stop != nil {
		if deadline.Before(t.stop.deadline) {
			t.stop.deadline = deadline
		}
		return
	}
	t.stop = &stopping{deadline: deadline}
	m.log(entry{Kind: entryStop, ID: t.job.ID})
}

// finish ends a task: it notes and reports its end, and has its files removed.
func (m *model) finish(t *task, e entry) {
	e.Kind, e.ID, e.Stop = entryEnd, t.job.ID, t.stop != nil
	e.Out, e.Err, e.Peak = t.out.size, t.err.size, cmp.Or(t.peak.bytes, t.state.Peak)
	e.Machine = cmp.Or(t.machine, t.state.Host)
	m.log(e)
	m.noteLoss(t, e)
	m.report(t.endReport(e))
	if e.Left {
		m.left = append(m.left, t.engineJob().ID)
	}
	m.forget(t)
	if t.batch != nil {
		m.done[taskName(t.job.ID)] = struct{}{}
	}
}

// A loss is what is known of a machine that has failed.
type loss struct {
	times int // how often; all tasks that it loses at once are one time
	after int // how many batches there were when it failed the last time
}

// mostLosses is how often a machine may fail before it gets no more tasks.
const mostLosses = 2

// noteLoss notes a task that ended because its machine failed. It is another failure of the machine if the task was submitted
// after the one before.
func (m *model) noteLoss(t *task, e entry) {
	if e.Phase != NodeFailed || e.Machine == "" || t.batch == nil {
		return
	}
	if l := m.lost[e.Machine]; t.batch.number > l.after {
		m.lost[e.Machine] = loss{times: l.times + 1, after: m.count}
	}
}

// badHosts are the machines that have failed too often.
func (m *model) badHosts() (hosts []string) {
	for host, l := range m.lost {
		if l.times >= mostLosses {
			hosts = append(hosts, host)
		}
	}
	slices.Sort(hosts)
	return hosts
}

// forgive lets the machines that have failed get tasks again.
func (m *model) forgive() { clear(m.lost) }

// forget removes an ended task.
func (m *model) forget(t *task) {
	delete(m.tasks, t.job.ID)
	m.dequeue(t)
	m.ended[t.job.ID] = struct{}{}
	m.outputs.release(t)
	for name, b := range m.batches {
		if b.tasks = slices.DeleteFunc(b.tasks, func(o *task) bool { return o == t }); len(b.tasks) == 0 && b.hold == nil {
			delete(m.batches, name)
		}
	}
}

// maybeSubmitted reports whether the batch system may have a task.
func (m *model) maybeSubmitted(t *task) bool {
	for _, b := range m.batches {
		if _, in := b.index[t.job.ID]; in {
			return true
		}
	}
	return false
}

// refs are the jobs with which a task was submitted, as far as their ids are known.
func (m *model) refs(t *task) (all []Ref) {
	for _, b := range m.batches {
		if _, in := b.index[t.job.ID]; in && b.job != "" && (b.hold == nil || t.step != "") {
			all = append(all, b.ref(t))
		}
	}
	return all
}

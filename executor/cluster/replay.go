package cluster

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// replay takes over an entry of the journal that an earlier session has written.
func (m *model) replay(e entry) error {
	switch e.Kind {
	case entryOpen:
		if m.dir, m.name = path.Split(e.Folder); m.name == "" {
			return fmt.Errorf("the journal has the folder %q, which has no name", e.Folder)
		}
		m.dir, m.series = strings.TrimSuffix(m.dir, "/"), cmp.Or(e.Batch, m.name)
	case entryJob:
		if e.Given != nil {
			m.tasks[e.Given.ID] = &task{job: *e.Given, shape: m.c.shapeOf(e.Given), slot: -1}
			m.queue = append(m.queue, m.tasks[e.Given.ID])
		}
	case entryBatch:
		m.reached = true // as far as is known
		return m.replayBatch(e)
	case entryTaken:
		if b := m.batches[e.Batch]; b != nil {
			b.job, b.doubt = e.Taken, time.Time{}
		}
	case entryRefused:
		if b := m.batches[e.Batch]; b != nil {
			delete(m.batches, e.Batch)
			m.requeue(b)
		}
	case entryUnknown:
		if b := m.batches[e.Batch]; b != nil {
			m.dropped(b)
		}
	case entryGive, entryTakeBack, entryOver:
		return m.replayHold(e)
	default:
		return m.replayTask(e)
	}
	return nil
}

// replayHold takes over what has happened with an allocation.
func (m *model) replayHold(e entry) error {
	b := m.batches[e.Batch]
	if b == nil || b.hold == nil {
		return fmt.Errorf("the journal has an entry %q of %s, which is no allocation", e.Kind, e.Batch)
	}
	tasks, err := m.known(e)
	if err != nil {
		return err
	}
	switch e.Kind {
	case entryGive:
		b.add(tasks)
		m.queue = slices.DeleteFunc(m.queue, func(t *task) bool { return t.batch != nil })
	case entryTakeBack:
		m.requeueTasks(b, tasks)
	case entryOver:
		b.hold.over = true
		m.requeue(b)
	}
	return nil
}

// known returns the tasks of an entry.
func (m *model) known(e entry) ([]*task, error) {
	var tasks []*task
	for _, id := range e.Tasks {
		if m.tasks[id] == nil {
			return nil, fmt.Errorf("the journal has an entry %q of %s with node %d, execution %d, which was not handed over or has ended", e.Kind, e.Batch, id.Node, id.Execution)
		}
		tasks = append(tasks, m.tasks[id])
	}
	return tasks, nil
}

// replayBatch takes over a batch. Until another entry says more, it is unknown whether the batch system has it.
func (m *model) replayBatch(e entry) error {
	_, number, _ := strings.Cut(strings.TrimPrefix(e.Batch, NamePrefix), "-")
	m.count, _ = strconv.Atoi(number)
	tasks, err := m.known(e)
	if err != nil {
		return err
	}
	b := newBatch(e.Batch, m.count, tasks)
	if b.doubt, b.hold = time.Now(), e.Hold; b.hold != nil {
		b.hold.depth = b.hold.Width
	}
	m.batches[e.Batch] = b
	m.queue = slices.DeleteFunc(m.queue, func(t *task) bool { return t.batch != nil })
	return nil
}

// mostSlots bounds the slots of outputs, which are as many as tasks run at once.
const mostSlots = 1 << 20

func (m *model) replayTask(e entry) error {
	t := m.tasks[e.ID]
	if t == nil {
		return fmt.Errorf("the journal has an entry %q of node %d, execution %d, which was not handed over or has ended", e.Kind, e.ID.Node, e.ID.Execution)
	}
	switch e.Kind {
	case entryStart:
		if t.started || e.Slot < 0 || e.Slot > mostSlots {
			return fmt.Errorf("the journal has a start of node %d, execution %d, with output %d, which cannot be", e.ID.Node, e.ID.Execution, e.Slot)
		}
		t.started, t.startedAt, t.host, t.slot, t.job.Merge = true, e.Time, e.Host, e.Slot, e.Merge
		t.step, t.machine = e.Step, e.Machine
		m.startedIn(t)
		m.outputs.resume(t, e.OutAt, e.ErrAt)
		m.report(t.startReport())
	case entryStop:
		t.stop = &stopping{deadline: time.Now()}
	case entryEnd:
		if e.Stop {
			t.stop = &stopping{}
		}
		m.noteLoss(t, e)
		m.report(t.endReport(e))
		if e.Left {
			m.left = append(m.left, t.engineJob().ID)
		}
		m.forget(t)
	default:
		return fmt.Errorf("the journal has an entry of kind %q, which this version of wf does not know", e.Kind)
	}
	return nil
}

package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/tui/plain"
)

// A board is how a run stands, as far as its events have told: what progress is drawn from. Each
// event costs the same, however large the run is. Its zero maps are made by newBoard.
type board struct {
	total   int            // nodes to run
	kept    int            // nodes in scope that a resumed run does not repeat
	missed  int            // nodes that ended unseen: before somebody came, or while the connection was lost
	done    map[string]int // the latest execution that ended, of nodes that ended at least once
	running map[string]*runningNode
	queued  map[string]bool
	failed  map[string]bool
	waiting map[string]*waitingNode
	skipped map[string]bool // no path leads to them any more
	within  map[string]int  // nodes of instances that ended at least once, by the name of their sub-flow
	blocked int

	begun   time.Time     // of what was seen of the run
	work    time.Duration // of the executions that have ended
	slowest []timedNode   // at most maxSlowest, the longest first
	ahead   forecast
	stageOf map[string]*stage // nil until the nodes of the run are known
}

// runningNode is a node whose process exists.
type runningNode struct {
	id, name  string // name: safe to print
	execution int
	started   time.Time
	tail      string // its last line of output, safe to print
}

// timedNode is a node and how long an execution of it took.
type timedNode struct {
	name string
	took time.Duration
}

// maxSlowest is how many nodes are named as the slowest.
const maxSlowest = 3

func newBoard() *board {
	return &board{done: map[string]int{}, running: map[string]*runningNode{}, queued: map[string]bool{}, failed: map[string]bool{},
		waiting: map[string]*waitingNode{}, skipped: map[string]bool{}, within: map[string]int{}}
}

// take notes one event of the run. It returns the stage that this event finished, if any.
func (b *board) take(ev api.Event) *stage {
	if b.begun.IsZero() {
		b.begun = ev.Time
	}
	if ev.Node != "" {
		delete(b.waiting, ev.Node)
	}
	switch ev.Type {
	case api.RunGrew:
		b.kept = ev.Kept
		b.total = max(0, ev.Nodes-b.kept)
	case api.NodeReady:
		b.queued[ev.Node] = true
		delete(b.skipped, ev.Node)
	case api.NodeReset:
		delete(b.queued, ev.Node)
	case api.NodeWaiting:
		delete(b.queued, ev.Node)
		delete(b.failed, ev.Node) // it will be tried again
		if ev.Wait != nil {
			b.waiting[ev.Node] = &waitingNode{plain.Line(ev.Name), *ev.Wait}
		}
	case api.NodeSkipped:
		return b.skip(ev)
	case api.NodeStarted:
		delete(b.queued, ev.Node)
		b.running[ev.Node] = &runningNode{id: ev.Node, name: plain.Line(ev.Name), execution: ev.Execution, started: ev.Time}
	case api.NodeFinished, api.NodeFailed:
		return b.end(ev)
	}
	return nil
}

// end notes the end of an execution.
func (b *board) end(ev api.Event) *stage {
	delete(b.running, ev.Node)
	delete(b.queued, ev.Node)
	delete(b.failed, ev.Node)
	delete(b.skipped, ev.Node)
	if ev.Retry != nil { // it goes on
		if ev.DurationMS != nil {
			b.time(plain.Line(ev.Name), time.Duration(*ev.DurationMS)*time.Millisecond)
		}
		return nil
	}
	if endState(ev) == api.StateFailed && !ev.Handled {
		b.failed[ev.Node] = true
	}
	if ev.DurationMS != nil {
		b.time(plain.Line(ev.Name), time.Duration(*ev.DurationMS)*time.Millisecond)
	}
	_, again := b.done[ev.Node]
	if ofInstance(ev.Name) && !again {
		b.within[ev.Name[:strings.LastIndexByte(ev.Name, '[')]]++
	}
	if ev.SubFlow && b.within[ev.Name] > 0 {
		b.endSubFlow(ev)
		return b.stageOf[ev.Node].end(ev)
	}
	b.done[ev.Node] = max(ev.Execution, 1)
	if again {
		return nil
	}
	b.ahead.ended(ev.Node)
	return b.stageOf[ev.Node].end(ev)
}

// endSubFlow notes the end of a sub-flow whose nodes were counted: only a failure of its own is one more.
func (b *board) endSubFlow(ev api.Event) {
	if !b.failed[ev.Node] || ev.Reason == api.ReasonInstances || ev.Reason == api.ReasonCancelled {
		delete(b.failed, ev.Node)
	}
}

// time adds to the work and keeps the slowest.
func (b *board) time(name string, took time.Duration) {
	b.work += took
	i, _ := slices.BinarySearchFunc(b.slowest, took, func(t timedNode, d time.Duration) int { return cmp.Compare(d, t.took) })
	if i < maxSlowest {
		b.slowest = slices.Insert(b.slowest, i, timedNode{name, took})
		b.slowest = b.slowest[:min(len(b.slowest), maxSlowest)]
	}
}

// ended is how many nodes of how many have ended at least once. A loop may come back to nodes
// that were kept, and what was missed may end once more; it never says more than all.
func (b *board) ended() (n, total int) {
	decided := len(b.done) + len(b.skipped)
	total = max(b.total, decided)
	return min(decided+b.missed, total), total
}

// resync takes the counts from a snapshot: what happened in between was not seen.
func (b *board) resync(run api.RunSummary) {
	c := run.Counts
	b.kept, b.blocked = c.Kept, c.Blocked
	b.total = max(0, run.Nodes-b.kept)
	b.missed = max(0, c.Ended()-len(b.done)-len(b.skipped))
	clear(b.waiting)
	clear(b.running) // whatever of it still runs will report its end all the same
	clear(b.queued)
}

// learn takes the nodes of the run as they were at one moment. What events have told since is newer
// and stays. It returns the stages that are finished already.
func (b *board) learn(o api.RunOutlook) []*stage {
	b.kept, b.missed = o.Kept, 0
	for _, n := range o.Nodes {
		if n.State == api.StateOK && n.Executions == 0 {
			continue
		}
		_, ended := b.done[n.Node]
		switch n.State {
		case api.StateRunning:
			if b.running[n.Node] == nil && b.done[n.Node] < n.Executions && n.Started != nil {
				b.running[n.Node] = &runningNode{id: n.Node, name: plain.Line(n.Name), execution: n.Executions, started: *n.Started}
			}
		case api.StateQueued:
			if b.running[n.Node] == nil && b.done[n.Node] <= n.Executions && !ended {
				b.queued[n.Node] = true
			}
		case api.StateSkipped:
			b.skipped[n.Node] = true
		case api.StateOK, api.StateFailed, api.StateCancelled:
			if !ended && b.running[n.Node] == nil && n.Executions > 0 {
				b.done[n.Node] = n.Executions
				if n.State == api.StateFailed {
					b.failed[n.Node] = true
				}
			}
		}
	}
	b.total = max(0, o.Total-b.kept)
	b.ahead = newForecast(o, b.done)
	var finished []*stage
	b.stageOf, finished = stagesOf(o, b.done, b.failed)
	return finished
}

// longest lists the running nodes, those that began first before the others.
func (b *board) longest() []*runningNode {
	nodes := make([]*runningNode, 0, len(b.running))
	for _, n := range b.running {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, c *runningNode) int {
		return cmp.Or(a.started.Compare(c.started), strings.Compare(a.name, c.name))
	})
	return nodes
}

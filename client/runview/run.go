// Package runview computes the state of runs from the snapshots, events and outlooks of the daemon. A Run is the state that
// a progress display shows: counts, running, failed and waiting nodes, stages, slowest nodes; an event costs the same
// however large the run is. A Workfile is the state that an interface with a drawing shows: each node, edge and
// instance. Both estimate the time left. Questions are the approvals that wait for a person. The package has no I/O and
// no clock. It does not change texts, so a display must make them safe to print.
package runview

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wf/api"
)

// A Run is the state of one run, as far as the daemon has reported it. Applying an event costs the
// same however large the run is. New makes one.
type Run struct {
	Total   int // nodes to run
	Kept    int // nodes in scope that a resumed run does not repeat
	Missed  int // nodes that ended before the watch started or while the connection was lost
	Blocked int // nodes that a failure keeps from running

	Running map[string]*RunningNode // by node id, like all maps here without another comment
	Queued  map[string]bool
	told    engineNews
	Failed  map[string]bool
	waiting map[string]*waitingNode
	skipped map[string]bool // no path leads to them any more
	ended   map[string]int  // the latest execution that ended, of nodes that ended at least once

	// InstancesEnded counts the nodes of instances that ended at least once, by the name of their sub-flow.
	InstancesEnded map[string]int

	Started  time.Time     // of the run, or of the first event that was seen
	Work     time.Duration // of the executions that have ended
	Slowest  []TimedNode   // at most maxSlowest, the longest first
	estimate estimate
	stageOf  map[string]*Stage // nil until the nodes of the run are known
}

// An engineNews is the latest that an engine told about a node that waits there.
type engineNews struct {
	node string
	job  *api.EngineJob
}

// QueuedAt returns the latest that an engine told about a node that still waits there; nil = there is none.
func (r *Run) QueuedAt() *api.EngineJob {
	if !r.Queued[r.told.node] {
		return nil
	}
	return r.told.job
}

// A RunningNode is a node whose command is running.
type RunningNode struct {
	ID, Name  string
	Execution int
	Started   time.Time
	Tail      string // its last line of output
}

// A TimedNode is a node and how long an execution of it took.
type TimedNode struct {
	Name string
	Took time.Duration
}

// maxSlowest is how many nodes are named as the slowest.
const maxSlowest = 3

// New returns the state of a run without any events yet.
func New() *Run {
	return &Run{ended: map[string]int{}, Running: map[string]*RunningNode{}, Queued: map[string]bool{}, Failed: map[string]bool{},
		waiting: map[string]*waitingNode{}, skipped: map[string]bool{}, InstancesEnded: map[string]int{}}
}

// Apply applies one event of the run. It returns the stage that this event finished, if any.
func (r *Run) Apply(ev api.Event) *Stage {
	if r.Started.IsZero() {
		r.Started = ev.Time
	}
	if ev.Node != "" {
		delete(r.waiting, ev.Node)
	}
	switch ev.Type {
	case api.RunStarted:
		if ev.Kept > 0 { // otherwise the journal may contain it
			r.Kept = ev.Kept
		}
		r.Total = max(0, ev.Nodes-r.Kept)
	case api.RunGrew:
		r.Kept = ev.Kept
		r.Total = max(0, ev.Nodes-r.Kept)
	case api.NodeReady:
		r.Queued[ev.Node] = true
		delete(r.skipped, ev.Node)
	case api.NodeEngine:
		if r.Queued[ev.Node] && ev.Engine != nil && ev.Engine.State != "" {
			r.told = engineNews{ev.Node, ev.Engine}
		}
	case api.NodeReset:
		delete(r.Queued, ev.Node)
	case api.NodeWaiting:
		delete(r.Queued, ev.Node)
		delete(r.Failed, ev.Node) // another attempt follows
		if ev.Wait != nil {
			r.waiting[ev.Node] = &waitingNode{ev.Name, *ev.Wait}
		}
	case api.NodeSkipped:
		return r.skip(ev)
	case api.NodeStarted:
		delete(r.Queued, ev.Node)
		r.Running[ev.Node] = &RunningNode{ID: ev.Node, Name: ev.Name, Execution: ev.Execution, Started: ev.Time}
	case api.NodeFinished, api.NodeFailed:
		return r.end(ev)
	}
	return nil
}

// end applies the end of an execution.
func (r *Run) end(ev api.Event) *Stage {
	delete(r.Running, ev.Node)
	delete(r.Queued, ev.Node)
	delete(r.Failed, ev.Node)
	delete(r.skipped, ev.Node)
	if ev.Retry != nil { // another attempt follows
		if ev.DurationMS != nil {
			r.time(ev.Name, time.Duration(*ev.DurationMS)*time.Millisecond)
		}
		return nil
	}
	if EndState(ev) == api.StateFailed && !ev.Handled {
		r.Failed[ev.Node] = true
	}
	if ev.DurationMS != nil {
		r.time(ev.Name, time.Duration(*ev.DurationMS)*time.Millisecond)
	}
	_, again := r.ended[ev.Node]
	if owner := ownerOf(ev); owner != "" && !again {
		r.InstancesEnded[owner]++
	}
	if ev.SubFlow && r.InstancesEnded[ev.Name] > 0 {
		r.endSubFlow(ev)
		return r.stageOf[ev.Node].end(ev)
	}
	r.ended[ev.Node] = max(ev.Execution, 1)
	if again {
		return nil
	}
	r.estimate.ended(ev.Node)
	return r.stageOf[ev.Node].end(ev)
}

// ownerOf returns the name of the sub-flow that contains the node of an event, "" if it is not in one. A name contains no instance of
// another workfile that runs once: align/trim is the node align[0]/trim.
func ownerOf(ev api.Event) string {
	end := strings.LastIndex(ev.Node, "]/")
	if end < 0 || !OfInstance(ev.Node) {
		return ""
	}
	owner, named := strings.CutSuffix(ev.Name, ev.Node[end+1:])
	if !named {
		return ""
	}
	if strings.HasSuffix(owner, "]") {
		owner = owner[:strings.LastIndexByte(owner, '[')]
	}
	return owner
}

// endSubFlow applies the end of a sub-flow whose nodes were counted: only a failure of its own counts as
// one more.
func (r *Run) endSubFlow(ev api.Event) {
	if !r.Failed[ev.Node] || ev.Reason == api.ReasonInstances || ev.Reason == api.ReasonCancelled {
		delete(r.Failed, ev.Node)
	}
}

// time adds to the work and keeps the slowest nodes.
func (r *Run) time(name string, took time.Duration) {
	r.Work += took
	i, _ := slices.BinarySearchFunc(r.Slowest, took, func(t TimedNode, d time.Duration) int { return cmp.Compare(d, t.Took) })
	if i < maxSlowest {
		r.Slowest = slices.Insert(r.Slowest, i, TimedNode{name, took})
		r.Slowest = r.Slowest[:min(len(r.Slowest), maxSlowest)]
	}
}

// Ended returns how many of the nodes have ended at least once. A loop may come back to nodes
// that were kept, and missed nodes may end once more; n is never more than total.
func (r *Run) Ended() (n, total int) {
	decided := len(r.ended) + len(r.skipped)
	total = max(r.Total, decided)
	return min(decided+r.Missed, total), total
}

// Resync takes the counts from a snapshot, because events in between were missed.
func (r *Run) Resync(run api.RunSummary) {
	c := run.Counts
	r.Kept, r.Blocked = c.Kept, c.Blocked
	r.Total = max(0, run.Nodes-r.Kept)
	r.Missed = max(0, c.Ended()-len(r.ended)-len(r.skipped))
	clear(r.waiting)
	clear(r.Running) // events will report the ends of those that still run
	clear(r.Queued)
}

// Learn applies an outlook: the state of all nodes of the run at one moment. It does not override newer events. It
// returns the stages that are already finished.
func (r *Run) Learn(o api.RunOutlook) []*Stage {
	r.Kept, r.Missed = o.Kept, 0
	for _, n := range o.Nodes {
		if n.State == api.StateOK && n.Executions == 0 {
			continue
		}
		_, ended := r.ended[n.Node]
		switch n.State {
		case api.StateRunning:
			if r.Running[n.Node] == nil && r.ended[n.Node] < n.Executions && n.Started != nil {
				r.Running[n.Node] = &RunningNode{ID: n.Node, Name: n.Name, Execution: n.Executions, Started: *n.Started}
			}
		case api.StateQueued:
			if r.Running[n.Node] == nil && r.ended[n.Node] <= n.Executions && !ended {
				r.Queued[n.Node] = true
			}
		case api.StateSkipped:
			r.skipped[n.Node] = true
		case api.StateOK, api.StateFailed, api.StateCancelled:
			if !ended && r.Running[n.Node] == nil && n.Executions > 0 {
				r.ended[n.Node] = n.Executions
				if n.State == api.StateFailed {
					r.Failed[n.Node] = true
				}
			}
		}
	}
	r.Total = max(0, o.Total-r.Kept)
	r.estimate = newEstimate(o, r.ended)
	var finished []*Stage
	r.stageOf, finished = stagesOf(o, r.ended, r.Failed)
	return finished
}

// Longest lists the running nodes, the longest running first.
func (r *Run) Longest() []*RunningNode {
	nodes := make([]*RunningNode, 0, len(r.Running))
	for _, n := range r.Running {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, c *RunningNode) int {
		return cmp.Or(a.Started.Compare(c.Started), strings.Compare(a.Name, c.Name))
	})
	return nodes
}

// SetTail sets the last line of output of an execution, if it still runs.
func (r *Run) SetTail(node string, execution int, line string) {
	if n := r.Running[node]; n != nil && n.Execution == execution {
		n.Tail = line
	}
}

// Executed counts the nodes that were executed to an end at least once.
func (r *Run) Executed() int { return len(r.ended) }

package activerun

import (
	"fmt"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
	"wf/workspace/runstate"
)

// Pools hands out units of resources that the machine has a fixed number of (docs/control-flow.md, Pools). The pools belong to
// the daemon and all workspaces share them. It is safe for concurrent use.
type Pools interface {
	// TryAcquire takes all units of a claim or none. A refused claim waits in line under its key. wake is called when its
	// units have been set aside, and the next TryAcquire takes them. wake must not block.
	TryAcquire(key string, claim []PoolUse, wake func()) bool
	// Claim takes units even when there are none: for processes that an earlier daemon has left running.
	Claim(claim []PoolUse)
	// Release returns units. Forget leaves the line and returns units that were set aside.
	Release(claim []PoolUse)
	Forget(key string)
	// Size returns how many units a pool has in all.
	Size(pool string) int
}

// PoolUse is a number of units of a pool.
type PoolUse struct {
	Pool  string
	Units int
}

// pooling holds the executions of a run that need units of pools. A node has at most one that waits for units or holds them.
// It is empty for a run without such nodes.
type pooling struct {
	of    Pools
	lines map[string]*poolLine // by the text of the claim
	waits map[int]poolEntry    // node → its place in a line
	held  map[int]poolHeld     // node → the units that it holds
	seq   int
}

// A poolLine lists the executions with the same claim, in order. The first of them gets units first, so only the first one is
// asked about.
type poolLine struct {
	claim   []PoolUse
	entries []poolEntry // includes executions that have left the line: waits does not have those
}

type poolEntry struct {
	id  executor.ID
	seq int // tells two stays in the line of the same execution apart
}

type poolHeld struct {
	id    executor.ID
	claim []PoolUse
}

// poolClaim returns what an execution of a node needs; nil for most.
func (r *Run) poolClaim(node int) []PoolUse {
	if r.Flow == nil {
		return nil
	}
	var claim []PoolUse
	for _, use := range r.Sched.Pools(node) {
		claim = append(claim, PoolUse{use.Name, use.Units})
	}
	return claim
}

func claimText(claim []PoolUse) string {
	parts := make([]string, len(claim))
	for i, use := range claim {
		parts[i] = fmt.Sprintf("%s:%d", use.Pool, use.Units)
	}
	return strings.Join(parts, ", ")
}

// enqueue puts an execution that was asked for into the queue for slots, or first into the line of its pools.
func (r *Run) enqueue(id executor.ID) {
	claim := r.poolClaim(id.Node)
	if claim == nil || r.host.Pools == nil {
		r.queue = append(r.queue, id)
		return
	}
	if r.host.Pools.TryAcquire(r.poolKey(id), claim, r.host.Loop.Wake) {
		r.holdUnits(id, claim)
		r.queue = append(r.queue, id)
		return
	}
	p := &r.pools
	if p.waits == nil {
		p.of, p.waits, p.lines = r.host.Pools, map[int]poolEntry{}, map[string]*poolLine{}
	}
	p.seq++
	e := poolEntry{id, p.seq}
	text := claimText(claim)
	if p.lines[text] == nil {
		p.lines[text] = &poolLine{claim: claim}
	}
	p.lines[text].entries, p.waits[id.Node] = append(p.lines[text].entries, e), e
	n := &r.Nodes[id.Node]
	r.host.Out.Publish(api.Event{Type: api.NodeWaiting, Run: r.ID, Client: r.Request.Client, Node: n.ID, Name: n.Name, Wait: r.PoolWait(id.Node)})
}

// EnterPools takes the units that were set aside for executions in line. These wait for a slot from now on.
func (r *Run) EnterPools() {
	if len(r.pools.waits) == 0 || r.Phase != runstate.Going || r.sess == nil {
		return
	}
	for text, line := range r.pools.lines {
		for len(line.entries) > 0 {
			e := line.entries[0]
			if r.pools.waits[e.id.Node] == e {
				if !r.host.Pools.TryAcquire(r.poolKey(e.id), line.claim, r.host.Loop.Wake) {
					break
				}
				delete(r.pools.waits, e.id.Node)
				r.holdUnits(e.id, line.claim)
				r.queue = append(r.queue, e.id)
				n := &r.Nodes[e.id.Node]
				r.host.Out.Publish(api.Event{Type: api.NodeReady, Run: r.ID, Client: r.Request.Client, Node: n.ID, Name: n.Name})
			}
			line.entries = line.entries[1:]
		}
		if len(line.entries) == 0 {
			delete(r.pools.lines, text)
		}
	}
}

func (r *Run) holdUnits(id executor.ID, claim []PoolUse) {
	if r.pools.held == nil {
		r.pools.held = map[int]poolHeld{}
	}
	r.pools.held[id.Node] = poolHeld{id, claim}
}

// leavePools returns the units of an execution.
func (r *Run) leavePools(id executor.ID) {
	h, held := r.pools.held[id.Node]
	if !held || h.id != id {
		return
	}
	delete(r.pools.held, id.Node)
	r.host.Pools.Release(h.claim)
}

// withdrawPools returns the units of a node that will not execute, or takes it out of its line. An execution that the executor
// has keeps its units until the executor reports its end.
func (r *Run) withdrawPools(ef scheduler.Effect) {
	if len(r.pools.waits)+len(r.pools.held) == 0 || ef.Status == graph.Queued || ef.Status == graph.Running {
		return
	}
	if e, waits := r.pools.waits[ef.Node]; waits {
		delete(r.pools.waits, ef.Node)
		r.host.Pools.Forget(r.poolKey(e.id))
	}
	if h, held := r.pools.held[ef.Node]; held {
		if rec := r.Nodes[ef.Node].Execution; rec == nil || !rec.Live || rec.Number != h.id.Execution {
			r.leavePools(h.id)
		}
	}
}

// leaveLines takes all executions out of their lines, for a run that starts nothing any more.
func (r *Run) leaveLines() {
	for _, e := range r.pools.waits {
		r.host.Pools.Forget(r.poolKey(e.id))
	}
	r.pools.waits, r.pools.lines = nil, nil
}

// dropPools returns all units of the run.
func (r *Run) dropPools() {
	r.leaveLines()
	for _, h := range r.pools.held {
		r.leavePools(h.id)
	}
}

// reclaimPools takes the units of executions that an earlier daemon has left going, before anything else can get them.
func (r *Run) reclaimPools() {
	if r.host.Pools == nil || r.Flow == nil {
		return
	}
	for _, id := range r.live() {
		if claim := r.poolClaim(id.Node); claim != nil {
			r.holdUnits(id, claim)
			r.host.Pools.Claim(claim)
		}
	}
}

// requeue lets executions that an earlier daemon had asked for wait for units again.
func (r *Run) requeue() {
	if r.host.Pools == nil || r.Flow == nil {
		return
	}
	queue := r.queue[r.head:]
	r.queue, r.head = nil, 0
	for _, id := range queue {
		switch {
		case r.pools.held[id.Node].id == id: // it was dispatched meanwhile, and has its units
			r.queue = append(r.queue, id)
		case r.Sched.Wants(id.Node, id.Execution):
			r.enqueue(id)
		}
	}
}

// claimPools takes units for an execution that the executor turns out to have and that has not waited for them.
func (r *Run) claimPools(id executor.ID) {
	claim := r.poolClaim(id.Node)
	if claim == nil || r.host.Pools == nil || r.pools.held[id.Node].id == id {
		return
	}
	if e, waits := r.pools.waits[id.Node]; waits {
		delete(r.pools.waits, id.Node)
		r.host.Pools.Forget(r.poolKey(e.id))
	}
	r.holdUnits(id, claim)
	r.host.Pools.Claim(claim)
}

func (r *Run) poolKey(id executor.ID) string {
	return fmt.Sprintf("%s/%s/%d/%d", r.host.ID, r.ID, id.Node, id.Execution)
}

// PoolWait describes what a node in line waits for; nil for other nodes.
func (r *Run) PoolWait(node int) *api.Wait {
	if _, waits := r.pools.waits[node]; !waits {
		return nil
	}
	claim := r.poolClaim(node)
	text := claimText(claim)
	for _, use := range claim {
		if size := r.pools.of.Size(use.Pool); use.Units > size {
			text += fmt.Sprintf(", more than there is: the size of %s is %d", use.Pool, size)
		}
	}
	return &api.Wait{Kind: api.WaitPool, Text: text}
}

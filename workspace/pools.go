package workspace

import (
	"fmt"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler"
)

// Pools hands out units of what commands need while they run and of which the machine has so many
// (docs/control-flow.md, Pools). The pools are the daemon's; all workspaces share them. It is safe for concurrent use.
type Pools interface {
	// TryAcquire takes all units of a claim or none. Refused, it waits in line under its key; wake is
	// called when the units are its own, and the next TryAcquire says so. wake must not block.
	TryAcquire(key string, claim []PoolUse, wake func()) bool
	// Claim takes units even when there are none: for processes that an earlier daemon has left running.
	Claim(claim []PoolUse)
	// Release gives units back. Forget leaves the line, with units that were not fetched.
	Release(claim []PoolUse)
	Forget(key string)
	// Size is how many units a pool has in all.
	Size(pool string) int
}

// PoolUse is a number of units of a pool.
type PoolUse struct {
	Pool  string
	Units int
}

// pooling is the executions of a run that need units of pools: a node has one at most that waits for them
// or has them. Of a run without such nodes it is empty.
type pooling struct {
	of    Pools
	lines map[string]*poolLine // by what is asked for
	waits map[int]poolEntry    // node → its place in a line
	held  map[int]poolHeld     // node → what it has
	seq   int
}

// A poolLine is the executions that ask for the same, in order: units are given to the first of them first,
// so nobody looks at the others.
type poolLine struct {
	claim   []PoolUse
	entries []poolEntry // some have left meanwhile: those that waits does not know
}

type poolEntry struct {
	id  executor.ID
	seq int // tells an execution from itself, when it has left the line and come back
}

type poolHeld struct {
	id    executor.ID
	claim []PoolUse
}

// poolClaim is what an execution of a node needs; nil for most.
func (r *run) poolClaim(node int) []PoolUse {
	if r.flow == nil {
		return nil
	}
	var claim []PoolUse
	for _, use := range r.sched.Pools(node) {
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

// enqueue puts an execution that was asked for where it waits: for a slot, or for units of pools first.
func (r *run) enqueue(w *Workspace, id executor.ID) {
	claim := r.poolClaim(id.Node)
	if claim == nil || w.cfg.Pools == nil {
		r.queue = append(r.queue, id)
		return
	}
	if w.cfg.Pools.TryAcquire(r.poolKey(w, id), claim, w.loop.Wake) {
		r.holdUnits(id, claim)
		r.queue = append(r.queue, id)
		return
	}
	p := &r.pools
	if p.waits == nil {
		p.of, p.waits, p.lines = w.cfg.Pools, map[int]poolEntry{}, map[string]*poolLine{}
	}
	p.seq++
	e := poolEntry{id, p.seq}
	text := claimText(claim)
	if p.lines[text] == nil {
		p.lines[text] = &poolLine{claim: claim}
	}
	p.lines[text].entries, p.waits[id.Node] = append(p.lines[text].entries, e), e
	n := &r.nodes[id.Node]
	w.publish(api.Event{Type: api.NodeWaiting, Run: r.id, Client: r.client, Node: n.id, Name: n.name, Wait: r.poolWait(id.Node)})
}

// enterPools fetches the units that were given to those in line. These wait for a slot from now on.
func (r *run) enterPools(w *Workspace) {
	if len(r.pools.waits) == 0 || r.phase != going {
		return
	}
	for text, line := range r.pools.lines {
		for len(line.entries) > 0 {
			e := line.entries[0]
			if r.pools.waits[e.id.Node] == e {
				if !w.cfg.Pools.TryAcquire(r.poolKey(w, e.id), line.claim, w.loop.Wake) {
					break
				}
				delete(r.pools.waits, e.id.Node)
				r.holdUnits(e.id, line.claim)
				r.queue = append(r.queue, e.id)
				n := &r.nodes[e.id.Node]
				w.publish(api.Event{Type: api.NodeReady, Run: r.id, Client: r.client, Node: n.id, Name: n.name})
			}
			line.entries = line.entries[1:]
		}
		if len(line.entries) == 0 {
			delete(r.pools.lines, text)
		}
	}
}

func (r *run) holdUnits(id executor.ID, claim []PoolUse) {
	if r.pools.held == nil {
		r.pools.held = map[int]poolHeld{}
	}
	r.pools.held[id.Node] = poolHeld{id, claim}
}

// leavePools gives back what an execution has held.
func (r *run) leavePools(w *Workspace, id executor.ID) {
	h, held := r.pools.held[id.Node]
	if !held || h.id != id {
		return
	}
	delete(r.pools.held, id.Node)
	w.cfg.Pools.Release(h.claim)
}

// withdrawPools gives back what a node has, or takes it out of its line, when it is not to be executed any
// more. What the executor has keeps its units until that says that it is over.
func (r *run) withdrawPools(w *Workspace, ef scheduler.Effect) {
	if len(r.pools.waits)+len(r.pools.held) == 0 || ef.Status == graph.Queued || ef.Status == graph.Running {
		return
	}
	if e, waits := r.pools.waits[ef.Node]; waits {
		delete(r.pools.waits, ef.Node)
		w.cfg.Pools.Forget(r.poolKey(w, e.id))
	}
	if h, held := r.pools.held[ef.Node]; held {
		if rec := r.nodes[ef.Node].rec; rec == nil || !rec.live || rec.executions != h.id.Execution {
			r.leavePools(w, h.id)
		}
	}
}

// leaveLines is for a run that begins nothing any more.
func (r *run) leaveLines(w *Workspace) {
	for _, e := range r.pools.waits {
		w.cfg.Pools.Forget(r.poolKey(w, e.id))
	}
	r.pools.waits, r.pools.lines = nil, nil
}

// dropPools gives back all that a run has.
func (r *run) dropPools(w *Workspace) {
	r.leaveLines(w)
	for _, h := range r.pools.held {
		r.leavePools(w, h.id)
	}
}

// reclaimPools takes the units of what an earlier daemon has left going: before anything begins, so that
// nothing else gets them.
func (r *run) reclaimPools(w *Workspace) {
	if w.cfg.Pools == nil || r.flow == nil {
		return
	}
	for _, id := range r.live() {
		if claim := r.poolClaim(id.Node); claim != nil {
			r.holdUnits(id, claim)
			w.cfg.Pools.Claim(claim)
		}
	}
}

// requeue lets those that an earlier daemon had asked for wait for units again.
func (r *run) requeue(w *Workspace) {
	if w.cfg.Pools == nil || r.flow == nil {
		return
	}
	queue := r.queue[r.head:]
	r.queue, r.head = nil, 0
	for _, id := range queue {
		switch {
		case r.pools.held[id.Node].id == id: // it has come since, and has its units
			r.queue = append(r.queue, id)
		case r.sched.Wants(id.Node, id.Execution):
			r.enqueue(w, id)
		}
	}
}

// claimPools is for an execution that the executor turns out to have, although nobody is known to have
// handed it over: it has not waited for its units.
func (r *run) claimPools(w *Workspace, id executor.ID) {
	claim := r.poolClaim(id.Node)
	if claim == nil || w.cfg.Pools == nil || r.pools.held[id.Node].id == id {
		return
	}
	if e, waits := r.pools.waits[id.Node]; waits {
		delete(r.pools.waits, id.Node)
		w.cfg.Pools.Forget(r.poolKey(w, e.id))
	}
	r.holdUnits(id, claim)
	w.cfg.Pools.Claim(claim)
}

func (r *run) poolKey(w *Workspace, id executor.ID) string {
	return fmt.Sprintf("%s/%s/%d/%d", w.id, r.id, id.Node, id.Execution)
}

// poolWait is what a node in line waits for; nil for others.
func (r *run) poolWait(node int) *api.Wait {
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

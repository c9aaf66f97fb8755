package workspace

import (
	"fmt"
	"slices"
	"strings"

	"wf/api"
	"wf/executor"
)

// A Pool is something of which the machine has a number of units, and commands need some while they run
// (CONTROL-FLOW §3). The pools are the daemon's; all workspaces share them.
type Pools interface {
	// TryAcquire takes all units of a claim or none. Refused, it waits in line under its key, and wake is
	// called when it is worth trying again; wake must not block.
	TryAcquire(key string, claim []PoolUse, wake func()) bool
	// Claim takes units even when there are none: for processes that an earlier daemon has left running.
	Claim(claim []PoolUse)
	// Release gives units back, Forget leaves the line.
	Release(claim []PoolUse)
	Forget(key string)
}

// PoolUse is a number of units of a pool.
type PoolUse struct {
	Pool  string
	Units int
}

// pooling is the executions of a run that need units of pools. Of a run without such nodes it is empty.
type pooling struct {
	line []executor.ID             // that wait for units, in order
	held map[executor.ID][]PoolUse // of those that have them
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

// enqueue puts an execution that was asked for where it waits: for a slot, or for units of pools first.
func (r *run) enqueue(w *Workspace, id executor.ID) {
	claim := r.poolClaim(id.Node)
	if claim == nil || w == nil || w.cfg.Pools == nil {
		r.queue = append(r.queue, id)
		return
	}
	r.pools.line = append(r.pools.line, id)
	r.enterPools(w)
}

// enterPools takes the units for those in line that can have them.
func (r *run) enterPools(w *Workspace) {
	r.tidyPools(w)
	if len(r.pools.line) == 0 || r.state > going || r.sess == nil {
		return
	}
	waiting := r.pools.line[:0]
	for _, id := range r.pools.line {
		switch {
		case !r.sched.Wants(id.Node, id.Execution):
			w.cfg.Pools.Forget(r.poolKey(w, id))
		case w.cfg.Pools.TryAcquire(r.poolKey(w, id), r.poolClaim(id.Node), w.slotsFree):
			r.holdUnits(id)
			r.queue = append(r.queue, id)
		default:
			waiting = append(waiting, id)
		}
	}
	r.pools.line = waiting
}

func (r *run) holdUnits(id executor.ID) {
	if r.pools.held == nil {
		r.pools.held = map[executor.ID][]PoolUse{}
	}
	r.pools.held[id] = r.poolClaim(id.Node)
}

// leavePools gives back what an execution has held.
func (r *run) leavePools(w *Workspace, id executor.ID) {
	claim, held := r.pools.held[id]
	if !held {
		return
	}
	delete(r.pools.held, id)
	w.cfg.Pools.Release(claim)
}

// dropPools gives back what a run still has: units of executions that were withdrawn before they began.
func (r *run) dropPools(w *Workspace) {
	for id := range r.pools.held {
		r.leavePools(w, id)
	}
	for _, id := range r.pools.line {
		w.cfg.Pools.Forget(r.poolKey(w, id))
	}
	r.pools.line = nil
}

// tidyPools gives back the units of executions that were asked for and are not wanted any more.
func (r *run) tidyPools(w *Workspace) {
	for id := range r.pools.held {
		rec := r.nodes[id.Node].rec
		if going := rec != nil && rec.live && rec.executions == id.Execution; !going && !r.sched.Wants(id.Node, id.Execution) {
			r.leavePools(w, id)
		}
	}
}

// reclaimPools takes the units of what an earlier daemon has left going.
func (r *run) reclaimPools(w *Workspace) {
	if w.cfg.Pools == nil || r.flow == nil {
		return
	}
	for _, id := range r.live() {
		if claim := r.poolClaim(id.Node); claim != nil {
			r.holdUnits(id)
			w.cfg.Pools.Claim(claim)
		}
	}
	queue := r.queue[r.head:]
	r.queue, r.head = nil, 0
	for _, id := range queue {
		r.enqueue(w, id)
	}
}

func (r *run) poolKey(w *Workspace, id executor.ID) string {
	return fmt.Sprintf("%s/%s/%d/%d", w.id, r.id, id.Node, id.Execution)
}

// poolWait is what a node in line waits for; nil for others.
func (r *run) poolWait(node int) *api.Wait {
	if !slices.ContainsFunc(r.pools.line, func(id executor.ID) bool { return id.Node == node }) {
		return nil
	}
	var parts []string
	for _, use := range r.poolClaim(node) {
		parts = append(parts, fmt.Sprintf("%s:%d", use.Pool, use.Units))
	}
	return &api.Wait{Kind: api.WaitPool, Text: strings.Join(parts, ", ")}
}

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
	// units have been set aside; the next TryAcquire takes them. wake must not block.
	TryAcquire(key string, claim []PoolUse, wake func()) bool
	// Claim takes units even if none are free, for processes that an earlier daemon has started.
	Claim(claim []PoolUse)
	// Release returns units. Forget removes a claim from the line and returns units that were set aside for it.
	Release(claim []PoolUse)
	Forget(key string)
	// Size returns the number of units of a pool, free or not.
	Size(pool string) int
}

// PoolUse is a number of units of a pool.
type PoolUse struct {
	Pool  string
	Units int
}

// pooling contains the executions of a run that wait for units of pools or hold them, at most one for each node. It is empty
// for a run without such nodes.
type pooling struct {
	run   *Run
	of    Pools
	lines map[string]*poolLine // by the text of the claim
	waits map[int]poolEntry    // node → its position in a line
	held  map[int]poolHeld     // node → the units that it holds
	seq   int
}

// A poolLine lists the executions with the same claim, in order. Only the first one asks for its units again.
type poolLine struct {
	claim   []PoolUse
	entries []poolEntry // in order; includes executions that left the line and are not in waits
}

type poolEntry struct {
	id  executor.ID
	seq int // distinguishes two stays of the same execution in the line
}

type poolHeld struct {
	id    executor.ID
	claim []PoolUse
}

// poolClaim returns the units that an execution of a node needs; nil for most nodes.
func (po *pooling) poolClaim(node int) []PoolUse {
	if po.run.Flow == nil {
		return nil
	}
	var claim []PoolUse
	for _, use := range po.run.Sched.Pools(node) {
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

// enqueue adds a requested execution to the queue for slots, or first to the line of its pools.
func (po *pooling) enqueue(id executor.ID) {
	claim := po.poolClaim(id.Node)
	if claim == nil || po.run.host.Pools == nil {
		po.run.dispatcher.enqueue(id)
		return
	}
	if po.run.host.Pools.TryAcquire(po.poolKey(id), claim, po.run.host.Loop.Wake) {
		po.holdUnits(id, claim)
		po.run.dispatcher.enqueue(id)
		return
	}
	p := po
	if p.waits == nil {
		p.of, p.waits, p.lines = po.run.host.Pools, map[int]poolEntry{}, map[string]*poolLine{}
	}
	p.seq++
	e := poolEntry{id, p.seq}
	text := claimText(claim)
	if p.lines[text] == nil {
		p.lines[text] = &poolLine{claim: claim}
	}
	p.lines[text].entries, p.waits[id.Node] = append(p.lines[text].entries, e), e
	n := &po.run.Nodes[id.Node]
	po.run.host.Out.Publish(api.Event{Type: api.NodeWaiting, Run: po.run.ID, Client: po.run.Request.Client, Node: n.ID, Name: n.Name, Wait: po.PoolWait(id.Node)})
}

// EnterPools takes the units that were set aside for executions in line, and moves these executions to the queue for slots.
func (po *pooling) EnterPools() {
	if len(po.waits) == 0 || po.run.Phase != runstate.Active || po.run.sess == nil {
		return
	}
	for text, line := range po.lines {
		for len(line.entries) > 0 {
			e := line.entries[0]
			if po.waits[e.id.Node] == e {
				if !po.run.host.Pools.TryAcquire(po.poolKey(e.id), line.claim, po.run.host.Loop.Wake) {
					break
				}
				delete(po.waits, e.id.Node)
				po.holdUnits(e.id, line.claim)
				po.run.dispatcher.enqueue(e.id)
				n := &po.run.Nodes[e.id.Node]
				po.run.host.Out.Publish(api.Event{Type: api.NodeReady, Run: po.run.ID, Client: po.run.Request.Client, Node: n.ID, Name: n.Name})
			}
			line.entries = line.entries[1:]
		}
		if len(line.entries) == 0 {
			delete(po.lines, text)
		}
	}
}

func (po *pooling) holdUnits(id executor.ID, claim []PoolUse) {
	if po.held == nil {
		po.held = map[int]poolHeld{}
	}
	po.held[id.Node] = poolHeld{id, claim}
}

// leavePools returns the units of an execution.
func (po *pooling) leavePools(id executor.ID) {
	h, held := po.held[id.Node]
	if !held || h.id != id {
		return
	}
	delete(po.held, id.Node)
	po.run.host.Pools.Release(h.claim)
}

// withdrawPools returns the units of a node that will not execute, or removes it from its line. An execution that the
// executor has keeps its units until the executor reports its end.
func (po *pooling) withdrawPools(ef scheduler.Effect) {
	if len(po.waits)+len(po.held) == 0 || ef.Status == graph.Queued || ef.Status == graph.Running {
		return
	}
	if e, waits := po.waits[ef.Node]; waits {
		delete(po.waits, ef.Node)
		po.run.host.Pools.Forget(po.poolKey(e.id))
	}
	if h, held := po.held[ef.Node]; held {
		if rec := po.run.Nodes[ef.Node].Execution; rec == nil || !rec.Live || rec.Number != h.id.Execution {
			po.leavePools(h.id)
		}
	}
}

// leaveLines removes all executions from their lines, for a run that starts no more executions.
func (po *pooling) leaveLines() {
	for _, e := range po.waits {
		po.run.host.Pools.Forget(po.poolKey(e.id))
	}
	po.waits, po.lines = nil, nil
}

// dropPools returns all units of the run.
func (po *pooling) dropPools() {
	po.leaveLines()
	for _, h := range po.held {
		po.leavePools(h.id)
	}
}

// reclaimPools takes the units of executions that run since an earlier daemon, before other runs can take them.
func (po *pooling) reclaimPools() {
	if po.run.host.Pools == nil || po.run.Flow == nil {
		return
	}
	for _, id := range po.run.live() {
		if claim := po.poolClaim(id.Node); claim != nil {
			po.holdUnits(id, claim)
			po.run.host.Pools.Claim(claim)
		}
	}
}

// requeue puts executions that were requested under an earlier daemon into the lines of their pools.
func (po *pooling) requeue() {
	if po.run.host.Pools == nil || po.run.Flow == nil {
		return
	}
	for _, id := range po.run.dispatcher.takeAll() {
		switch {
		case po.held[id.Node].id == id: // it was dispatched meanwhile and has its units
			po.run.dispatcher.enqueue(id)
		case po.run.Sched.Wants(id.Node, id.Execution):
			po.enqueue(id)
		}
	}
}

// claimPools takes units for an execution that the executor already has although it did not wait for them.
func (po *pooling) claimPools(id executor.ID) {
	claim := po.poolClaim(id.Node)
	if claim == nil || po.run.host.Pools == nil || po.held[id.Node].id == id {
		return
	}
	if e, waits := po.waits[id.Node]; waits {
		delete(po.waits, id.Node)
		po.run.host.Pools.Forget(po.poolKey(e.id))
	}
	po.holdUnits(id, claim)
	po.run.host.Pools.Claim(claim)
}

func (po *pooling) poolKey(id executor.ID) string {
	return fmt.Sprintf("%s/%s/%d/%d", po.run.host.ID, po.run.ID, id.Node, id.Execution)
}

// PoolWait describes what a node in line waits for, or returns nil if it is in no line.
func (po *pooling) PoolWait(node int) *api.Wait {
	if _, waits := po.waits[node]; !waits {
		return nil
	}
	claim := po.poolClaim(node)
	text := claimText(claim)
	for _, use := range claim {
		if size := po.of.Size(use.Pool); use.Units > size {
			text += fmt.Sprintf(", more than there is: the size of %s is %d", use.Pool, size)
		}
	}
	return &api.Wait{Kind: api.WaitPool, Text: text}
}

// Package planning decides what a run would consist of: the scope that a request selects, the values of parameters, and what
// makes the run impossible or different from what its user expects. Its drafts are what a workspace starts, or what wf plan
// shows. It starts nothing and changes nothing.
package planning

import (
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/params"
	"wf/workspace/workfile"
)

// Config is what a Planner reads.
type Config struct {
	ID, Path string // of the workspace
	Version  string // of the binary, for the records
	Loop     *loop.Loop
	File     *workfile.File
	Nodes    *nodestate.Table
	Store    *history.Store
	Pools    PoolSizes    // nil: pools are not checked
	Asker    params.Asker // nil: commands cannot list the choices of parameters
	Usable   func() error // why no run may start at present; called on the loop
}

// PoolSizes gives the number of units of each pool.
type PoolSizes interface{ Size(pool string) int }

// A Planner makes drafts of runs and answers questions about the workfile. Its methods belong to the loop, unless they have a
// context.
type Planner struct {
	id, path string
	version  string
	loop     *loop.Loop
	file     *workfile.File
	nodes    *nodestate.Table
	store    *history.Store
	pools    PoolSizes
	asker    params.Asker
	usable   func() error
}

// New returns a Planner.
func New(c Config) *Planner {
	return &Planner{id: c.ID, path: c.Path, version: c.Version, loop: c.Loop, file: c.File, nodes: c.Nodes, store: c.Store,
		pools: c.Pools, asker: c.Asker, usable: c.Usable}
}

// UsePools sets the pools whose sizes are checked.
func (pl *Planner) UsePools(p PoolSizes) { pl.pools = p }

// Package planning prepares the runs of a workspace. From a request it determines the scope of the run and the values of its
// parameters. It refuses runs that cannot work or that differ from what the user probably expects.
//
// A workspace turns the resulting Draft into an active run; wf plan only shows it. The package also checks the workfile (wf
// check) and lists its parameters. It starts no runs and changes nothing.
package planning

import (
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/params"
	"wf/workspace/uptodate"
	"wf/workspace/workfile"
)

// PoolSizes gives the number of units of each pool.
type PoolSizes interface{ Size(pool string) int }

// A Planner drafts runs and checks the workfile. Methods with a context may be called on any goroutine but the loop's; the
// others belong to the loop.
type Planner struct {
	ID, Path string // of the workspace
	Version  string // of the binary, for the records
	Loop     *loop.Loop
	File     *workfile.File
	Nodes    *nodestate.Table
	Store    *history.Store
	Memory   *uptodate.File
	Pools    PoolSizes       // nil if pools are not checked
	Asker    params.Asker    // nil if commands cannot list the choices of parameters
	Engines  func() []string // returns the names of the executors besides this machine; nil = there are none
	Usable   func() error    // returns why no run may start at present; called on the loop

	profile      *history.Profile // File is the workfile with it, see profiled; nil = File is the workfile
	profileNotes []string         // for the user
}

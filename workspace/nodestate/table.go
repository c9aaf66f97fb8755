// Package nodestate contains the state of each node of an open workfile: its status, its counts, its instances and its
// stage. The state comes from the workfile, the active runs and the earlier runs.
//
// A Table is owned by a workspace. Package activerun updates it while runs are active; packages inquiry and planning read
// it. The package also resolves the paths of instances. It makes no decisions about runs, and reads no files except the
// journals of earlier runs when a workfile is opened.
package nodestate

import (
	"log/slog"

	"wf/scheduler"
	"wf/workspace/workfile"
)

// A Table contains the state of the nodes of an open workfile. It belongs to the loop.
type Table struct {
	File *workfile.File
	Log  *slog.Logger
	Runs []*Run // active, in order of start

	Latest map[string]Latest // by node id, or the path of a node of an instance
	Prior  scheduler.Prior   // the prior state
	local  localTable
	stages stageTable

	earlier     map[int]EarlierRun // by number
	earlierMost int                // number of entries at which some are dropped
}

package workspace

import (
	"log/slog"
	"wf/scheduler"
	"wf/workspace/workfile"
)

// nodeTable is what is known of the nodes of an open workfile.
type nodeTable struct {
	file *workfile.File
	log  *slog.Logger
	runs []*linkedRun // active, in order of start

	last   map[string]memory // node id → its last run
	before scheduler.Prior   // the prior state
	local  localTable
	stages stageTable
}

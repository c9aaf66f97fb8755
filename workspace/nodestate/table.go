// Package nodestate is what an open workfile has come to, node by node: states, counts, instances and stages, from the
// workfile, its active runs and what earlier runs have left. It resolves the paths of instances. It decides nothing about a
// run, and reads no file but the journals of earlier runs when a workfile is opened.
package nodestate

import (
	"log/slog"

	"wf/scheduler"
	"wf/workspace/workfile"
)

// A Table is what is known of the nodes of an open workfile. It belongs to the loop.
type Table struct {
	File *workfile.File
	Log  *slog.Logger
	Runs []*Run // active, in order of start

	Latest map[string]Latest // by node id, or the path of a node of an instance
	Prior  scheduler.Prior   // the prior state
	local  localTable
	stages stageTable

	earlier     map[int]EarlierRun // by number
	earlierMost int                // how many there may be before some are dropped
}

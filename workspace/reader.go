package workspace

import (
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
)

// reader answers questions about the runs of a workfile.
type reader struct {
	path  string
	loop  *loop.Loop
	file  *workfile.File
	nodes *nodestate.Table
	store *history.Store
	out   *watchers.Hub

	outputWaits []outputWait // belongs to the loop
}

package workspace

import (
	"log/slog"
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/watchers"
	"wf/workspace/workfile"
)

// host is what a run needs of the workspace that it belongs to.
type host struct {
	id, path   string // of the workspace
	log        *slog.Logger
	loop       *loop.Loop
	file       *workfile.File
	nodes      *nodestate.Table
	store      *history.Store
	out        *watchers.Hub
	marks      *watchers.Marks
	executor   executor.Executor
	slots      Slots
	pools      Pools      // nil: there are no pools
	nested     Nested     // nil: commands cannot start runs
	retryLater func()     // has flushJournal called again after holdPause
	found      func(*run) // is called when the executor of a recovered run was found
}

package workspace

import (
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/nodestate"
	"wf/workspace/params"
	"wf/workspace/workfile"
)

// planner decides what a run consists of, from a request, the workfile and what is known of its nodes.
type planner struct {
	id, path string
	version  string
	loop     *loop.Loop
	file     *workfile.File
	nodes    *nodestate.Table
	store    *history.Store
	pools    poolSizes
	asker    params.Asker
	usable   func() error
}

type poolSizes interface{ Size(pool string) int }

// draft is a run that was not started.
type draft struct {
	*nodestate.Run
	notes   []string // what a person should know before it begins
	secrets []string // variables with the secret parameters
}

package main

import (
	"context"
	"os"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/report"
	"wf/cmd/wf/settings"
	"wf/daemon"
)

// showPlan prints what a run would do.
func showPlan(ctx context.Context, e *env, file string, req api.RunRequest, asJSON, verbose bool) error {
	path, err := e.workfile(file)
	if err != nil {
		return err
	}
	plan, err := e.plan(ctx, path, req)
	if err != nil {
		return err
	}
	if asJSON {
		return console.WriteJSON(e.Stdout, plan)
	}
	return report.Plan(e.Stdout, e.OutPaint(), plan, verbose, e.OutWidth())
}

// plan asks the daemon if that has the workfile open, because then there may be changes that are not written yet.
// Otherwise it reads the file and the history, without a trace.
func (e *env) plan(ctx context.Context, path string, req api.RunRequest) (api.Plan, error) {
	if ws, done := e.opened(ctx, path); ws != nil {
		defer done()
		return ws.Plan(ctx, req)
	}
	return daemon.Plan(path, settings.FoldersOf(&e.Console).State, req, engineNames(e))
}

// opened returns the workspace of a workfile that a daemon has open, and a function that closes the connection. It
// returns nil if no daemon has it open or can be reached.
func (e *env) opened(ctx context.Context, path string) (ws *client.Workspace, done func()) {
	if e.elsewhere() {
		return nil, nil
	}
	dirs := settings.FoldersOf(&e.Console)
	info, err := os.Lstat(dirs.Runtime)
	if err != nil || settings.CheckPrivate(dirs.Runtime, info, os.Geteuid()) != nil {
		return nil, nil
	}
	opt := e.clientOptions(dirs)
	opt.NoStart = true
	c, err := client.Connect(ctx, opt)
	if err != nil {
		return nil, nil
	}
	if ws, err = c.Opened(ctx, path); err != nil || ws == nil {
		c.Close()
		return nil, nil
	}
	return ws, c.Close
}

package daemon

import (
	"context"
	"log/slog"

	"wf/api"
	"wf/workspace"
	"wf/workspace/activerun"
)

// nested connects the commands of runs with the runs that they started, usually of other workfiles: see
// activerun.Nested.
type nested struct {
	log   *slog.Logger
	table *workspaces[*workspace.Workspace] // set before there are workspaces
}

// caller uses the workspace of a command; nil if it is not open, so that the command belongs to another daemon. A command may
// be faster than the recovery of its run.
func (n *nested) caller(ctx context.Context, c api.Caller) *openEntry {
	id, _, err := n.table.opener.identify(c.Workfile)
	if err != nil {
		return nil
	}
	e, err := n.table.find(ctx, id)
	if err != nil && n.table.awaitResumed(ctx) == nil {
		e, err = n.table.find(ctx, id)
	}
	if err != nil {
		return nil
	}
	return e
}

// verify returns c with the pool units of the command, or nil if the command does not run here, because another process has
// a copy of its environment.
func (n *nested) verify(ctx context.Context, c *api.Caller) *api.Caller {
	if c == nil {
		return nil
	}
	e := n.caller(ctx, *c)
	if e == nil {
		return nil
	}
	defer n.table.release(e)
	held, live, err := e.ws.CallerUnits(ctx, *c)
	if err != nil || !live {
		return nil
	}
	verified := *c
	verified.Held = held
	return &verified
}

// waits lends the slot of a command to others until done is called.
func (n *nested) waits(ctx context.Context, c *api.Caller) (done func()) {
	if c == nil {
		return func() {}
	}
	e := n.caller(ctx, *c)
	if e == nil {
		return func() {}
	}
	e.ws.Waits(*c, true)
	return func() {
		e.ws.Waits(*c, false)
		n.table.release(e)
	}
}

// Began is activerun.Nested.Began.
func (n *nested) Began(by api.Caller, child activerun.Child) {
	ctx := context.Background()
	e, err := n.table.open(ctx, by.Workfile, false)
	if err != nil {
		if !api.HasCode(err, api.CodeGone) {
			n.log.Warn("the command that has started a run cannot be found: the run continues without it", "workfile", by.Workfile, "err", err)
		}
		return
	}
	defer n.table.release(e)
	if live, err := e.ws.Adopt(ctx, by, child); err == nil && !live {
		n.Stop(child, nil)
	}
}

// Over is activerun.Nested.Over.
func (n *nested) Over(by api.Caller) {
	ctx := context.Background()
	if e := n.caller(ctx, by); e != nil {
		defer n.table.release(e)
		_ = e.ws.ChildOver(ctx, by) // an error: it has closed, and holds no slots
	}
}

// Stop is activerun.Nested.Stop.
func (n *nested) Stop(child activerun.Child, graceMS *int64) {
	ctx := context.Background()
	e, err := n.table.find(ctx, child.Workspace)
	if err != nil {
		return // the run has ended: a workspace with a run is open
	}
	defer n.table.release(e)
	_, err = e.ws.StopRun(ctx, "", child.Run, api.StopRequest{GraceMS: graceMS, Cause: api.CauseCaller})
	if err != nil && !api.HasCode(err, api.CodeNotFound) {
		n.log.Warn("a run whose command is over cannot be stopped", "run", child.Run, "err", err)
	}
}

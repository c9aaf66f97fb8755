package daemon

import (
	"context"
	"errors"
	"log/slog"

	"wf/api"
	"wf/workspace"
)

// nested connects the commands of runs with the runs that they have started, which mostly are of other
// workfiles: see workspace.Nested.
type nested struct {
	log   *slog.Logger
	table *workspaces[*workspace.Workspace] // set before there are workspaces
}

// caller uses the workspace of a command; nil when it is not open, and the command not of this daemon. A
// command may be quicker than the daemon that takes its run up.
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

// verify says what the command that asks for a run holds. It returns nil for one that is not going here:
// a program that has only got its environment from somewhere.
func (n *nested) verify(ctx context.Context, c *api.Caller) *api.Caller {
	if c == nil {
		return nil
	}
	e := n.caller(ctx, *c)
	if e == nil {
		return nil
	}
	defer n.table.release(e)
	held, live, err := e.ws.CallerOf(ctx, *c)
	if err != nil || !live {
		return nil
	}
	verified := *c
	verified.Held = held
	return &verified
}

// waits lends the slot of a command until the function that it returns is called.
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

// Began is workspace.Nested.Began.
func (n *nested) Began(by api.Caller, child workspace.Child) {
	ctx := context.Background()
	e, err := n.table.open(ctx, by.Workfile, false)
	if err != nil {
		if refused := new(api.Error); !errors.As(err, &refused) || refused.Code != api.CodeGone {
			n.log.Warn("the command that has started a run cannot be found: the run goes on without it", "workfile", by.Workfile, "err", err)
		}
		return
	}
	defer n.table.release(e)
	if live, err := e.ws.Adopt(ctx, by, child); err == nil && !live {
		n.Stop(child, nil)
	}
}

// Over is workspace.Nested.Over.
func (n *nested) Over(by api.Caller) {
	ctx := context.Background()
	if e := n.caller(ctx, by); e != nil {
		defer n.table.release(e)
		_ = e.ws.GoesOn(ctx, by) // else it has closed, and holds no slots
	}
}

// Stop is workspace.Nested.Stop.
func (n *nested) Stop(child workspace.Child, graceMS *int64) {
	ctx := context.Background()
	e, err := n.table.find(ctx, child.Workspace)
	if err != nil {
		return // it is over: a workspace with a run is open
	}
	defer n.table.release(e)
	_, err = e.ws.StopRun(ctx, "", child.Run, api.StopRequest{GraceMS: graceMS, Cause: api.CauseCaller})
	if refused := new(api.Error); err != nil && (!errors.As(err, &refused) || refused.Code != api.CodeNotFound) {
		n.log.Warn("a run whose command is over cannot be stopped", "run", child.Run, "err", err)
	}
}

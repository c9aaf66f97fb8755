package main

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// An ending is a way in which a run ends.
type ending struct {
	name string
	flag []string // of wf run
	// keeps means that the run would never end: a node waits next to the resister. Otherwise the node ends
	// and leaves the resister in the background.
	keeps  bool
	status int // of wf run, which follows the run
	// trigger starts the end; nil if it needs none.
	trigger func(ctx context.Context, w *world, dir string, o *stopOptions, run *command) error
}

// timeLimit is the --timeout of a run: the resisters need a part of it to get ready.
const timeLimit = 2 * time.Second

// Exit statuses of wf run (`wf help exit-codes`).
const (
	statusOK        = 0
	statusStopped   = 6
	statusTimeout   = 124
	statusInterrupt = 130
)

var endings = []ending{
	{"stop", nil, true, statusStopped, func(ctx context.Context, w *world, dir string, o *stopOptions, _ *command) error {
		return w.must(ctx, dir, "stop", "--grace", o.grace.String())
	}},
	{"stop --now", nil, true, statusStopped, func(ctx context.Context, w *world, dir string, _ *stopOptions, _ *command) error {
		return w.must(ctx, dir, "stop", "--now")
	}},
	{"--timeout", []string{"--timeout", timeLimit.String()}, true, statusTimeout, nil},
	{"server stop --cancel", nil, true, statusStopped, func(ctx context.Context, w *world, dir string, _ *stopOptions, _ *command) error {
		return w.must(ctx, dir, "server", "stop", "--cancel")
	}},
	{"Ctrl-C", nil, true, statusInterrupt, func(_ context.Context, _ *world, _ string, _ *stopOptions, run *command) error {
		return run.cmd.Process.Signal(syscall.SIGINT)
	}},
	{"end of the run", nil, false, statusOK, nil},
}

// command returns the command of the resister's node. If the resister is in the background of a node that
// ends, the node waits until all members are ready.
func (g ending) command(r resister) string {
	if g.keeps {
		return r.command
	}
	return fmt.Sprintf("(%s) &\nuntil test \"$(cat ready 2>/dev/null | wc -l)\" -ge %d; do sleep 0.01; done", r.command, r.ready)
}

// must runs a command of wf that has to succeed.
func (w *world) must(ctx context.Context, dir string, args ...string) error {
	a, err := w.wf(ctx, dir, args...)
	if err == nil && a.status != 0 {
		err = fmt.Errorf("wf %v: %v", args, a)
	}
	return err
}

package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/tui/words"
	"wf/workspace/history"
)

// doctorPatience is how long the daemon has for an answer.
const doctorPatience = 3 * time.Second

// lookAtDaemon asks the daemon who it is, if there is one; none is started.
func (d *doctor) lookAtDaemon(ctx context.Context) {
	if info, err := os.Lstat(d.dirs.runtime); err != nil || checkPrivate(d.dirs.runtime, info, d.m.uid) != nil {
		return // there is none, or lookAtFolders has said why it must not be asked
	}
	if _, err := os.Stat(d.dirs.state); err != nil {
		return // asking would make it
	}
	ctx, cancel := context.WithTimeout(ctx, d.m.patience)
	defer cancel()
	c, running, err := d.e.reach(ctx)
	switch {
	case ctx.Err() != nil:
		d.problem("daemon", "wf server logs; then end it with wf server stop --cancel", "the daemon does not answer within %v", d.m.patience)
		return
	case err != nil:
		d.failed("daemon", err)
		return
	case !running:
		d.noDaemon()
		return
	}
	defer c.Close()
	if status, err := c.Server(ctx); err == nil {
		d.slotsOf(status.Slots)
		d.heldOf(status)
	}
	info := c.Version()
	if info.Version != d.m.version {
		fix := "wf server restart"
		if info.Runs > 0 {
			fix = "when the runs are over: wf server restart"
		}
		d.problem("daemon", fix, "the daemon (pid %d) is version %s, this is %s", info.PID, info.Version, d.m.version)
		return
	}
	d.ok("daemon", "pid %d, %s", info.PID, words.Plural(info.Runs, "run")+" going")
}

// heldOf tells which workfiles are held: their runs are not taken up.
func (d *doctor) heldOf(status api.ServerStatus) {
	for _, h := range status.Held {
		d.problem("daemon", "wf server retry, or wf stop --file "+words.Quote(h.Workfile)+" lets its runs go",
			"%s is held: %s died while they took its runs up", h.Workfile, words.Plural(h.Tries, "daemon"))
	}
}

// noDaemon tells what a daemon has left behind that is not there any more.
func (d *doctor) noDaemon() {
	marks, err := history.Active(d.dirs.state)
	if err != nil {
		d.problem("daemon", "", "it cannot be seen which runs are going: %s", exit.Obstacle(err))
		return
	}
	if len(marks) > 0 {
		d.note("daemon", "wf status --file "+words.Quote(marks[0].Workfile),
			"runs of %s are without a daemon: the next command for it takes them up", words.Plural(len(marks), "workfile"))
		return
	}
	for _, name := range []string{api.FileRegistry, api.FileSocket} {
		if _, err := os.Lstat(filepath.Join(d.dirs.runtime, name)); err == nil {
			d.note("daemon", "nothing to do: the next daemon replaces it", "a daemon ended without tidying up (%s)", filepath.Join(d.dirs.runtime, name))
			return
		}
	}
	d.ok("daemon", "none is running; it starts when it is needed")
}

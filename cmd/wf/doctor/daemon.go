package doctor

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/tui/plain"
	"wf/tui/words"
	"wf/workspace/history"
)

// doctorPatience is how long doctor waits for an answer of the daemon.
const doctorPatience = 3 * time.Second

// checkDaemon checks the running daemon, if there is one. It does not start one.
func (d *doctor) checkDaemon(ctx context.Context) {
	if host := d.c.Get("WF_DAEMON_HOST"); host != "" {
		d.ok("daemon", "on %s: WF_DAEMON_HOST is set", plain.Line(host))
		return
	}
	if info, err := os.Lstat(d.dirs.Runtime); err != nil || settings.CheckPrivate(d.dirs.Runtime, info, d.m.uid) != nil {
		return // there is no daemon, or checkFolders has reported an unsafe folder
	}
	if _, err := os.Stat(d.dirs.State); err != nil {
		return // connecting would create it
	}
	ctx, cancel := context.WithTimeout(ctx, d.m.patience)
	defer cancel()
	c, running, err := d.reach(ctx)
	switch {
	case ctx.Err() != nil:
		d.problem("daemon", "read wf server logs, then end it with wf server stop --cancel", "the daemon does not answer within %v", d.m.patience)
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
		d.quarantined(status)
		if status.Armed > 0 {
			d.triggers(ctx, c)
		}
	}
	info := c.Version()
	if info.Version != d.m.version {
		fix := "wf server restart"
		if info.Runs > 0 {
			fix = "when the runs have ended: wf server restart"
		}
		d.problem("daemon", fix, "the daemon (pid %d) is version %s, this is %s", info.PID, info.Version, d.m.version)
		return
	}
	d.ok("daemon", "pid %d, %s", info.PID, words.Plural(info.Runs, "active run"))
}

// quarantined reports the workfiles whose runs are not recovered because daemons crashed.
func (d *doctor) quarantined(status api.ServerStatus) {
	for _, h := range status.Held {
		d.problem("daemon", "wf server retry; or wf stop --file "+words.Quote(h.Workfile)+" to give its runs up",
			"%s is quarantined: %s crashed while recovering its runs", h.Workfile, words.Plural(h.Tries, "daemon"))
	}
}

// noDaemon reports what an earlier daemon left behind.
func (d *doctor) noDaemon() {
	d.sleepingTriggers()
	marks, err := history.Active(d.dirs.State)
	if err != nil {
		d.problem("daemon", "", "cannot find out which runs are active: %s", exit.Obstacle(err))
		return
	}
	if len(marks) > 0 {
		d.note("daemon", "wf status --file "+words.Quote(marks[0].Workfile),
			"runs of %s have no daemon: the next command for the workfile starts one", words.Plural(len(marks), "workfile"))
		return
	}
	for _, name := range []string{api.FileRegistry, api.FileSocket} {
		if _, err := os.Lstat(filepath.Join(d.dirs.Runtime, name)); err == nil {
			d.note("daemon", "nothing to do: the next daemon replaces it", "a daemon ended without cleaning up (%s)", filepath.Join(d.dirs.Runtime, name))
			return
		}
	}
	d.ok("daemon", "none is running; it starts when it is needed")
}

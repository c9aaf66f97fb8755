package doctor

import (
	"context"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/service"
	"wf/daemon"
	"wf/tui/plain"
	"wf/tui/words"
)

// triggers reports enabled triggers that start no runs, or would not after a logout or reboot.
func (d *doctor) triggers(ctx context.Context, c *client.Client) {
	list, err := c.Triggers(ctx, api.TriggersQuery{})
	if err != nil {
		d.failed("triggers", err)
		return
	}
	if list.Problem != "" {
		d.problem("triggers", "", "no trigger starts a run at present: %s", plain.Line(list.Problem))
	}
	for _, w := range list.Workfiles {
		again := "wf trigger enable --file " + words.Quote(w.Workfile)
		switch {
		case w.Changed:
			d.problem("triggers", again, "%s starts no runs: its triggers were changed after wf trigger enable", plain.Line(w.Workfile))
		case w.Problem != "":
			d.problem("triggers", "wf trigger log --file "+words.Quote(w.Workfile), "%s: %s", plain.Line(w.Workfile), plain.Line(w.Problem))
		}
	}
	d.ok("triggers", "enabled in %s", words.Plural(len(list.Workfiles), "workfile"))
	d.lasting()
}

// lasting notes that the daemon, and with it the triggers, may end.
func (d *doctor) lasting() {
	manager := service.Here(d.c.Get)
	switch installed, err := manager.Installed(); {
	case err == nil && !installed:
		d.note("triggers", "wf server install", "after a reboot no trigger starts a run until a wf command starts the daemon")
	case err == nil && service.EndsAtLogout(d.m.root, d.c.User()):
		d.note("triggers", service.LingerAdvice, "no trigger starts a run after the logout")
	}
}

// sleepingTriggers notes enabled triggers while no daemon runs.
func (d *doctor) sleepingTriggers() {
	if n := daemon.ArmedWorkfiles(d.dirs.State); n > 0 {
		d.problem("triggers", "wf server start, or wf server install", "enabled in %s, and no daemon runs that starts their runs", words.Plural(n, "workfile"))
	}
}

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
	d.webhooks(list)
	d.ok("triggers", "enabled in %s", words.Plural(len(list.Workfiles), "workfile"))
	d.lasting()
}

// webhooks reports enabled webhooks that receive nothing.
func (d *doctor) webhooks(list api.TriggerList) {
	any := false
	for _, w := range list.Workfiles {
		for _, t := range w.Triggers {
			if t.Webhook == nil {
				continue
			}
			any = true
			if t.Webhook.Secret == "" {
				d.problem("webhooks", "wf trigger secret "+t.Webhook.Name+" --set, or wf trigger enable --file "+words.Quote(w.Workfile),
					"%s has no secret, and accepts nothing", plain.Line(t.Webhook.Name))
			}
		}
	}
	switch {
	case any && list.Webhooks == nil:
		d.problem("webhooks", `webhook-listen = "127.0.0.1:8791" in the configuration, then wf server restart: wf help webhooks`,
			"webhooks are enabled, and the daemon receives none")
	case any && list.Webhooks.Problem != "":
		d.problem("webhooks", "wf help webhooks", "the daemon receives none at present: %s", plain.Line(list.Webhooks.Problem))
	}
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

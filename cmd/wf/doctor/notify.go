package doctor

import (
	"wf/api"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/notify/outbox"
	"wf/tui/words"
)

// checkNotifications reports notifications that could not be sent, and secrets that others can read.
func (d *doctor) checkNotifications() {
	if _, err := settings.Destinations(d.c); err != nil {
		d.failed("notify", err)
	}
	if d.dirs.State == "" {
		return
	}
	given, late := 0, 0
	var latest api.NotificationEntry
	for _, m := range outbox.Read(daemon.OutboxFolder(d.dirs.State)) {
		e := m.Entry()
		switch {
		case e.State == api.NotificationGivenUp:
			given++
		case e.State == api.NotificationWaiting && e.Attempts > 0:
			late++
		default:
			continue
		}
		latest = e
	}
	const fix = "wf notify test FILE tries the destinations; wf notify retry sends again, wf notify rm forgets"
	if given > 0 {
		d.note("notify", fix, "%s could not be sent: %s: %s", words.Plural(given, "notification"), latest.To, latest.Error)
	} else if late > 0 {
		d.note("notify", fix, "%s cannot be sent at present: %s: %s", words.Plural(late, "notification"), latest.To, latest.Error)
	}
}

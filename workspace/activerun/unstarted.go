package activerun

import (
	"log/slog"
	"os"

	"wf/api"
	"wf/notify"
	"wf/workspace/clock"
	"wf/workspace/history"
)

// TellUnstarted stores the notifications about a run that could not begin: it has failed, without a number. q has the key
// of the request, which makes a repetition the same notification, and env is its environment.
func TellUnstarted(box Notices, log *slog.Logger, store *history.Store, q history.Request, env []string, cause string) {
	rules, _ := notify.Parse(q.Notify)
	if box == nil || !notify.UsesEnd(rules) {
		return
	}
	defer func() { // after the notifications are stored: if the machine crashes in between, the next call stores them again
		if err := store.NoteUnstarted(); err != nil {
			log.Error("it cannot be stored that a run could not begin: the end of the next run is not told as recovered", "file", q.Workfile, "err", err)
		}
	}()
	to, event := notify.AtEnd(rules, notify.End{Result: api.ResFailed, Cause: cause, Last: lastOutcome(store, 0)})
	if len(to) == 0 {
		return
	}
	q.Time, q.NotifyEnv = clock.Now(), notify.Environment(env)
	q.Host, _ = os.Hostname() // "" if the machine has no name
	n := describe(&q, event)
	n.Result, n.Cause, n.Started = api.ResFailed, cause, nil
	put(&Host{Notices: box, Log: log}, &q, to, n, "unstarted")
}

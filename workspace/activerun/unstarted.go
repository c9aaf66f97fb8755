package activerun

import (
	"log/slog"
	"os"

	"wf/api"
	"wf/notify"
	"wf/workspace/clock"
	"wf/workspace/history"
)

// TellUnstarted stores the notifications about a run that could not begin: it has failed, without a number. again says that the run
// before it could not begin either. q has the key of the request, which makes a repetition the same notification, and env is its environment.
func TellUnstarted(box Notices, log *slog.Logger, store *history.Store, q history.Request, env []string, again bool, cause string) {
	rules, _ := notify.Parse(q.Notify)
	if box == nil || !notify.UsesEnd(rules) {
		return
	}
	last := notify.LastFailed
	if !again {
		last = lastOutcome(store, 0)
	}
	to, event := notify.AtEnd(rules, notify.End{Result: api.ResFailed, Cause: cause, Last: last})
	if len(to) == 0 {
		return
	}
	q.Time, q.NotifyEnv = clock.Now(), notify.Environment(env)
	q.Host, _ = os.Hostname() // "" if the machine has no name
	n := describe(&q, event)
	n.Result, n.Cause, n.Started = api.ResFailed, cause, nil
	put(&Host{Notices: box, Log: log}, &q, to, n, "unstarted")
}

package daemon

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"wf/api"
	"wf/notify"
	"wf/notify/outbox"
	"wf/workspace/fence"
)

// testTime bounds the test of a destination.
const testTime = 30 * time.Second

// OutboxFolder returns the folder of the notifications of this machine in a state folder.
func OutboxFolder(state string) string { return outbox.Folder(state, fence.This().ID) }

// A notifier has the outbox of the daemon and answers requests about it.
type notifier struct {
	daemon   *daemon
	outbox   *outbox.Box
	hostname string // "" if the machine has no name
}

// newNotifier returns the notifier of a daemon, which does not end while a notification waits.
func newNotifier(d *daemon) *notifier {
	n := &notifier{daemon: d}
	n.hostname, _ = os.Hostname()
	send := d.cfg.Send
	if send == nil {
		send = func(context.Context, notify.Message) (string, error) {
			return "", errors.New("this daemon sends nothing")
		}
	}
	n.outbox = outbox.New(outbox.Config{Dir: OutboxFolder(d.cfg.State), Send: send, Log: d.cfg.Log, Holding: func(waits bool) {
		if waits {
			d.workspaces.preventIdle()
		} else {
			d.workspaces.allowIdle()
		}
	}})
	return n
}

// deliver sends notifications until stop is called, which returns when no attempt is in progress. The daemon is not idle before
// the notifications of an earlier daemon are known.
func (n *notifier) deliver() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	n.daemon.workspaces.preventIdle()
	var delivering sync.WaitGroup
	delivering.Go(func() { n.outbox.Deliver(ctx, n.daemon.workspaces.allowIdle) })
	return func() {
		cancel()
		delivering.Wait()
	}
}

func (n *notifier) notifications(*http.Request, api.None) (api.NotificationList, error) {
	list := api.NotificationList{Schema: api.SchemaNotifications, Entries: []api.NotificationEntry{}, Dropped: n.outbox.Dropped()}
	for _, m := range n.outbox.List() {
		list.Entries = append(list.Entries, m.Entry())
	}
	return list, nil
}

func (n *notifier) changeNotifications(r *http.Request, q api.NotificationChange) (api.NotificationList, error) {
	var change func(ids []string) ([]string, error)
	switch q.Op {
	case api.OpRetry:
		change = n.outbox.Retry
	case api.OpRemove:
		change = n.outbox.Remove
	default:
		return api.NotificationList{}, api.Invalid("unknown op %q (%s, %s)", q.Op, api.OpRetry, api.OpRemove)
	}
	changed, err := change(q.IDs)
	if errors.Is(err, outbox.ErrUnknown) {
		return api.NotificationList{}, &api.Error{Code: api.CodeNotFound, Message: err.Error(), Fix: "wf notify ls lists them"}
	}
	if err != nil {
		return api.NotificationList{}, api.Internal("the outbox cannot be changed", err)
	}
	list, err := n.notifications(r, api.None{})
	list.Changed = changed
	return list, err
}

// testNotifications sends a test to each destination, past the outbox.
func (n *notifier) testNotifications(r *http.Request, q api.NotifyTestRequest) (api.NotifyTestResult, error) {
	rules, problems := notify.Parse(q.Lines)
	res := api.NotifyTestResult{Schema: api.SchemaNotifyTest, Tests: []api.NotificationTest{}}
	for _, p := range problems {
		res.Problems = append(res.Problems, api.Problem{Severity: "warning", Code: "notify", Line: p.Line, Message: p.Text})
	}
	if n.daemon.cfg.Send == nil {
		return res, &api.Error{Code: api.CodeRefused, Message: "this daemon sends nothing"}
	}
	destinations := notify.To(rules, func(notify.When) bool { return true })
	res.Tests = make([]api.NotificationTest, len(destinations))
	var sending sync.WaitGroup
	for i, to := range destinations {
		sending.Go(func() { res.Tests[i] = n.test(r, q, to) })
	}
	sending.Wait()
	return res, nil
}

// test sends a test to a destination.
func (n *notifier) test(r *http.Request, q api.NotifyTestRequest, to notify.Destination) api.NotificationTest {
	ctx, cancel := context.WithTimeout(r.Context(), testTime)
	defer cancel()
	began := time.Now()
	test := api.Notification{Event: api.NotifyTest, Time: began.UTC(), Host: n.hostname, User: author(r).User, Workfile: q.Workfile}
	test.ID = notify.ID(to, "test", began.Format(time.RFC3339Nano))
	notify.Complete(&test)
	m := notify.Message{Notification: test, To: to.String(), Env: notify.Environment(q.Env), Dir: filepath.Dir(q.Workfile)}
	answer, err := n.daemon.cfg.Send(ctx, m)
	t := api.NotificationTest{To: to.Shown(), OK: err == nil, TookMS: time.Since(began).Milliseconds(), Answer: answer}
	if err != nil {
		t.Error = err.Error()
		if ctx.Err() != nil {
			t.Error = "no answer within " + testTime.String()
		}
	}
	return t
}

// destinationKinds names the kinds of destinations in lines for the audit log, without addresses.
func destinationKinds(lines string) (kinds []string) {
	rules, _ := notify.Parse(lines)
	for _, r := range rules {
		if kind := string(r.To.Kind); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

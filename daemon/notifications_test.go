package daemon

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/notify"
)

// TestNotificationsKeepTheDaemon checks that a daemon does not end while a notification waits, that it ends after that, and what
// the requests about notifications do.
func TestNotificationsKeepTheDaemon(t *testing.T) {
	sent := make(chan notify.Message, 10)
	answer := make(chan error)
	r := start(t, func(c *Config) {
		c.IdleTimeout, c.linger = time.Second, time.Millisecond
		c.Send = func(ctx context.Context, m notify.Message) (string, error) {
			sent <- m
			select {
			case err := <-answer:
				return "taken", err
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
	})
	_, path := r.open("w")
	r.allowIdle(path)
	lines := "done -> @team"
	if e := r.ask("POST", path+"/runs", api.RunRequest{Env: []string{}, Notify: &lines}, nil); e != nil {
		t.Fatal(e)
	}
	if e := r.ask("POST", path+"/runs/-/stop", api.StopRequest{}, nil); e != nil {
		t.Fatal(e)
	}
	if m := <-sent; m.To != "@team" || m.Notification.Event != api.NotifyDone {
		t.Errorf("%+v", m)
	}
	answer <- errors.New("down")
	var list api.NotificationList
	for list.Entries == nil || list.Entries[0].Attempts == 0 { // the daemon is there
		if e := r.ask("GET", api.ListNotifications.Path, nil, &list); e != nil {
			t.Fatal(e)
		}
	}
	if n := list.Entries[0]; n.State != api.NotificationWaiting || n.Error != "down" || n.Run != "1" {
		t.Errorf("%+v", n)
	}
	if e := r.ask("POST", api.ChangeNotifications.Path, api.NotificationChange{Op: "eat"}, nil); e == nil || e.Code != api.CodeInvalid {
		t.Errorf("%v", e)
	}
	if e := r.ask("POST", api.ChangeNotifications.Path, api.NotificationChange{Op: api.OpRetry, IDs: []string{"none"}}, nil); e == nil || e.Code != api.CodeNotFound {
		t.Errorf("%v", e)
	}
	var tested api.NotifyTestResult
	go func() { <-sent; answer <- errors.New("no such team") }()
	if e := r.ask("POST", api.TestNotifications.Path, api.NotifyTestRequest{Lines: "@other\nnonsense", Env: []string{}}, &tested); e != nil {
		t.Fatal(e)
	}
	if len(tested.Tests) != 1 || tested.Tests[0].OK || tested.Tests[0].Error != "no such team" || len(tested.Problems) != 1 {
		t.Errorf("%+v", tested)
	}
	<-sent // the second attempt, long after the idle timeout
	answer <- errors.New("down again")
	for list.Entries[0].Attempts < 2 {
		if e := r.ask("GET", api.ListNotifications.Path, nil, &list); e != nil {
			t.Fatal(e)
		}
	}
	if e := r.ask("POST", api.ChangeNotifications.Path, api.NotificationChange{Op: api.OpRetry}, &list); e != nil || len(list.Changed) != 1 {
		t.Fatalf("%v, %+v", e, list)
	}
	<-sent
	answer <- nil
	r.wait() // idle
	if text := r.log.String(); !strings.Contains(text, "reason=idle") {
		t.Error(text)
	}
}

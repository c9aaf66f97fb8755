package daemon

import (
	"log/slog"
	"testing"
	"testing/synctest"

	"wf/api"
	"wf/daemon/webhooks"
)

// TestWebhooksAreDescribedOnceTheyAreReceived checks that a request that comes before the listener waits for it.
func TestWebhooksAreDescribedOnceTheyAreReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{cfg: Config{Log: slog.New(slog.DiscardHandler)}}
		rc := &receiver{cfg: Webhooks{Listen: "127.0.0.1:0"}, started: make(chan struct{}), secrets: webhooks.NewSecrets(t.TempDir())}
		var list api.TriggerList
		described := make(chan struct{})
		go func() {
			defer close(described)
			rc.describe(&list)
		}()
		synctest.Wait()
		select {
		case <-described:
			t.Errorf("described before: %+v", list.Webhooks)
		default:
		}
		rc.start(d)
		<-described
		if list.Webhooks == nil || list.Webhooks.URL == "" {
			t.Errorf("described as %+v", list.Webhooks)
		}
		rc.close()
	})
}

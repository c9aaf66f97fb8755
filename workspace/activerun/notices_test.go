package activerun

import (
	"slices"
	"sync"
	"testing"
	"time"

	"wf/api"
	"wf/notify"
)

// keptNotices keeps the titles of what is told, once for each message, as an outbox does.
type keptNotices struct {
	mu   sync.Mutex
	ids  map[string]bool
	told []string
}

func (k *keptNotices) Put(m notify.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.ids[m.ID()] {
		k.ids[m.ID()] = true
		k.told = append(k.told, m.To+" "+string(m.Notification.Event))
	}
	return nil
}

func (k *keptNotices) titles() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.told)
}

// TestLongerAfterRestart checks that a moment of a long run is told once, at its time if a daemon is there, and otherwise by the next
// daemon as soon as it has the run, although the moment has passed before that daemon sets its timer.
func TestLongerAfterRestart(t *testing.T) {
	test(t, func(b *testbed) {
		kept := &keptNotices{ids: map[string]bool{}}
		b.notices, b.host.Notices = kept, kept
		rules := "longer: 10m -> @x\nlonger: 1h -> @y"
		r := b.start(api.RunRequest{Notify: &rules})
		b.started("a")
		want := func(after string, list ...string) {
			t.Helper()
			if got := kept.titles(); !slices.Equal(got, list) {
				t.Errorf("%s: %q, want %q", after, got, list)
			}
		}
		b.sleep(5 * time.Minute)
		want("after 5 minutes")
		b.close()
		time.Sleep(15 * time.Minute) // no daemon is there at the moment
		r = b.restartClosed(r.Number)
		b.sleep(time.Nanosecond)
		want("after 20 minutes", "@x longer")
		r = b.restart(r.Number)
		b.sleep(39 * time.Minute)
		want("after 59 minutes", "@x longer")
		b.sleep(2 * time.Minute)
		want("after 61 minutes", "@x longer", "@y longer")
		b.restart(r.Number)
		b.sleep(time.Hour)
		want("after another hour", "@x longer", "@y longer")
	}, "a")
}

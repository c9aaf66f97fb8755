package armed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
	"wf/trigger/webhook"
)

// bodies returns what the runs that were started got from webhooks, in order.
func (b *bench) bodies() (list []string) {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.started {
		list = append(list, string(r.Trigger.Body))
	}
	return list
}

func (b *bench) wantBodies(want ...string) {
	b.t.Helper()
	if got := b.bodies(); !slices.Equal(got, want) {
		b.t.Errorf("the runs got %q, want %q", got, want)
	}
}

// spool returns the number of bodies on the disk.
func (b *bench) spool() int {
	synctest.Wait()
	entries, err := os.ReadDir(filepath.Join(b.state, Dir, dirBodies))
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	return len(entries)
}

func named(id string) webhook.Delivery {
	return webhook.Delivery{IDs: []string{id, "sum-of-" + id}, Event: "push"}
}

func (b *bench) deliver(k *Keeper, id string) (known bool) {
	b.t.Helper()
	known, err := k.Deliver(context.Background(), "deploy", named(id), []byte(id))
	b.must(err)
	return known
}

// TestDeliver checks that a delivery starts one run, whatever is sent again, also at the same time and to the next daemon.
func TestDeliver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "webhook: deploy scheme=github")
		k := b.keeper()
		if _, err := k.Deliver(context.Background(), "deploy", named("0"), nil); !errors.Is(err, ErrNoHook) {
			t.Errorf("not enabled: %v", err)
		}
		b.must(b.enable(k, path))
		if h, ok := k.Hook("deploy"); !ok || h.Scheme != webhook.GitHub || h.Workfile != path {
			t.Errorf("the hook is %+v", h)
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		fresh := 0
		for range 10 {
			all.Go(func() {
				if !b.deliver(k, "a") {
					mu.Lock()
					fresh++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		b.wantBodies("a")
		if fresh != 1 || !b.deliver(k, "a") {
			t.Errorf("%d of ten requests with the same delivery brought a new one", fresh)
		}
		if known, err := k.Deliver(context.Background(), "deploy", webhook.Delivery{IDs: []string{"other", "sum-of-a"}}, []byte("a")); !known || err != nil {
			t.Errorf("sent under another id: %v, %v", known, err)
		}
		b.deliver(k, "b")
		b.wantBodies("a", "b")
		r := b.started[1]
		if r.Trigger.Name != "webhook: deploy" || r.Trigger.Event != "push" || r.Mode != api.ModeFresh || r.OnBusy != api.BusyQueue {
			t.Errorf("the request is %+v, trigger %+v", r, r.Trigger)
		}
		k.Close()
		k = b.keeper()
		if !b.deliver(k, "a") || b.deliver(k, "c") {
			t.Error("the next daemon does not know what was sent before")
		}
		b.wantBodies("a", "b", "c")
		if n := b.spool(); n > 0 {
			t.Errorf("%d bodies stay", n)
		}
		k.Close()
	})
}

// TestDeliverUncertain checks deliveries whose daemon died after the answer: before the run was requested, and after.
func TestDeliverUncertain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "webhook: deploy")
		k := b.keeper()
		b.must(b.enable(k, path))
		b.crashNext()
		b.deliver(k, "a")
		b.wantBodies("a")
		k.Close()
		k = b.keeper()
		b.wantBodies("a")
		b.mu.Lock()
		b.accept = func(string, api.RunRequest) error {
			return &api.Error{Code: api.CodeGone, Message: "the daemon is ending"}
		}
		b.mu.Unlock()
		b.deliver(k, "b")
		b.deliver(k, "c")
		b.wantBodies("a")
		k.Close()
		if n := b.spool(); n != 2 {
			t.Errorf("%d bodies wait, want 2", n)
		}
		b.must(os.WriteFile(filepath.Join(b.state, Dir, dirBodies, "left"), []byte("not answered"), 0o600))
		b.mu.Lock()
		b.accept = nil
		b.mu.Unlock()
		time.Sleep(24 * time.Hour) // however late
		k = b.keeper()
		b.wantBodies("a", "b", "c")
		if n := b.spool(); n > 0 {
			t.Errorf("%d bodies stay", n)
		}
		k.Close()
	})
}

// TestDeliverLimit checks that deliveries over the limit wait, also when an option of the line is changed, and that too many are
// refused.
func TestDeliverLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "webhook: deploy limit=2/h")
		k := b.keeper()
		b.must(b.enable(k, path))
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			b.deliver(k, id)
		}
		b.wantBodies("a", "b")
		if list, err := k.List(context.Background(), api.TriggersQuery{Path: path}); err != nil || list.Workfiles[0].Triggers[0].Webhook.Waiting != 3 {
			t.Errorf("the list says %+v, %v", list, err)
		}
		time.Sleep(time.Hour + time.Minute)
		b.wantBodies("a", "b", "c", "d")
		b.file("w", "webhook: deploy limit=1000/m")
		b.must(b.enable(k, path))
		b.wantBodies("a", "b", "c", "d", "e")
		if !b.deliver(k, "a") {
			t.Error("the changed line has forgotten what was delivered")
		}
		b.mu.Lock()
		b.accept = func(string, api.RunRequest) error { return &api.Error{Code: api.CodeGone, Message: "not now"} }
		b.mu.Unlock()
		full := false
		for n := range mostWaiting + 10 {
			_, err := k.Deliver(context.Background(), "deploy", named(fmt.Sprint(n)), []byte("x"))
			full = full || errors.Is(err, ErrFull)
		}
		if n := b.spool(); !full || n > mostWaiting+1 {
			t.Errorf("%d deliveries wait", n)
		}
		b.must(k.Disable(context.Background(), path))
		if n := b.spool(); n > 1 { // that of the start under way
			t.Errorf("disabled, %d bodies stay", n)
		}
		k.Close()
	})
}

// TestHookNames checks that the name of a webhook belongs to one workfile.
func TestHookNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		first, second, twice := b.file("first", "webhook: deploy"), b.file("second", "webhook: deploy scheme=slack"), b.file("twice", "webhook: a", "webhook: a limit=1/h")
		k := b.keeper()
		b.must(b.enable(k, first))
		if err := b.enable(k, second); err == nil || !strings.Contains(err.Error(), "belongs to "+first) {
			t.Errorf("the second workfile: %v", err)
		}
		if err := b.enable(k, twice); err == nil || !strings.Contains(err.Error(), "is there twice") {
			t.Errorf("twice in a workfile: %v", err)
		}
		b.must(k.Disable(context.Background(), first))
		b.must(b.enable(k, second))
		if h, _ := k.Hook("deploy"); h.Workfile != second {
			t.Errorf("the hook is that of %s", h.Workfile)
		}
		k.Close()
	})
}

// TestRejected checks that refused requests are counted, in few records.
func TestRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		path := b.file("w", "webhook: deploy")
		k := b.keeper()
		b.must(b.enable(k, path))
		for range 600 {
			for range 100 {
				k.Rejected("deploy", string(webhook.Wrong))
				k.Rejected("", "no such hook")
			}
			time.Sleep(time.Second)
		}
		k.LogOf(path) // writes what is left
		synctest.Wait()
		log, err := k.LogOf(path)
		b.must(err)
		if len(log.Fires) != 1 || log.Fires[0].Result != api.FireRejected || log.Fires[0].Count != 60000 {
			t.Errorf("the log says %+v", log.Fires)
		}
		if info, err := os.Stat(filepath.Join(b.state, Dir, fileLedger)); err != nil || info.Size() > 10_000 {
			t.Errorf("the ledger has %d bytes, %v", info.Size(), err)
		}
		k.Close()
	})
}

// TestFireBody checks that only webhooks are fired with a body.
func TestFireBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		hook, clock := b.file("hook", "webhook: deploy"), b.file("clock", "every: 1h")
		k := b.keeper()
		b.must(b.enable(k, hook))
		b.must(b.enable(k, clock))
		fire := func(path string, body []byte) error {
			_, err := k.Fire(context.Background(), api.TriggerNow{Path: path, Body: body})
			return err
		}
		if err := fire(hook, nil); err == nil || !strings.Contains(err.Error(), "needs a body") {
			t.Errorf("a webhook without a body: %v", err)
		}
		if err := fire(clock, []byte("x")); err == nil || !strings.Contains(err.Error(), "has no body") {
			t.Errorf("every with a body: %v", err)
		}
		b.must(fire(hook, []byte("hand")))
		b.must(fire(hook, []byte{}))
		b.wantBodies("hand", "")
		if b.started[1].Trigger.Body == nil || b.spool() > 0 {
			t.Errorf("the empty body is %v; %d stay", b.started[1].Trigger.Body, b.spool())
		}
		k.Close()
	})
}

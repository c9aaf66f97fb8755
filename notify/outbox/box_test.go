package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"wf/api"
	"wf/notify"
)

// message returns a message for a destination.
func message(id, to string) notify.Message {
	return notify.Message{Notification: api.Notification{ID: id, Event: api.NotifyFailure, Title: "title of " + id, Time: time.Now().UTC()}, To: to, Env: []string{"HOME=/h"}}
}

// A receiver is the other side: it notes what it gets, and fails as often as it is told.
type receiver struct {
	mu    sync.Mutex
	fails map[string][]error // by ID: the results of the next attempts; then they succeed
	got   []string           // IDs
	hang  chan struct{}      // if not nil, attempts wait until it is closed
}

func (r *receiver) send(ctx context.Context, m notify.Message) (string, error) {
	if r.hang != nil {
		select {
		case <-r.hang:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if list := r.fails[m.ID()]; len(list) > 0 {
		r.fails[m.ID()] = list[1:]
		if list[0] != nil {
			return "", list[0]
		}
	}
	r.got = append(r.got, m.ID())
	return "", nil
}

// received returns the IDs that it got.
func (r *receiver) received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// running is a Box that delivers.
type running struct {
	*Box
	log   *bytes.Buffer
	holds int
	stop  func()
}

// run starts a Box in a folder.
func run(dir string, send Sender) *running {
	r := &running{log: &bytes.Buffer{}}
	r.Box = New(Config{Dir: dir, Send: send, Log: slog.New(slog.NewTextHandler(r.log, nil)), Holding: func(waits bool) {
		if waits {
			r.holds++
		} else {
			r.holds--
		}
	}})
	ctx, cancel := context.WithCancel(context.Background())
	begun, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		r.Deliver(ctx, func() { close(begun) })
	}()
	<-begun
	r.stop = func() {
		cancel()
		<-done
	}
	return r
}

func (r *running) state(t *testing.T, id string) api.NotificationEntry {
	t.Helper()
	for _, m := range r.List() {
		if m.ID() == id {
			return m.Entry()
		}
	}
	t.Fatalf("there is no message %s", id)
	return api.NotificationEntry{}
}

func TestDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := &receiver{fails: map[string][]error{"b": {errors.New("down"), errors.New("down again")}, "c": {&Failure{Err: errors.New("no such user"), Never: true}}}}
		r := run(filepath.Join(t.TempDir(), "box"), other.send)
		defer r.stop()
		for _, m := range []notify.Message{message("a", "@x"), message("b", "@y"), message("c", "@z"), message("a", "@x")} {
			if err := r.Put(m); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if b := r.state(t, "b"); b.State != api.NotificationWaiting || b.Attempts != 1 || b.Error != "down" || time.Until(*b.Next) != firstPause {
			t.Errorf("%+v", b)
		}
		if c := r.state(t, "c"); c.State != api.NotificationGivenUp || c.Error != "no such user" || c.Ended == nil {
			t.Errorf("%+v", c)
		}
		if r.holds != 1 {
			t.Errorf("%d messages keep the daemon, want b", r.holds)
		}
		time.Sleep(firstPause)
		synctest.Wait()
		if b := r.state(t, "b"); b.Attempts != 2 || time.Until(*b.Next) != 3*firstPause {
			t.Errorf("%+v", b)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if b := r.state(t, "b"); b.State != api.NotificationSent || b.Attempts != 3 || b.Error != "" {
			t.Errorf("%+v", b)
		}
		if err := r.Put(message("b", "@y")); err != nil { // it was sent
			t.Fatal(err)
		}
		synctest.Wait()
		if !slices.Equal(other.received(), []string{"a", "b"}) || r.holds != 0 {
			t.Errorf("received %v, %d wait", other.received(), r.holds)
		}
		if strings.Contains(r.log.String(), "HOME=") {
			t.Error("a variable is in the log")
		}
	})
}

// TestPatience checks how long and how often messages are tried.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := map[string]int{}
		var mu sync.Mutex
		r := run(filepath.Join(t.TempDir(), "box"), func(_ context.Context, m notify.Message) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			attempts[m.ID()]++
			if m.ID() == "asks" {
				return "", &Failure{Err: errors.New("busy"), After: 1000 * time.Hour}
			}
			return "", errors.New("down")
		})
		defer r.stop()
		for id, to := range map[string]string{"far": "https://x.org/", "asks": "https://y.org/", "command": "exec: false", "desktop": "desktop"} {
			if err := r.Put(message(id, to)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		if attempts["command"] != mostLocal || attempts["desktop"] != mostLocal || attempts["asks"] < 23 || attempts["asks"] > 24 || attempts["far"] < 95 || attempts["far"] > 105 {
			t.Errorf("%v", attempts)
		}
		for _, m := range r.List() {
			if m.State != api.NotificationGivenUp {
				t.Errorf("%+v", m.Entry())
			}
		}
	})
}

// TestHangs checks that a destination that hangs delays no other one, that its attempt is ended, and that each destination gets one
// message at a time, in order.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		atOnce := 0
		r := run(filepath.Join(t.TempDir(), "box"), func(ctx context.Context, m notify.Message) (string, error) {
			if m.To == "@slow" {
				<-ctx.Done()
				return "", ctx.Err()
			}
			mu.Lock()
			atOnce++
			if got = append(got, m.ID()); atOnce > 1 {
				t.Error("two messages at once to one destination")
			}
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			atOnce--
			mu.Unlock()
			return "", nil
		})
		defer r.stop()
		var want []string
		for i := range 20 {
			time.Sleep(time.Nanosecond) // they were made one after the other
			id := fmt.Sprintf("m%02d", i)
			want = append(want, id)
			if err := errors.Join(r.Put(message("slow"+id, "@slow")), r.Put(message(id, "@fast"))); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		synctest.Wait()
		mu.Lock()
		if !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
		mu.Unlock()
		time.Sleep(sendTime)
		synctest.Wait()
		if m := r.state(t, "slowm00"); m.Attempts != 1 || m.Error != "no answer within 30s" {
			t.Errorf("%+v", m)
		}
	})
}

// TestRestart ends the box at each point of a delivery: the next one takes up what was not noted as sent, with the same ID.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "box")
		hanging := &receiver{hang: make(chan struct{})}
		first := run(dir, hanging.send)
		if err := errors.Join(first.Put(message("a", "@x")), first.Put(message("b", "@y"))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		first.stop() // both attempts are in progress
		if err := first.Put(message("late", "@x")); err != nil {
			t.Fatal(err)
		}
		// b was sent, and the end of its file was not removed: as after a crash between the two.
		b, err := read(first.path("b"))
		if err != nil || b.Attempts != 0 {
			t.Fatal(b, err)
		}
		b.State = api.NotificationSent
		if err := write(first.endedPath("b"), b, false); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(first.path("broken"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		other := &receiver{}
		second := run(dir, other.send)
		defer second.stop()
		synctest.Wait()
		if !slices.Equal(slices.Sorted(slices.Values(other.received())), []string{"a", "late"}) {
			t.Errorf("received %v", other.received())
		}
		if _, err := os.Lstat(second.path("b")); !errors.Is(err, fs.ErrNotExist) {
			t.Error("b still waits")
		}
		if n := strings.Count(second.log.String(), "cannot be read"); n != 1 {
			t.Errorf("%d messages about the broken file: %s", n, second.log)
		}
	})
}

// TestOneDelivers checks that of two boxes in one folder one delivers, and the other one after its end.
func TestOneDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "box")
		one, two := &receiver{}, &receiver{}
		first := run(dir, one.send)
		if err := first.Put(message("a", "@x")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		second := run(dir, two.send)
		defer second.stop()
		if err := second.Put(message("b", "@x")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(one.received()) != 1 || len(two.received()) != 0 {
			t.Errorf("%v %v", one.received(), two.received())
		}
		first.stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !slices.Equal(two.received(), []string{"b"}) {
			t.Errorf("%v", two.received())
		}
	})
}

func TestRetryAndRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := &Failure{Err: errors.New("no"), Never: true}
		other := &receiver{fails: map[string][]error{"aa": {never}, "ab": {errors.New("down")}, "c": {never}}}
		r := run(filepath.Join(t.TempDir(), "box"), other.send)
		defer r.stop()
		for _, id := range []string{"aa", "ab", "c", "d"} {
			if err := r.Put(message(id, "@"+id)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for _, id := range []string{"a", "x", ""} {
			if _, err := r.Retry([]string{id}); !errors.Is(err, ErrUnknown) {
				t.Errorf("%q: %v", id, err)
			}
		}
		if ids, err := r.Remove([]string{"c"}); err != nil || !slices.Equal(ids, []string{"c"}) {
			t.Errorf("%v, %v", ids, err)
		}
		if ids, err := r.Retry(nil); err != nil || !slices.Equal(ids, []string{"aa", "ab"}) {
			t.Errorf("%v, %v", ids, err)
		}
		synctest.Wait()
		if !slices.Equal(slices.Sorted(slices.Values(other.received())), []string{"aa", "ab", "d"}) || r.holds != 0 || len(r.List()) != 3 {
			t.Errorf("%v, %d wait, %d are known", other.received(), r.holds, len(r.List()))
		}
		other.hang = make(chan struct{})
		if err := r.Put(message("e", "@e")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := r.Remove([]string{"e"}); err != nil { // while it is being sent
			t.Fatal(err)
		}
		close(other.hang)
		synctest.Wait()
		if len(r.List()) != 3 || r.holds != 0 {
			t.Errorf("%v", r.List())
		}
	})
}

// TestFull checks the limits: of messages that wait, and of ended ones that are kept.
func TestFull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "box")
	b := New(Config{Dir: dir, Send: nil, Log: slog.New(slog.DiscardHandler)})
	for i := range mostWaiting {
		b.waiting[fmt.Sprint("w", i)] = &item{}
	}
	if err := b.Put(message("more", "@x")); !errors.Is(err, ErrFull) || b.Dropped() != 1 {
		t.Errorf("%v, %d dropped", err, b.Dropped())
	}
	b.waiting = map[string]*item{}
	for i := range mostEnded + 5 {
		m := message(fmt.Sprint("m", i), "@x")
		if err := b.Put(m); err != nil {
			t.Fatal(err)
		}
		b.end(b.waiting[m.ID()], api.NotificationSent)
	}
	if n := len(b.List()); n > mostEnded || n < mostEnded*8/10 {
		t.Errorf("%d ended messages are kept", n)
	}
	m := b.List()[0]
	if len(m.Env) > 0 {
		t.Error("the environment of a message that was sent is kept")
	}
}

// TestPrivate checks that nobody else can read a message.
func TestPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "box")
	b := New(Config{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err := b.Put(message("a", "@x")); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{dir: 0o700, b.path("a"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestAtLeastOnce checks with random failures, ends and restarts of the box that each message arrives, and that none is sent
// again after its end was noted.
func TestAtLeastOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 4), 1, 30).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "box")
			var mu sync.Mutex
			got, ended, fail := map[string]int{}, map[string]bool{}, false
			send := func(_ context.Context, m notify.Message) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				if ended[m.ID()] {
					t.Errorf("%s is sent after its end", m.ID())
				}
				if fail {
					return "", errors.New("down")
				}
				got[m.ID()]++
				return "", nil
			}
			note := func(b *Box) {
				mu.Lock()
				defer mu.Unlock()
				for _, m := range b.List() {
					ended[m.ID()] = m.State == api.NotificationSent
				}
			}
			r := run(dir, send)
			put := 0
			for _, step := range steps {
				switch step {
				case 0, 1:
					put++
					if err := r.Put(message(fmt.Sprint("m", put), fmt.Sprint("@d", put%3))); err != nil {
						t.Fatal(err)
					}
				case 2:
					mu.Lock()
					fail = !fail
					mu.Unlock()
				case 3:
					time.Sleep(7 * time.Second)
				case 4:
					r.stop()
					note(r.Box)
					r = run(dir, send)
				}
			}
			mu.Lock()
			fail = false
			mu.Unlock()
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			r.stop()
			for i := range put {
				if got[fmt.Sprint("m", i+1)] == 0 {
					t.Errorf("m%d was not sent", i+1)
				}
			}
			if r.holds != 0 {
				t.Errorf("%d still wait", r.holds)
			}
		})
	})
}

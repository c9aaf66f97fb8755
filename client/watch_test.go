package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"wf/api"
)

// serveWatches makes a daemon serve each WebSocket with the next script and cut the connection when the script returns.
// Further watchers are refused.
func serveWatches(d *fakeDaemon, scripts ...func(*websocket.Conn)) {
	next := make(chan func(*websocket.Conn), len(scripts))
	for _, s := range scripts {
		next <- s
	}
	d.mux.HandleFunc("GET /v1/workspaces/id/events", func(w http.ResponseWriter, r *http.Request) {
		select {
		case script := <-next:
			var u websocket.Upgrader
			conn, err := u.Upgrade(w, r, nil)
			if err != nil {
				d.t.Error(err)
				return
			}
			defer conn.Close()
			script(conn)
		default:
			reply(w, 403, api.Error{Code: api.CodeRefused, Message: "no more"})
		}
	})
}

func snapshot(seq uint64) api.Frame { return api.Frame{Snapshot: &api.Snapshot{Seq: seq}} }

func events(seqs ...uint64) api.Frame {
	var f api.Frame
	for _, s := range seqs {
		f.Events = append(f.Events, api.Event{Seq: s})
	}
	return f
}

// covering returns a frame for a watcher of some types. It covers all events after one number and through another.
func covering(after, through uint64, seqs ...uint64) api.Frame {
	f := events(seqs...)
	f.After, f.Through = after, through
	return f
}

// pushes returns a script that sends frames and ends.
func pushes(frames ...api.Frame) func(*websocket.Conn) {
	return func(c *websocket.Conn) {
		for _, f := range frames {
			_ = c.WriteJSON(f)
		}
	}
}

// shape summarizes a frame: the negative Seq of a snapshot, or the Seqs of its events.
func shape(f api.Frame) []int {
	if f.Snapshot != nil {
		return []int{-int(f.Snapshot.Seq)}
	}
	var s []int
	for _, e := range f.Events {
		s = append(s, int(e.Seq))
	}
	return s
}

func TestWatchConnectsAgain(t *testing.T) {
	goodbye := func(code int) func(*websocket.Conn) {
		return func(c *websocket.Conn) {
			_ = c.WriteJSON(snapshot(1))
			_ = c.WriteJSON(api.Frame{Dropped: "too slow"})
			_ = c.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""))
		}
	}
	cases := []struct {
		name  string
		first func(*websocket.Conn)
		want  [][]int
	}{
		{"connection lost", pushes(snapshot(1), events(2, 3), events(4)), [][]int{{-1}, {2, 3}, {4}, {-9}}},
		{"gap between frames", pushes(snapshot(1), events(2), events(4)), [][]int{{-1}, {2}, {-9}}},
		{"gap in a frame", pushes(snapshot(1), events(2, 4)), [][]int{{-1}, {-9}}},
		{"repetition", pushes(snapshot(1), events(2), events(2)), [][]int{{-1}, {2}, {-9}}},
		{"no snapshot", pushes(events(1)), [][]int{{-9}}},
		{"some types", pushes(snapshot(4), covering(2, 7, 5), covering(7, 9, 8, 9)), [][]int{{-4}, {5}, {8, 9}, {-9}}},
		{"gap between types", pushes(snapshot(4), covering(4, 7, 5), covering(8, 9, 9)), [][]int{{-4}, {5}, {-9}}},
		{"types again", pushes(snapshot(4), covering(4, 7, 5), covering(4, 6, 5)), [][]int{{-4}, {5}, {-9}}},
		{"dropped", goodbye(websocket.CloseTryAgainLater), [][]int{{-1}, {-9}}},
		{"daemon replaced", goodbye(websocket.CloseGoingAway), [][]int{{-1}, {-9}}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			d := newFake(t, t.TempDir())
			serveWatches(d, tc.first, pushes(snapshot(9)))
			v, err := openFake(t, d.start(), Options{}).Watch(t.Context(), api.WatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			for _, want := range tc.want {
				f, err := v.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got := shape(f); !equal(got, want) {
					t.Fatalf("frame %v, want %v", got, want)
				}
			}
			// The second connection is cut too, and the daemon refuses a third: that is the end.
			if _, err := v.Next(t.Context()); code(err) != api.CodeRefused {
				t.Errorf("at last: %v", err)
			}
		})
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestWatchStartsALostDaemon(t *testing.T) {
	dir := t.TempDir()
	first, second := newFake(t, dir), newFake(t, dir)
	crashed := make(chan struct{})
	serveWatches(first, func(c *websocket.Conn) {
		_ = c.WriteJSON(snapshot(1))
		<-crashed
	})
	serveWatches(second, pushes(snapshot(2)))
	var starts int
	v, err := openFake(t, first.start(), Options{Start: starter(second, &starts)}).Watch(t.Context(), api.WatchOptions{Nodes: true})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, want := range []int{-1, -2} {
		f, err := v.Next(t.Context())
		if err != nil || shape(f)[0] != want {
			t.Fatalf("frame %+v, %v", f, err)
		}
		if want == -1 {
			first.crash()
			close(crashed)
		}
	}
	if starts != 1 {
		t.Errorf("%d starts", starts)
	}
}

// TestEndedDaemonIsNotStartedAgain checks that neither a watch nor a request restarts a daemon that was stopped on
// purpose. The client learns this from the goodbye, even if the registry is left, and before the goodbye arrives from the
// missing registry.
func TestEndedDaemonIsNotStartedAgain(t *testing.T) {
	for _, goodbye := range []bool{true, false} {
		t.Run(fmt.Sprintf("goodbye %v", goodbye), func(t *testing.T) {
			dir := t.TempDir()
			d := newFake(t, dir)
			ending := make(chan struct{})
			serveWatches(d, func(c *websocket.Conn) {
				_ = c.WriteJSON(snapshot(1))
				<-ending
				_ = c.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""))
			})
			w := openFake(t, d.start(), Options{Start: func(context.Context) (<-chan error, error) {
				t.Error("a daemon was started")
				return nil, errors.New("no")
			}})
			v, err := w.Watch(t.Context(), api.WatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			if _, err := v.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.c.http.CloseIdleConnections() // or the fake waits for them
			if goodbye {
				for close(ending); !w.c.daemon.Load().announcedEnd.Load(); {
					runtime.Gosched() // the watch reads the goodbye
				}
				d.crash()
			} else {
				d.stop()
				defer close(ending)
			}
			if _, err := w.Status(t.Context(), false); !errors.Is(err, ErrNoDaemon) {
				t.Errorf("asked: %v", err)
			}
			// The result of an attempt is returned if the time is enough for one.
			for limit := 4 * firstRetry; ; limit *= 2 {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				_, err := w.reconnect(ctx, api.WatchOptions{}, errDaemonEnded)
				cancel()
				if errors.Is(err, ErrNoDaemon) {
					break
				}
				if !errors.Is(err, context.DeadlineExceeded) || limit > retryLimit {
					t.Fatalf("watched for %v: %v", limit, err)
				}
			}
		})
	}
}

func TestWatchOfNothing(t *testing.T) {
	d := newFake(t, t.TempDir())
	serveWatches(d)
	if _, err := openFake(t, d.start(), Options{}).Watch(t.Context(), api.WatchOptions{}); code(err) != api.CodeRefused {
		t.Fatalf("got %v", err)
	}
}

func TestWatchEndsWhenClosed(t *testing.T) {
	d := newFake(t, t.TempDir())
	gone := make(chan struct{})
	serveWatches(d, func(c *websocket.Conn) {
		defer close(gone)
		_ = c.WriteJSON(snapshot(1))
		_, _, _ = c.ReadMessage()
	})
	v, err := openFake(t, d.start(), Options{}).Watch(t.Context(), api.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for err == nil { // the snapshot may win against the ended context
		_, err = v.Next(ctx)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	v.Close()
	v.Close()
	<-gone
	if _, err := v.Next(t.Context()); err == nil {
		t.Error("a closed watch returns frames")
	}
}

// TestPatience checks that a new daemon starts the time limit again, and another answer of the same daemon does not.
func TestPatience(t *testing.T) {
	now := time.Now()
	p := newReconnectLimit(now, 7)
	p.restart(now.Add(9*time.Second), 7)
	if got := p.until.Sub(now); got != retryLimit {
		t.Errorf("the same daemon renews it: %v", got)
	}
	p.restart(now.Add(9*time.Second), 8)
	if got := p.until.Sub(now); got != 9*time.Second+retryLimit {
		t.Errorf("another daemon: %v", got)
	}
}

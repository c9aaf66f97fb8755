package daemon

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"wf/api"
)

// watch opens the WebSocket of a workspace through the socket.
func (r *running) watch(path string) *websocket.Conn {
	r.t.Helper()
	d := websocket.Dialer{NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", r.reg.Socket)
	}}
	conn, _, err := d.Dial("ws://"+api.SocketHost+path+"/events", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	return conn
}

func next(t *testing.T, conn *websocket.Conn) (api.Frame, error) {
	t.Helper()
	_, data, err := conn.ReadMessage()
	if err != nil {
		return api.Frame{}, err
	}
	var f api.Frame
	return f, json.Unmarshal(data, &f)
}

func TestWatchIsSnapshotThenEvents(t *testing.T) {
	r := start(t, nil)
	w, path := r.open("/w")
	conn := r.watch(path)
	f, err := next(t, conn)
	if err != nil || f.Snapshot == nil {
		t.Fatalf("first frame %+v, %v", f, err)
	}
	for i := range uint64(100) {
		w.mu.Lock()
		w.publish(api.Event{Type: api.NodeReady})
		w.mu.Unlock()
		f, err := next(t, conn)
		if err != nil || len(f.Events) != 1 || f.Events[0].Seq != i+1 {
			t.Fatalf("frame %+v, %v", f, err)
		}
	}
}

func TestDroppedWatcherIsTold(t *testing.T) {
	r := start(t, nil)
	w, path := r.open("/w")
	conn := r.watch(path)
	if _, err := next(t, conn); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.watchers[0].drop("too slow")
	w.mu.Unlock()
	f, err := next(t, conn)
	if err != nil || f.Dropped != "too slow" {
		t.Fatalf("frame %+v, %v", f, err)
	}
	if _, err := next(t, conn); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("then %v", err)
	}
}

func TestEndOfTheDaemonIsToldToWatchers(t *testing.T) {
	r := start(t, nil)
	_, path := r.open("/w")
	conn := r.watch(path)
	if _, err := next(t, conn); err != nil {
		t.Fatal(err)
	}
	r.cancel()
	f, err := next(t, conn)
	if err != nil || f.Dropped == "" {
		t.Fatalf("frame %+v, %v", f, err)
	}
	if _, err := next(t, conn); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("then %v", err)
	}
	r.wait()
}

// TestEndingDaemonSendsWhatIsQueued: a watcher that is behind when the daemon ends gets every event
// there was, and then is told.
func TestEndingDaemonSendsWhatIsQueued(t *testing.T) {
	r := start(t, nil)
	w, path := r.open("/w")
	conn := r.watch(path)
	const events = 900 // more than fits into the connection: most of them wait in the queue
	w.mu.Lock()
	for range events {
		w.publish(api.Event{Type: api.NodeReady, Message: strings.Repeat("x", 1000)})
	}
	w.mu.Unlock()
	r.cancel()
	<-w.done
	var seq uint64
	for {
		f, err := next(t, conn)
		if err != nil {
			if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
				t.Errorf("the end: %v", err)
			}
			break
		}
		for _, ev := range f.Events {
			if seq++; ev.Seq != seq {
				t.Fatalf("event %d after %d", ev.Seq, seq-1)
			}
		}
	}
	if seq != events {
		t.Errorf("%d of %d events", seq, events)
	}
	r.wait()
}

func TestWatcherThatGoesIsForgotten(t *testing.T) {
	r := start(t, func(c *Config, _ *fakes) { c.linger = time.Second })
	w, path := r.open("/w")
	conn := r.watch(path)
	r.letGo(path)
	if _, err := next(t, conn); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	<-w.done // unused, it closes
}

func TestTalkativeWatcherIsCut(t *testing.T) {
	r := start(t, func(c *Config, _ *fakes) { c.linger = time.Second })
	w, path := r.open("/w")
	conn := r.watch(path)
	r.letGo(path)
	// The daemon may cut the connection before everything is written.
	err := conn.WriteMessage(websocket.TextMessage, make([]byte, 10*watcherBytes))
	for err == nil {
		_, err = next(t, conn)
	}
	<-w.done
}

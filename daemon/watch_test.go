package daemon

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
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

// note makes an edit, which is one event.
func (r *running) note(path, value string) {
	r.t.Helper()
	edit := api.Edit{Op: api.OpSet, Nodes: []string{"n"}, Key: "note", Value: value}
	if e := r.ask("POST", path+"/edits", api.EditRequest{Edits: []api.Edit{edit}}, nil); e != nil {
		r.t.Fatal(e)
	}
}

func TestWatchIsSnapshotThenEvents(t *testing.T) {
	r := start(t, nil)
	_, path := r.open("w")
	conn := r.watch(path)
	f, err := next(t, conn)
	if err != nil || f.Snapshot == nil {
		t.Fatalf("first frame %+v, %v", f, err)
	}
	for seq := f.Snapshot.Seq; seq < 20; {
		r.note(path, strconv.Itoa(int(seq)))
		f, err := next(t, conn)
		if err != nil || len(f.Events) == 0 {
			t.Fatalf("frame %+v, %v", f, err)
		}
		for _, ev := range f.Events {
			if seq++; ev.Seq != seq {
				t.Fatalf("event %d comes after %d", ev.Seq, seq-1)
			}
		}
	}
}

// fakeFrames is a frameSource with frames of the test.
type fakeFrames struct {
	frames chan []byte
	reason string // set before frames is closed
}

func (v *fakeFrames) Frames() <-chan []byte { return v.frames }

func (v *fakeFrames) Reason() string { return v.reason }

// publish adds n events.
func (v *fakeFrames) publish(n int, message string) {
	for i := range n {
		v.frames <- encode(api.Frame{Events: []api.Event{{Seq: uint64(i + 1), Type: api.NodeReady, Message: message}}})
	}
}

func encode(f api.Frame) []byte {
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return b
}

// watchFrames serves frames with d and connects to it. served is closed when d has closed the connection.
func watchFrames(t *testing.T, d *daemon, frames frameSource) (conn *websocket.Conn, served chan struct{}) {
	t.Helper()
	served = make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(served)
		d.serveFrames(w, r, frames)
	}))
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		<-served
		server.Close()
	})
	return conn, served
}

func TestDroppedWatcherGetsTheReason(t *testing.T) {
	v := &fakeFrames{frames: make(chan []byte), reason: "too slow"}
	close(v.frames)
	conn, _ := watchFrames(t, &daemon{cfg: Config{State: t.TempDir()}.withDefaults()}, v)
	f, err := next(t, conn)
	if err != nil || f.Dropped != "too slow" {
		t.Fatalf("frame %+v, %v", f, err)
	}
	if _, err := next(t, conn); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("then %v", err)
	}
}

func TestWatchersGetTheEndOfTheDaemon(t *testing.T) {
	r := start(t, nil)
	_, path := r.open("w")
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

// TestEndingDaemonSendsQueuedEvents checks that a slow watcher gets all events before the reason when the daemon ends.
func TestEndingDaemonSendsQueuedEvents(t *testing.T) {
	const events = 900 // more than fits into the connection: most of them wait in the queue
	v := &fakeFrames{frames: make(chan []byte, events)}
	d := &daemon{cfg: Config{State: t.TempDir()}.withDefaults()}
	conn, _ := watchFrames(t, d, v)
	d.draining.Store(true)
	v.publish(events, strings.Repeat("x", 1000))
	close(v.frames)
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
}

func TestWatcherThatDisconnectsIsRemoved(t *testing.T) {
	r := start(t, func(c *Config) { c.linger = time.Second })
	w, path := r.open("w")
	conn := r.watch(path)
	r.allowIdle(path)
	if _, err := next(t, conn); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	<-w.Done() // unused, it closes
}

func TestTalkativeWatcherIsCut(t *testing.T) {
	r := start(t, func(c *Config) { c.linger = time.Second })
	w, path := r.open("w")
	conn := r.watch(path)
	r.allowIdle(path)
	// The daemon may cut the connection before everything is written.
	err := conn.WriteMessage(websocket.TextMessage, make([]byte, 10*watcherBytes))
	for err == nil {
		_, err = next(t, conn)
	}
	<-w.Done()
}

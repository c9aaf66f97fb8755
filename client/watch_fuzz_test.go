package client

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/gorilla/websocket"

	"wf/api"
)

// FuzzWatchFrames has a hostile daemon send arbitrary messages, or arbitrary bytes on the connection. The client returns
// a snapshot first, then events without a gap, and finally an error.
func FuzzWatchFrames(f *testing.F) {
	f.Add(false, []byte(`{"snapshot":{"seq":4}}`+"\n"+`{"events":[{"seq":5},{"seq":6}]}`+"\n"+`{"dropped":"too slow"}`))
	f.Add(false, []byte(`{"events":[{"seq":1}]}`+"\n"+`{"snapshot":null}`+"\n"+`[]`))
	f.Add(false, []byte(`{"snapshot":{"seq":18446744073709551615}}`+"\n"+`{"events":[{"seq":0,"counts":{"ok":-1},"time":"0000-01-01T00:00:00Z"}]}`))
	f.Add(false, []byte(`{"snapshot":{"seq":1,"status":{"nodes":[{}],"runs":null}},"events":[{"seq":2}]}`+"\n"+`{"later":1}`))
	f.Add(true, []byte("\x81\x16{\"snapshot\":{\"seq\":1}}\x89\x00\x88\x02\x03\xe9"))
	f.Add(true, []byte("\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff"))
	pushed := make(chan func(*websocket.Conn), 1)
	d := newFuzzDaemon(f, pushed)
	f.Fuzz(func(t *testing.T, raw bool, data []byte) {
		pushed <- func(conn *websocket.Conn) {
			if raw {
				conn.NetConn().Write(data)
				return
			}
			for message := range bytes.SplitSeq(data, []byte("\n")) {
				_ = conn.WriteMessage(websocket.TextMessage, message)
			}
		}
		w, err := d.watch(t.Context(), "id", api.WatchOptions{}, startPolicy{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		var seq uint64
		for hasSnapshot := false; ; {
			frame, err := w.next()
			if err != nil {
				return // after an invalid message the client closes the connection
			}
			if frame.Snapshot != nil {
				hasSnapshot, seq = true, frame.Snapshot.Seq
			}
			if !hasSnapshot || frame.Dropped != "" {
				t.Fatalf("handed on: %+v", frame)
			}
			for _, ev := range frame.Events {
				if ev.Seq != seq+1 {
					t.Fatalf("event %d after %d", ev.Seq, seq)
				}
				seq++
			}
		}
	})
}

// newFuzzDaemon returns a client of a daemon that serves each watch with the next function from pushed.
func newFuzzDaemon(f *testing.F, pushed <-chan func(*websocket.Conn)) *Client {
	f.Helper()
	dir := f.TempDir()
	d := newFake(f, dir)
	d.mux.HandleFunc("GET "+api.WatchEvents.At("id"), func(w http.ResponseWriter, r *http.Request) {
		var u websocket.Upgrader
		conn, err := u.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		(<-pushed)(conn)
	})
	d.start()
	c, err := Connect(f.Context(), Options{Runtime: dir})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.Close)
	return c
}

package daemon

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"wf/api"
)

// BenchmarkPush sends frames of a busy run to 50 watchers on real sockets. An operation is one frame to all watchers:
// for each one system call, and 70 bytes for its arguments, independent of the frame.
func BenchmarkPush(b *testing.B) {
	const watchers = 50
	d := &daemon{cfg: Config{State: b.TempDir()}.withDefaults()}
	sources := make(chan *fakeFrames, watchers)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		source := &fakeFrames{frames: make(chan []byte, 1000)}
		sources <- source
		d.serveFrames(w, r, source)
	}))
	socket := filepath.Join(b.TempDir(), "socket")
	server.Listener.Close()
	var err error
	if server.Listener, err = net.Listen("unix", socket); err != nil {
		b.Fatal(err)
	}
	server.Start()
	defer server.Close()
	var readers sync.WaitGroup
	dialer := websocket.Dialer{NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	for range watchers {
		conn, _, err := dialer.Dial("ws://"+api.SocketHost, nil)
		if err != nil {
			b.Fatal(err)
		}
		readers.Go(func() {
			defer conn.Close()
			_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{conn.NetConn()}, make([]byte, 64<<10))
		})
	}
	var watching []*fakeFrames
	for range watchers {
		watching = append(watching, <-sources)
	}
	events := make([]api.Event, 140)
	for i := range events {
		events[i] = api.Event{Schema: api.SchemaEvent, Type: api.NodeFinished, Run: "1", Node: "n1234", Name: "node 1234", Workspace: "w"}
	}
	frame := encode(api.Frame{Events: events})
	b.SetBytes(int64(len(frame) * watchers))
	b.ReportAllocs()
	for b.Loop() {
		for _, v := range watching {
			v.frames <- frame
		}
	}
	for _, v := range watching {
		close(v.frames)
	}
	readers.Wait()
}

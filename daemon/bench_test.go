package daemon

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"wf/api"
)

// BenchmarkPush sends frames of a busy run to 50 watchers on real sockets. An operation is one frame to
// all of them: one system call for each, and 70 bytes for its arguments, whatever is in the frame.
func BenchmarkPush(b *testing.B) {
	const watchers = 50
	r := start(b, nil)
	w, path := r.open("/w")
	var readers sync.WaitGroup
	dialer := websocket.Dialer{NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", r.reg.Socket)
	}}
	for range watchers {
		conn, _, err := dialer.Dial("ws://"+api.SocketHost+path+"/events", nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := conn.ReadMessage(); err != nil {
			b.Fatal(err)
		}
		readers.Go(func() {
			defer conn.Close()
			_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{conn.NetConn()}, make([]byte, 64<<10))
		})
	}
	events := make([]api.Event, 140)
	for i := range events {
		events[i] = api.Event{Schema: api.SchemaEvent, Type: api.NodeFinished, Run: "1", Node: "n1234", Name: "node 1234", Workspace: path}
	}
	frame := encode(api.Frame{Events: events})
	b.SetBytes(int64(len(frame) * watchers))
	b.ReportAllocs()
	for b.Loop() {
		for _, v := range w.watchers {
			v.frames <- frame
		}
	}
	r.cancel()
	r.wait()
	readers.Wait()
}

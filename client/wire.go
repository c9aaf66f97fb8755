package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"wf/api"
)

// silenceLimit is the time without a message after which a daemon counts as lost; it pings every 30 s.
const silenceLimit = 90 * time.Second

// readBytes is the size of one read: most frames of a busy run fit.
const readBytes = 64 << 10

var (
	// errDaemonEnded ends a connection whose daemon has announced its end.
	errDaemonEnded = errors.New("the daemon has ended")
	errGap         = errors.New("events are missing")
)

// A wire is one WebSocket connection of a Watch. It checks that no event is missing.
type wire struct {
	conn        *websocket.Conn
	daemon      *daemon   // at the other end
	id          string    // of the workspace
	once        sync.Once // closes conn
	seq         uint64    // of the last event seen
	hasSnapshot bool      // the snapshot has arrived
	frames      frameReader
}

// watch opens the WebSocket of a workspace.
func (c *Client) watch(ctx context.Context, id string, opt api.WatchOptions, policy startPolicy) (*wire, error) {
	conn, err := c.upgrade(ctx, id, opt)
	if notConnected(err) {
		if err := c.reach(ctx, policy); err != nil {
			return nil, err
		}
		conn, err = c.upgrade(ctx, id, opt)
	}
	if err != nil {
		return nil, err
	}
	w := &wire{conn: conn, daemon: c.daemon.Load(), id: id}
	w.extendDeadline()
	pong := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		w.extendDeadline()
		return pong(data)
	})
	return w, nil
}

func (c *Client) upgrade(ctx context.Context, id string, opt api.WatchOptions) (*websocket.Conn, error) {
	// The dialer respects only the deadline of ctx; closing the connection covers its cancellation.
	stop := func() bool { return true }
	d := websocket.Dialer{ReadBufferSize: readBytes, NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := c.dial(ctx, network, addr)
		if err == nil {
			stop = context.AfterFunc(ctx, func() { conn.Close() })
		}
		return conn, err
	}}
	u := url.URL{Scheme: "ws", Host: api.SocketHost, Path: api.WatchEvents.At(id),
		RawQuery: api.EncodeQuery(opt).Encode()}
	conn, resp, err := d.DialContext(ctx, u.String(), c.header())
	if !stop() && err == nil {
		conn.Close()
		return nil, ctx.Err()
	}
	if err == nil {
		return conn, nil
	}
	if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, refusal(resp)
	}
	return nil, connectionError(ctx, err)
}

// extendDeadline extends the read deadline after a message from the daemon.
func (w *wire) extendDeadline() { _ = w.conn.SetReadDeadline(time.Now().Add(silenceLimit)) }

// next returns the next frame. Every error is the end of the wire.
func (w *wire) next() (api.Frame, error) {
	_, r, err := w.conn.NextReader()
	if err != nil {
		return api.Frame{}, w.endOf(err)
	}
	w.extendDeadline()
	f, err := w.frames.read(r)
	if err != nil {
		return api.Frame{}, fmt.Errorf("read a frame: %w", err)
	}
	if f.Dropped != "" {
		// The close code shows whether the daemon ends or only drops this watcher.
		if _, _, err := w.conn.NextReader(); errors.Is(w.endOf(err), errDaemonEnded) {
			return api.Frame{}, errDaemonEnded
		}
		return api.Frame{}, fmt.Errorf("dropped by the daemon: %s", f.Dropped)
	}
	for i := range f.Events { // frames leave these out
		f.Events[i].Schema, f.Events[i].Workspace = api.SchemaEvent, w.id
	}
	return f, w.count(f)
}

// endOf returns errDaemonEnded, and records it, if the daemon has ended in an orderly way; otherwise err.
func (w *wire) endOf(err error) error {
	if websocket.IsCloseError(err, websocket.CloseGoingAway) {
		w.daemon.announcedEnd.Store(true)
		return errDaemonEnded
	}
	return err
}

// count checks that the frame continues the earlier ones: a snapshot first, then every sequence number, or the range of
// numbers that the daemon has filtered.
func (w *wire) count(f api.Frame) error {
	if f.Snapshot != nil {
		w.hasSnapshot, w.seq = true, f.Snapshot.Seq
	}
	if !w.hasSnapshot {
		return fmt.Errorf("%w: no snapshot came first", errGap)
	}
	if f.Through != 0 {
		if f.After > w.seq || f.Through <= w.seq {
			return fmt.Errorf("%w: %d to %d came after %d", errGap, f.After, f.Through, w.seq)
		}
		w.seq = f.Through
		return nil
	}
	for i := range f.Events {
		if got := f.Events[i].Seq; got != w.seq+1 {
			return fmt.Errorf("%w: %d came after %d", errGap, got, w.seq)
		}
		w.seq++
	}
	return nil
}

// close closes the connection, also during a read.
func (w *wire) close() { w.once.Do(func() { w.conn.Close() }) }

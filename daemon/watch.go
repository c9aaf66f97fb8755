package daemon

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"wf/api"
)

// Times of a WebSocket. A client answers pings; one that is silent for too long counts as lost.
const (
	writeTime = 10 * time.Second
	pingEvery = 30 * time.Second
	pongTime  = 75 * time.Second
)

// watching has the time limits of a watcher: to receive a frame, and to answer a ping.
type watching struct{ write, ping, pong time.Duration }

// watcherBytes is the maximum size of a message from a watcher. Watchers send only pongs.
const watcherBytes = 512

// upgrader does not check the Origin, because access has.
var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// watch sends frames until either side ends. The workspace stays open until then.
func (d *daemon) watch(w http.ResponseWriter, r *http.Request, opt api.WatchOptions) error {
	e, err := d.workspaces.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	defer d.workspaces.release(e)
	done, err := d.lasting()
	if err != nil {
		return err
	}
	defer done()
	watcher, err := e.ws.Watch(r.Context(), client(r), opt)
	if err != nil {
		return err
	}
	defer watcher.Close()
	defer d.cfg.nested.waits(r.Context(), opt.Caller)()
	d.serveFrames(w, r, watcher)
	return nil
}

// A frameSource yields the encoded frames of a workspace, the snapshot first: a *watchers.Watcher.
type frameSource interface {
	Frames() <-chan []byte // closed when the watcher is dropped or closed, or the workspace ends
	Reason() string        // why Frames was closed; valid afterwards
}

// serveFrames makes a request a WebSocket and sends frames until either side ends.
func (d *daemon) serveFrames(w http.ResponseWriter, r *http.Request, frames frameSource) {
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		d.listenTo(conn)
	}()
	d.push(conn, frames, gone)
	conn.Close()
	<-gone
}

// listenTo reads pongs and the close message until the connection ends.
func (d *daemon) listenTo(conn *websocket.Conn) {
	conn.SetReadLimit(watcherBytes)
	alive := func(string) error { return conn.SetReadDeadline(time.Now().Add(d.cfg.watching.pong)) }
	_ = alive("")
	conn.SetPongHandler(alive)
	for {
		if _, _, err := conn.NextReader(); err != nil {
			return
		}
	}
}

// push is the only writer of the connection.
func (d *daemon) push(conn *websocket.Conn, frames frameSource, gone <-chan struct{}) {
	ping := time.NewTicker(d.cfg.watching.ping)
	defer ping.Stop()
	for {
		var err error
		select {
		case frame, ok := <-frames.Frames():
			if !ok {
				d.goodbye(conn, frames.Reason())
				return
			}
			err = d.write(conn, frame)
		case <-ping.C:
			err = conn.WriteControl(websocket.PingMessage, nil, d.writeBy())
		case <-gone:
			return
		}
		if err != nil {
			return
		}
	}
}

func (d *daemon) write(conn *websocket.Conn, frame []byte) error {
	_ = conn.SetWriteDeadline(d.writeBy())
	return conn.WriteMessage(websocket.TextMessage, frame)
}

// writeBy returns the deadline of a write that starts now.
func (d *daemon) writeBy() time.Time { return time.Now().Add(d.cfg.watching.write) }

// goodbye sends the reason for the end of the connection. The close code is 1001 if the daemon ends, 1013 if the client may
// connect again.
func (d *daemon) goodbye(conn *websocket.Conn, reason string) {
	code := websocket.CloseTryAgainLater
	if d.draining.Load() {
		code, reason = websocket.CloseGoingAway, "the daemon is ending"
	}
	frame, err := json.Marshal(api.Frame{Dropped: reason})
	if err == nil && reason != "" && d.write(conn, frame) != nil {
		return
	}
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), d.writeBy())
}

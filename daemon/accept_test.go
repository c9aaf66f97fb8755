package daemon

import (
	"log/slog"
	"net"
	"net/http"
	"testing"
)

// TestRoomIsMadeOnce closes idle connections for new ones while the server has not yet noticed that an earlier one was closed:
// the same connection makes room only once.
func TestRoomIsMadeOnce(t *testing.T) {
	l := limit(nil, 3, anyUser, func(*connection) {}, slog.New(slog.DiscardHandler))
	admit := func() net.Conn {
		l.room <- struct{}{}
		return l.wrap(&net.UnixConn{})
	}
	// made makes room, and reports whether there is some.
	made := func() bool {
		l.want(true)
		select {
		case l.room <- struct{}{}:
			l.want(false)
			<-l.room
			return true
		default:
			return false
		}
	}
	a, b := admit(), admit()
	admit()
	connectionState(a, http.StateIdle)
	connectionState(b, http.StateIdle)
	if !made() {
		t.Fatal("no room although a was idle")
	}
	a2 := admit() // in the place of a
	if !made() {
		t.Fatal("no room although b was idle: a was closed twice")
	}
	connectionState(a, http.StateIdle) // the server has answered a request that it had read before
	connectionState(a, http.StateClosed)
	b2 := admit()

	// The server closes a connection itself.
	connectionState(a2, http.StateIdle)
	connectionState(b2, http.StateIdle)
	a2.Close()
	a3 := admit()
	if !made() {
		t.Fatal("no room although b2 was idle: a2 was closed twice")
	}
	connectionState(a2, http.StateClosed)
	admit()

	if made() {
		t.Fatal("a busy connection was closed")
	}
	connectionState(a3, http.StateIdle)
	if !made() {
		t.Error("the next connection that became idle was not closed")
	}
}

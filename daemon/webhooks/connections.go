package webhooks

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// bounded is a listener with a limit of open connections. Above it, the connection that has been open or idle longest without an
// authentic request is closed for the new one: clients that only hold connections take none away from others.
type bounded struct {
	net.Listener
	most int

	mu   sync.Mutex // guards the fields below, and connection.place
	open int
	idle *list.List // *connection, those without an authentic request, the oldest first
}

func newBounded(l net.Listener, most int) *bounded {
	return &bounded{Listener: l, most: most, idle: list.New()}
}

// A connection is one that bounded has accepted.
type connection struct {
	net.Conn
	of     *bounded
	once   sync.Once
	place  *list.Element // nil while an authentic request is carried out, and when it is closed
	closed bool          // guarded by bounded.mu
}

// Accept makes room for a connection by closing another.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &connection{Conn: conn, of: b}
		b.mu.Lock()
		var oldest *connection
		full := b.open >= b.most
		if first := b.idle.Front(); full && first != nil {
			oldest = first.Value.(*connection)
			b.leave(oldest)
		}
		if !full || oldest != nil {
			b.open++
			c.place = b.idle.PushBack(c)
		}
		b.mu.Unlock()
		if full && oldest == nil { // all of them are carrying out requests
			conn.Close()
			continue
		}
		if oldest != nil {
			oldest.Close()
		}
		return c, nil
	}
}

// leave takes a connection out of the list. The caller holds mu.
func (b *bounded) leave(c *connection) {
	if c.place != nil {
		b.idle.Remove(c.place)
		c.place = nil
	}
}

func (c *connection) Close() error {
	c.once.Do(func() {
		c.of.mu.Lock()
		c.of.leave(c)
		c.of.open--
		c.closed = true
		c.of.mu.Unlock()
	})
	return c.Conn.Close()
}

type connectionKey struct{}

// connectionContext gives the context of requests their connection.
func connectionContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, inner(conn))
}

// inner returns the connection that bounded has accepted, nil if it is none.
func inner(conn net.Conn) *connection {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, _ := conn.(*connection)
	return c
}

// busy keeps the connection of an authentic request open for its answer.
func busy(r *http.Request) {
	if c, _ := r.Context().Value(connectionKey{}).(*connection); c != nil {
		c.of.mu.Lock()
		c.of.leave(c)
		c.of.mu.Unlock()
	}
}

// connectionState puts a connection whose request is answered behind the others.
func connectionState(conn net.Conn, state http.ConnState) {
	if c := inner(conn); c != nil && state == http.StateIdle {
		c.of.mu.Lock()
		c.of.leave(c)
		if !c.closed {
			c.place = c.of.idle.PushBack(c)
		}
		c.of.mu.Unlock()
	}
}

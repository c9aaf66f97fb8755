package daemon

import (
	"log/slog"
	"net"
	"os"
	"sync"
)

// maxConnections bounds how many a door has open at once; further ones wait in the kernel's queue.
const maxConnections = 256

// limited is a listener that accepts connections only as long as there is room, and only from
// those that admit lets in.
type limited struct {
	net.Listener
	room  chan struct{}
	done  chan struct{}
	once  sync.Once
	admit func(net.Conn) error
	log   *slog.Logger
}

func limit(l net.Listener, n int, admit func(net.Conn) error, log *slog.Logger) *limited {
	return &limited{Listener: l, room: make(chan struct{}, n), done: make(chan struct{}), admit: admit, log: log}
}

// Accept waits for room and then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			<-l.room
			return nil, err
		}
		if err := l.admit(conn); err != nil {
			l.log.Warn("connection refused", "err", err)
			conn.Close()
			continue
		}
		return l.seated(conn), nil
	}
}

// seated makes a connection that gives its room back when it is closed.
func (l *limited) seated(conn net.Conn) net.Conn {
	s := &seat{leave: func() { <-l.room }}
	switch c := conn.(type) {
	case *net.UnixConn:
		return &seatedUnix{c, s}
	case *net.TCPConn:
		return &seatedTCP{c, s}
	}
	panic("internal error: a door is neither a unix socket nor a port")
}

// Close also wakes an Accept that waits for room.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// A seat is the room of one connection.
type seat struct {
	once  sync.Once
	leave func()
}

// The connections are embedded as what they are, not as net.Conn: net.Buffers then writes the head and
// the body of a frame in one system call.
type (
	seatedUnix struct {
		*net.UnixConn
		*seat
	}
	seatedTCP struct {
		*net.TCPConn
		*seat
	}
)

func (c *seatedUnix) Close() error {
	err := c.UnixConn.Close()
	c.once.Do(c.leave)
	return err
}

func (c *seatedTCP) Close() error {
	err := c.TCPConn.Close()
	c.once.Do(c.leave)
	return err
}

// ownUser admits only connections of the daemon's user.
func ownUser(conn net.Conn) error {
	uid, err := peerUID(conn.(*net.UnixConn))
	if err != nil {
		return err
	}
	return checkPeer(uid, os.Geteuid())
}

func anybody(net.Conn) error { return nil }

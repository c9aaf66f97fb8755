package daemon

import (
	"container/list"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"

	"wf/executor/peer"
)

// maxConnections bounds the open connections of a listener; further ones wait in the queue of the kernel.
const maxConnections = 1024

// connectionLimit returns the maximum number of open connections of a listener: at most a quarter of the process's file limit,
// because runs need files, too.
func connectionLimit() int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return maxConnections / 4
	}
	return int(min(maxConnections, max(files.Cur/4, 32)))
}

// limited is a listener with a limit of open connections, which accepts only connections that admit allows. While it is
// full, idle connections are closed for new ones: a client connects again when it has a request.
type limited struct {
	net.Listener
	room  chan struct{}
	done  chan struct{}
	once  sync.Once
	admit func(net.Conn) error
	left  func(*connection) // called when a connection is closed
	log   *slog.Logger

	mu     sync.Mutex // guards the fields below, and idle and closed of the connections
	idle   *list.List // idle connections (net.Conn), the longest idle one first
	wanted bool       // Accept waits for room
}

func limit(l net.Listener, n int, admit func(net.Conn) error, left func(*connection), log *slog.Logger) *limited {
	return &limited{Listener: l, room: make(chan struct{}, n), done: make(chan struct{}), admit: admit, left: left,
		log: log, idle: list.New()}
}

// Accept waits for room, then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	default:
		l.want(true)
		select {
		case l.room <- struct{}{}:
			l.want(false)
		case <-l.done:
			return nil, net.ErrClosed
		}
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
		return l.wrap(conn), nil
	}
}

// want sets whether Accept waits for room. If it does, the connection that has been idle longest is closed, or else the next
// connection that becomes idle. That connection leaves the list at once: the server notices later that it is closed, and room
// may be wanted again before.
func (l *limited) want(room bool) {
	l.mu.Lock()
	l.wanted = room
	var conn net.Conn
	if first := l.idle.Front(); room && first != nil {
		conn = first.Value.(net.Conn)
		l.busy(conn.(interface{ self() *connection }).self())
		l.wanted = false
	}
	l.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
}

// connectionState is called by the server when the state of a connection changes.
func connectionState(conn net.Conn, state http.ConnState) {
	s := conn.(interface{ self() *connection }).self()
	s.at.state(s, conn, state)
}

func (l *limited) state(s *connection, conn net.Conn, state http.ConnState) {
	l.mu.Lock()
	l.busy(s)
	idle := state == http.StateIdle && !s.closed
	closes := idle && l.wanted
	switch {
	case closes:
		l.wanted = false
	case idle:
		s.idle = l.idle.PushBack(conn)
	}
	l.mu.Unlock()
	if closes {
		conn.Close()
	}
}

// busy removes a connection from the idle ones. The caller has locked mu.
func (l *limited) busy(s *connection) {
	if s.idle != nil {
		l.idle.Remove(s.idle)
		s.idle = nil
	}
}

// wrap returns conn as a connection that frees its room when it is closed.
func (l *limited) wrap(conn net.Conn) net.Conn {
	s := &connection{at: l}
	s.leave = func() {
		l.mu.Lock()
		l.busy(s)
		s.closed = true // it makes no room any more
		l.mu.Unlock()
		<-l.room
		l.left(s)
	}
	switch c := conn.(type) {
	case *net.UnixConn:
		s.unix = c
		return &unixConnection{c, s}
	case *net.TCPConn:
		return &tcpConnection{c, s}
	}
	panic("internal error: a connection is neither of a unix socket nor of a port")
}

// Close also wakes an Accept that waits for room.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// A connection is the state of one connection.
type connection struct {
	once  sync.Once
	at    *limited
	leave func()
	unix  *net.UnixConn // nil for a connection of the port
	idle  *list.Element // see limited.mu
	// closed is set before the room of the connection is free. See limited.mu.
	closed bool

	// The fields below are guarded by leases.mu.

	holders []*holder // the clients that sent requests on it
	gone    bool
}

func (s *connection) self() *connection { return s }

// The connections embed their concrete types, not net.Conn: then net.Buffers writes the head and the body of a frame in
// one system call.
type (
	unixConnection struct {
		*net.UnixConn
		*connection
	}
	tcpConnection struct {
		*net.TCPConn
		*connection
	}
)

func (c *unixConnection) Close() error {
	err := c.UnixConn.Close()
	c.once.Do(c.leave)
	return err
}

func (c *tcpConnection) Close() error {
	err := c.TCPConn.Close()
	c.once.Do(c.leave)
	return err
}

// ownUser admits only connections of the daemon's user.
func ownUser(conn net.Conn) error {
	uid, err := peer.UID(conn)
	if err != nil {
		return err
	}
	return checkPeer(uid, os.Geteuid())
}

// checkPeer admits only the daemon's own user. Root is refused like every other user: its commands would run as this
// user, which root can do without the daemon.
func checkPeer(uid, own int) error {
	if uid != own {
		return fmt.Errorf("user %d may not use the daemon of user %d", uid, own)
	}
	return nil
}

func anyUser(net.Conn) error { return nil }

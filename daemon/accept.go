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

// mostConnections bounds how many connections a door has open at once; further ones wait in the kernel's queue.
const mostConnections = 1024

// roomFor is how many connections a door has room for: at most a quarter of the files that the process may have
// open, which are those of the runs, too.
func roomFor() int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return mostConnections / 4
	}
	return int(min(mostConnections, max(files.Cur/4, 32)))
}

// limited is a listener that accepts connections only as long as there is room, and only from
// those that admit lets in. While it is full, connections that ask nothing at the moment give way to others: a
// client connects again when it has a question.
type limited struct {
	net.Listener
	room  chan struct{}
	done  chan struct{}
	once  sync.Once
	admit func(net.Conn) error
	left  func(*seat) // told when a connection is gone
	log   *slog.Logger

	mu      sync.Mutex // guards what follows, and seat.resting
	resting *list.List // of net.Conn, the longest first
	wanted  bool       // somebody waits for room
}

func limit(l net.Listener, n int, admit func(net.Conn) error, left func(*seat), log *slog.Logger) *limited {
	return &limited{Listener: l, room: make(chan struct{}, n), done: make(chan struct{}), admit: admit, left: left,
		log: log, resting: list.New()}
}

// Accept waits for room and then for a connection.
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
		return l.seated(conn), nil
	}
}

// want says whether room is needed. Then the connection that has rested longest gives way, or the next that
// begins to rest.
func (l *limited) want(room bool) {
	l.mu.Lock()
	l.wanted = room
	var conn net.Conn
	if first := l.resting.Front(); room && first != nil {
		conn = first.Value.(net.Conn)
		l.wanted = false
	}
	l.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
}

// seatState is told by the server what a connection does.
func seatState(conn net.Conn, state http.ConnState) {
	s := conn.(interface{ place() *seat }).place()
	s.at.state(s, conn, state)
}

func (l *limited) state(s *seat, conn net.Conn, state http.ConnState) {
	l.mu.Lock()
	if s.resting != nil {
		l.resting.Remove(s.resting)
		s.resting = nil
	}
	rests := state == http.StateIdle
	gives := rests && l.wanted
	switch {
	case gives:
		l.wanted = false
	case rests:
		s.resting = l.resting.PushBack(conn)
	}
	l.mu.Unlock()
	if gives {
		conn.Close()
	}
}

// seated makes a connection that gives its room back when it is closed.
func (l *limited) seated(conn net.Conn) net.Conn {
	s := &seat{at: l}
	s.leave = func() {
		<-l.room
		l.left(s)
	}
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
	once    sync.Once
	at      *limited
	leave   func()
	resting *list.Element // see limited

	// The fields below are guarded by tenants.mu.

	tenants []*tenant // whose connection it is
	gone    bool
}

func (s *seat) place() *seat { return s }

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
	uid, err := peer.UID(conn)
	if err != nil {
		return err
	}
	return checkPeer(uid, os.Geteuid())
}

// checkPeer admits only the daemon's own user. Root is refused like every other user: what root asked for would run
// as this user, which root can have without the daemon.
func checkPeer(uid, own int) error {
	if uid != own {
		return fmt.Errorf("user %d may not use the daemon of user %d", uid, own)
	}
	return nil
}

func anybody(net.Conn) error { return nil }

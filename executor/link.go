package executor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	helloPatience = 10 * time.Second // for the other side's first line
	drainPatience = 10 * time.Second // for a daemon to read the last news
	acceptPause   = time.Second      // after a connection that could not be taken
)

// A link is the runner's connection to a daemon. The newest one counts.
type link struct {
	conn  net.Conn
	order int           // of connecting
	since int           // news the daemon has already, in lines
	awake chan struct{} // capacity 1: there is news
	last  chan struct{} // closed: send the rest and end
	ended chan struct{} // closed by the writer
}

// A batch is commands that arrived together.
type batch struct {
	link     *link
	commands []command // nil: the connection has ended
}

// wake tells the writer that there is news.
func (l *link) wake() {
	select {
	case l.awake <- struct{}{}:
	default:
	}
}

// drain waits until the daemon has been sent everything, or will not take it.
func (l *link) drain() {
	l.conn.SetWriteDeadline(time.Now().Add(drainPatience)) // then the write fails too
	close(l.last)
	<-l.ended
}

// listen opens the socket by which a later daemon finds this runner.
func (r *runner) listen(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	// The mode counts when somebody connects, so a chmod after bind would leave a gap.
	old := unix.Umask(0o177)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	unix.Umask(old)
	if err != nil {
		return err
	}
	r.listener = listener
	go r.accept()
	return nil
}

// accept takes connections until leave closes the listener.
func (r *runner) accept() {
	for order := 1; ; order++ {
		conn, err := r.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no descriptor free, say: the next daemon may have more luck
			time.Sleep(acceptPause)
			continue
		}
		if err := checkPeer(conn); err != nil {
			conn.Close()
			continue
		}
		go r.serve(conn, order)
	}
}

// serve reads what one daemon wants until the connection ends.
func (r *runner) serve(conn net.Conn, order int) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	hello, err := readHello(conn, in)
	if err != nil {
		return
	}
	l := &link{
		conn: conn, order: order, since: hello.Since,
		awake: make(chan struct{}, 1), last: make(chan struct{}), ended: make(chan struct{}),
	}
	r.links <- l
	var commands []command
	readLines(in, func(line []byte) error { // any end is the end
		var c command
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		commands = append(commands, c)
		return nil
	}, func() {
		r.batches <- batch{l, commands}
		commands = nil
	})
	r.batches <- batch{l, nil}
}

// readHello waits for the first line of a daemon, but not for ever.
func readHello(conn net.Conn, in *bufio.Reader) (command, error) {
	var hello command
	conn.SetReadDeadline(time.Now().Add(helloPatience)) // then the read fails too
	line, err := readLine(in)
	if err != nil {
		return hello, err
	}
	if err := json.Unmarshal(line, &hello); err != nil {
		return hello, err
	}
	if hello.Kind != lineHello || hello.Version < 1 {
		return hello, fmt.Errorf("runner: %q is no hello", line)
	}
	return hello, conn.SetReadDeadline(time.Time{})
}

// attach makes l the link and tells it all that its daemon does not know yet. A link that was there
// earlier but says hello later is only listened to.
func (r *runner) attach(l *link) {
	if l.order < r.newest {
		return
	}
	r.detach()
	r.link, r.newest = l, l.order
	hello := appendLine(nil, notice{Kind: lineHello, Version: protocolVersion, PID: os.Getpid()})
	go l.write(r.news, hello, r.news.offset(l.since))
}

// detach drops the link there is. What its daemon has sent is still read: only serve closes the
// connection.
func (r *runner) detach() {
	if r.link != nil {
		close(r.link.last)
		r.link = nil
	}
}

// write sends hello and then the news from at on, until the link ends.
func (l *link) write(n *news, hello []byte, at int) {
	defer close(l.ended)
	if _, err := l.conn.Write(hello); err != nil {
		return
	}
	for last := false; ; {
		lines := n.from(at)
		if _, err := l.conn.Write(lines); err != nil {
			return
		}
		at += len(lines)
		switch {
		case len(lines) > 0:
		case last:
			return
		default:
			select {
			case <-l.awake:
			case <-l.last:
				last = true
			}
		}
	}
}

// take handles what the daemon wants, in order. The last words of a daemon may come after the next
// one has connected, and count all the same.
func (r *runner) take(b batch) {
	if b.commands == nil && b.link == r.link {
		r.detach()
	}
	for i := range b.commands {
		switch c := &b.commands[i]; c.Kind {
		case lineStart:
			r.accepted(c.job())
		case lineStop:
			r.stopAll(c.IDs, time.Duration(c.Grace))
		case lineClose:
			r.close()
		}
	}
}

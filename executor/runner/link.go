package runner

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/wire"
)

const (
	helloPatience = 10 * time.Second // for the other side's first line
	drainPatience = 10 * time.Second // for a daemon to read the last news
	acceptPause   = time.Second      // after a connection that could not be taken
	acceptBacklog = 16
	readSize      = 64 << 10
)

// A link is a connection to a daemon. The one that connected last counts. Of the others only the last
// words matter, which may come after the next one has connected: what they start, stop and close. Their
// width and their gated jobs do not: these would surprise the next daemon.
type link struct {
	fd       int
	order    int       // of connecting
	helloDue time.Time // when the hello must have come
	greeted  bool      // it has
	in       []byte    // the beginning of a line whose end has not arrived
	hello    []byte    // ours, and what is said between news, as far as it has not been sent
	resized  bool      // it is to be told that the width holds
	held     string    // what it was told last of why nothing starts
	sent     int       // how much of the news has been sent, in bytes
	blocked  bool      // the daemon is slow: the poller says when it takes more
}

// accept takes a connection, if it is of our own user.
func (r *runner) accept(now time.Time) {
	fd, err := -1, fault.Check(fault.OpAccept, r.socket)
	if err == nil {
		fd, _, err = unix.Accept(r.listener)
	}
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
		return
	case err != nil: // no descriptor free, say: later there may be one
		r.deafTill = now.Add(acceptPause)
		r.poller.remove(r.listener)
		return
	}
	unix.CloseOnExec(fd) // this thread is the only one that forks
	err = wire.CheckPeerFD(fd)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil || r.connected(fd) != nil {
		unix.Close(fd)
	}
}

// connected begins a conversation.
func (r *runner) connected(fd int) error {
	if err := r.poller.add(fd); err != nil {
		return fmt.Errorf("connection to the daemon: %w", err)
	}
	r.links[fd] = &link{fd: fd, order: r.connections, helloDue: time.Now().Add(helloPatience)}
	r.connections++
	return nil
}

// expire ends what has waited in vain.
func (r *runner) expire(now time.Time) {
	if !r.deafTill.IsZero() && !now.Before(r.deafTill) {
		r.deafTill = time.Time{}
		if err := r.poller.add(r.listener); err != nil {
			r.deafTill = now.Add(acceptPause)
		}
	}
	for _, l := range r.links {
		if !l.greeted && !now.Before(l.helloDue) {
			r.hangUp(l)
		}
	}
}

// hangUp ends a conversation.
func (r *runner) hangUp(l *link) {
	if l == r.link {
		r.link = nil
	}
	delete(r.links, l.fd)
	unix.Close(l.fd)
}

// converse goes on with a conversation: there is something to read, or the daemon takes more.
func (r *runner) converse(l *link) {
	if l.blocked && l == r.link {
		r.send(l)
	}
	n, err := unix.Read(l.fd, r.input)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return
	}
	if err != nil || n == 0 || r.hear(l, r.input[:n]) != nil {
		r.hangUp(l)
	}
}

// hear takes what has arrived, line by line. An error means that it makes no sense.
func (r *runner) hear(l *link, text []byte) error {
	if len(l.in) > 0 {
		text = append(l.in, text...)
	}
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			l.in = append(l.in[:0], text...)
			return nil
		}
		var c wire.Command
		if err := c.Decode(text[:end]); err != nil {
			return err
		}
		if err := r.obey(l, &c); err != nil {
			return err
		}
		text = text[end+1:]
	}
}

// obey does what a daemon wants.
func (r *runner) obey(l *link, c *wire.Command) error {
	if !l.greeted {
		return r.greet(l, c)
	}
	latest := l.order == r.latest
	switch c.Kind {
	case wire.LineStart:
		r.acceptJob(c.Job())
	case wire.LineGated:
		if latest {
			r.acceptJob(c.Job())
		}
	case wire.LineWidth:
		if latest {
			r.resize(l, c.Width)
		}
	case wire.LineStop:
		r.stopAll(c.IDs, time.Duration(c.Grace))
	case wire.LineClose:
		r.close()
	}
	return nil
}

// resize takes a new width and says from where on in the news it holds.
func (r *runner) resize(l *link, width int) {
	r.width = width
	r.save()
	r.announce()
	l.resized = true
	if l == r.link {
		r.send(l)
	}
}

// greet makes l the link and tells it all that its daemon does not know yet, unless a later one has
// said hello before.
func (r *runner) greet(l *link, hello *wire.Command) error {
	if hello.Kind != wire.LineHello || hello.Version < 1 {
		return fmt.Errorf("runner: %q is no hello", hello.Kind)
	}
	if hello.Version < wire.OldestVersion {
		unix.Write(l.fd, wire.AppendLine(nil, wire.Notice{Kind: wire.LineHello, Version: wire.Version, PID: r.pid}))
		return fmt.Errorf("runner: the daemon speaks version %d, not %d", hello.Version, wire.OldestVersion)
	}
	l.greeted = true
	if r.link != nil && l.order < r.link.order {
		return nil
	}
	if r.link != nil {
		r.setBlocked(r.link, false)
	}
	r.link, r.latest = l, l.order
	r.forgetAhead()
	l.hello = wire.AppendLine(nil, wire.Notice{
		Kind: wire.LineHello, Version: min(wire.Version, hello.Version), PID: r.pid, Adopted: r.adopted(), Message: r.hold.why,
	})
	l.held = r.hold.why
	l.sent = offset(r.news, hello.Since)
	r.send(l)
	return nil
}

// offset returns where the line with the given index, from 0, begins in lines, or their end.
func offset(lines []byte, index int) int {
	at := 0
	for ; index > 0; index-- {
		length := bytes.IndexByte(lines[at:], '\n') + 1
		if length == 0 {
			return len(lines)
		}
		at += length
	}
	return at
}

// send sends as much as the daemon takes now. One that is slow never holds the runner up.
func (r *runner) send(l *link) {
	for r.owes(l) {
		err := r.sendSome(l)
		if errors.Is(err, unix.EAGAIN) {
			r.setBlocked(l, true)
			return
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			r.link = nil // its last words can still be read
			break
		}
	}
	r.setBlocked(l, false)
}

// owes reports whether there is something to send. What is no news is said between two of them, so
// only when all of them have been sent.
func (r *runner) owes(l *link) bool {
	between := len(l.hello) == 0 && l.sent == len(r.news)
	if unheard := r.unwritten && len(r.pending) > 0; between && l.resized && !unheard {
		l.resized = false
		l.hello = wire.AppendLine(l.hello, wire.Notice{Kind: wire.LineWidth, Width: r.width})
	}
	if between && l.held != r.hold.why {
		l.held = r.hold.why
		l.hello = wire.AppendLine(l.hello, wire.Notice{Kind: wire.LineHeld, Message: l.held})
	}
	return len(l.hello) > 0 || l.sent < len(r.news)
}

// sendSome makes one try.
func (r *runner) sendSome(l *link) error {
	if len(l.hello) > 0 {
		n, err := unix.Write(l.fd, l.hello)
		l.hello = l.hello[max(0, n):]
		return err
	}
	n, err := unix.Write(l.fd, r.news[l.sent:])
	l.sent += max(0, n)
	return err
}

func (r *runner) setBlocked(l *link, blocked bool) {
	if l.blocked == blocked {
		return
	}
	l.blocked = blocked
	if err := r.poller.alsoWritable(l.fd, blocked); err != nil {
		r.link = nil
	}
}

// drain waits until the daemon has been sent everything, or will not take it.
func (r *runner) drain(l *link) {
	patience := unix.NsecToTimeval(int64(drainPatience))
	unix.SetsockoptTimeval(l.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &patience)
	if unix.SetNonblock(l.fd, false) != nil {
		return
	}
	r.send(l)
}

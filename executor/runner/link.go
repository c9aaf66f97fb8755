package runner

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

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
	order    int          // of connecting
	helloDue time.Time    // when the hello must have come
	greeted  bool         // it has
	in       []byte       // the beginning of a line whose end has not arrived
	hello    []byte       // our own, and what is sent between news, as far as it has not been sent
	resized  bool         // it is to be told that the width holds
	held     string       // what it was told last of why nothing starts
	sent     int          // how much of the news has been sent, in bytes
	blocked  bool         // the daemon is slow: the poller says when it takes more
	command  wire.Command // scratch for the one that is read
}

// links are the connections to daemons.
type links struct {
	all     map[int]*link // by descriptor
	current *link         // to the daemon that counts; nil while there is none
	count   int           // how many there have been
	latest  int           // order of the last that has said hello
	input   []byte        // scratch for reading
	news    *news
	poller  *poller
	width   int    // that holds
	held    string // why nothing starts, "" = it does
}

// accept takes a connection to the socket.
func (k *links) accept(n *listener, now time.Time) {
	if fd, ok := n.accept(now); ok && k.add(fd) != nil {
		unix.Close(fd)
	}
}

// add begins a conversation.
func (k *links) add(fd int) error {
	if err := k.poller.add(fd); err != nil {
		return fmt.Errorf("connection to the daemon: %w", err)
	}
	k.all[fd] = &link{fd: fd, order: k.count, helloDue: time.Now().Add(helloPatience)}
	k.count++
	return nil
}

// expire ends connections whose daemon says no hello.
func (k *links) expire(now time.Time) {
	for _, l := range k.all {
		if !l.greeted && !now.Before(l.helloDue) {
			k.hangUp(l)
		}
	}
}

// hangUp ends a conversation.
func (k *links) hangUp(l *link) {
	if l == k.current {
		k.current = nil
	}
	delete(k.all, l.fd)
	unix.Close(l.fd)
}

// serve goes on with a conversation: there is something to read, or the daemon takes more.
func (r *runner) receive(l *link) {
	if l.blocked && l == r.links.current {
		r.links.send(l)
	}
	n, err := unix.Read(l.fd, r.links.input)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return
	}
	if err != nil || n == 0 || l.read(r.links.input[:n], r.execute) != nil {
		r.links.hangUp(l)
	}
}

// read passes the commands in text, which has arrived, to obey. An error means that a line makes no sense.
func (l *link) read(text []byte, obey func(*link, *wire.Command) error) error {
	if len(l.in) > 0 {
		text = append(l.in, text...)
	}
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			l.in = append(l.in[:0], text...)
			return nil
		}
		l.command = wire.Command{}
		if err := l.command.Decode(text[:end]); err != nil {
			return err
		}
		if err := obey(l, &l.command); err != nil {
			return err
		}
		text = text[end+1:]
	}
}

// execute does what a daemon wants.
func (r *runner) execute(l *link, c *wire.Command) error {
	if !l.greeted {
		return r.handleHello(l, c)
	}
	latest := l.order == r.links.latest
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
	r.jobs.width, r.links.width = width, width
	r.save()
	r.announceNow()
	l.resized = true
	if l == r.links.current {
		r.links.send(l)
	}
}

// prepareHello makes l the link and tells it all that its daemon does not know yet, unless a later one has
// said hello before.
func (r *runner) handleHello(l *link, hello *wire.Command) error {
	if hello.Kind != wire.LineHello || hello.Version < 1 {
		return fmt.Errorf("runner: %q is no hello", hello.Kind)
	}
	if hello.Version < wire.OldestVersion {
		unix.Write(l.fd, wire.AppendLine(nil, wire.Notice{Kind: wire.LineHello, Version: wire.Version, PID: r.pid}))
		return fmt.Errorf("runner: the daemon speaks version %d, not %d", hello.Version, wire.OldestVersion)
	}
	l.greeted = true
	if r.links.current != nil && l.order < r.links.current.order {
		return nil
	}
	if r.links.current != nil {
		r.links.setBlocked(r.links.current, false)
	}
	r.links.current, r.links.latest = l, l.order
	r.forgetWaiting()
	var adopted []int
	for _, e := range r.adopted() {
		adopted = append(adopted, e.pid)
	}
	l.hello = wire.AppendLine(nil, wire.Notice{
		Kind: wire.LineHello, Version: min(wire.Version, hello.Version), PID: r.pid, Adopted: adopted, Message: r.links.held,
	})
	l.held = r.links.held
	l.sent = offset(r.news.text, hello.Since)
	r.links.send(l)
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
func (k *links) send(l *link) {
	for k.owes(l) {
		err := k.sendSome(l)
		if errors.Is(err, unix.EAGAIN) {
			k.setBlocked(l, true)
			return
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			k.current = nil // its last words can still be read
			break
		}
	}
	k.setBlocked(l, false)
}

// owes reports whether there is something to send. What is no news is sent between two news, so only when all of
// them have been sent.
func (k *links) owes(l *link) bool {
	between := len(l.hello) == 0 && l.sent == len(k.news.text)
	if between && l.resized && !k.news.unheard() {
		l.resized = false
		l.hello = wire.AppendLine(l.hello, wire.Notice{Kind: wire.LineWidth, Width: k.width})
	}
	if between && l.held != k.held {
		l.held = k.held
		l.hello = wire.AppendLine(l.hello, wire.Notice{Kind: wire.LineHeld, Message: l.held})
	}
	return len(l.hello) > 0 || l.sent < len(k.news.text)
}

// sendSome makes one try.
func (k *links) sendSome(l *link) error {
	if len(l.hello) > 0 {
		n, err := unix.Write(l.fd, l.hello)
		l.hello = l.hello[max(0, n):]
		return err
	}
	n, err := unix.Write(l.fd, k.news.text[l.sent:])
	l.sent += max(0, n)
	return err
}

func (k *links) setBlocked(l *link, blocked bool) {
	if l.blocked == blocked {
		return
	}
	l.blocked = blocked
	if err := k.poller.alsoWritable(l.fd, blocked); err != nil {
		k.current = nil
	}
}

// drain waits until the daemon has been sent everything, or will not take it.
func (k *links) drain(l *link) {
	patience := unix.NsecToTimeval(int64(drainPatience))
	unix.SetsockoptTimeval(l.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &patience)
	if unix.SetNonblock(l.fd, false) != nil {
		return
	}
	k.send(l)
}

// publish adds lines to the news and sends them.
func (k *links) publish(lines []byte) {
	k.news.text = append(k.news.text, lines...)
	if k.current != nil {
		k.send(k.current)
	}
}

// reportHeld tells the daemon why nothing starts, or with "" that jobs start again.
func (k *links) hold(why string) {
	if k.held == why {
		return
	}
	k.held = why
	if k.current != nil {
		k.send(k.current)
	}
}

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
	helloTimeout  = 10 * time.Second // for the daemon's first line
	drainTimeout  = 10 * time.Second // for the daemon to read the last news
	acceptPause   = time.Second      // after a connection could not be accepted
	acceptBacklog = 16
	readSize      = 64 << 10
)

// A link is a connection to a daemon. The daemon that connected last is the current one. Commands of an earlier daemon
// can arrive after that: its starts, stops and close are still executed, but its width and its gated jobs are
// ignored, because the current daemon does not expect them.
type link struct {
	fd       int
	order    int          // 0 for the first connection
	helloDue time.Time    // when the daemon's hello must have arrived
	greeted  bool         // the daemon's hello has arrived
	in       []byte       // an incomplete line
	hello    []byte       // unsent bytes of our hello and of the other lines that are sent between news
	resized  bool         // the daemon must get a line that its new width is in effect
	held     string       // the last reason for not starting anything that the daemon got
	sent     int          // how many bytes of the news have been sent
	blocked  bool         // the daemon reads slowly: the poller reports when it can take more
	command  wire.Command // scratch for the command that is being read
}

// links are the connections to daemons.
type links struct {
	all     map[int]*link // by descriptor
	current *link         // to the daemon that connected last; nil while there is none
	count   int           // how many there have been
	latest  int           // number of the newest link that has sent its hello
	input   []byte        // scratch for reading
	news    *news
	poller  *poller
	width   int    // that is in effect
	held    string // why nothing is started; "" = the run is not held
}

// accept accepts a connection at the socket.
func (k *links) accept(n *listener, now time.Time) {
	if fd, ok := n.accept(now); ok && k.add(fd) != nil {
		unix.Close(fd)
	}
}

// add adds the connection fd.
func (k *links) add(fd int) error {
	if err := k.poller.add(fd); err != nil {
		return fmt.Errorf("connection to the daemon: %w", err)
	}
	k.all[fd] = &link{fd: fd, order: k.count, helloDue: time.Now().Add(helloTimeout)}
	k.count++
	return nil
}

// expire closes connections whose hello is overdue.
func (k *links) expire(now time.Time) {
	if len(k.all) == 1 && k.current != nil { // as nearly always
		return
	}
	for _, l := range k.all {
		if !l.greeted && !now.Before(l.helloDue) {
			k.disconnect(l)
		}
	}
}

// disconnect closes a connection.
func (k *links) disconnect(l *link) {
	if l == k.current {
		k.current = nil
	}
	delete(k.all, l.fd)
	k.poller.close(l.fd)
}

// receive reads from a connection that is ready, and sends more if the daemon was slow.
func (r *runner) receive(l *link) {
	if l.blocked && l == r.links.current {
		r.links.send(l)
	}
	r.jobs.event++
	n, err := unix.Read(l.fd, r.links.input)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return
	}
	if err != nil || n == 0 || l.read(r.links.input[:n], r.execute) != nil {
		r.links.disconnect(l)
	}
}

// read calls execute for each complete line in text. It returns an error if a line is not a command.
func (l *link) read(text []byte, execute func(*link, *wire.Command) error) error {
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
		if err := execute(l, &l.command); err != nil {
			return err
		}
		text = text[end+1:]
	}
}

// execute carries out a command of a daemon.
func (r *runner) execute(l *link, c *wire.Command) error {
	if !l.greeted {
		return r.handleHello(l, c)
	}
	latest := l.order == r.links.latest
	switch c.Kind {
	case wire.LineStart, wire.LineAround:
		r.acceptJob(c.Job())
	case wire.LineGated, wire.LineLaunch:
		if latest || len(c.After) == 0 {
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

// resize sets the width, and reports to the daemon after which of the news it is in effect.
func (r *runner) resize(l *link, width int) {
	r.jobs.width, r.links.width = width, width
	r.announceNow()
	l.resized = true
	if l == r.links.current {
		r.links.send(l)
	}
}

// handleHello makes l the current link and sends its daemon the news that it does not have yet, unless a later
// connection is the current one already.
func (r *runner) handleHello(l *link, hello *wire.Command) error {
	if hello.Kind != wire.LineHello || hello.Version < 1 {
		return fmt.Errorf("runner: %q is not a hello", hello.Kind)
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
	answer := wire.Notice{Kind: wire.LineHello, Version: min(wire.Version, hello.Version), Hooks: true, Launch: true, PID: r.pid, Adopted: adopted, Message: r.links.held}
	l.hello = answer.Append(nil)
	l.held = r.links.held
	l.sent = offset(r.news.text, hello.Since)
	r.links.send(l)
	return nil
}

// offset returns where the line with the given index, from 0, begins in lines, or the end of lines.
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

// send sends as much as the daemon takes without blocking the runner.
func (k *links) send(l *link) {
	for k.hasUnsent(l) {
		err := k.sendSome(l)
		if errors.Is(err, unix.EAGAIN) {
			k.setBlocked(l, true)
			return
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			k.current = nil // what the daemon has sent can still be read
			break
		}
	}
	k.setBlocked(l, false)
}

// hasUnsent reports whether there is something to send. Lines that are not news are sent between two news, and only when
// all news are sent.
func (k *links) hasUnsent(l *link) bool {
	between := len(l.hello) == 0 && l.sent == len(k.news.text)
	if between && l.resized && !k.news.waitsForWrite() {
		l.resized = false
		l.hello = (&wire.Notice{Kind: wire.LineWidth, Width: k.width}).Append(l.hello)
	}
	if between && l.held != k.held {
		l.held = k.held
		l.hello = wire.AppendLine(l.hello, wire.Notice{Kind: wire.LineHeld, Message: l.held})
	}
	return len(l.hello) > 0 || l.sent < len(k.news.text)
}

// sendSome calls write once.
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

// drain blocks until the daemon has taken everything, or until drainTimeout is over.
func (k *links) drain(l *link) {
	timeout := unix.NsecToTimeval(int64(drainTimeout))
	unix.SetsockoptTimeval(l.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &timeout)
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

// hold stores why nothing is started and reports it to the daemon; "" means that the run is not held any more.
func (k *links) hold(why string) {
	if k.held == why {
		return
	}
	k.held = why
	if k.current != nil {
		k.send(k.current)
	}
}

// Package link is a connection that survives its carrier: two ends exchange bytes over a carrier, such as an ssh process,
// and when the carrier breaks, they continue over the next one without losing or repeating a byte. It starts nothing and
// does not know what the bytes mean.
package link

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	chunk      = 32 << 10 // the most bytes of one message
	ackEvery   = 64 << 10 // bytes received without an acknowledgement
	mostUnsent = 4 << 20  // bytes that may wait for an acknowledgement; Write blocks above
	mostUnread = 1 << 20  // bytes that may wait for Read; the carrier is not read above
)

// The kinds of a message: one byte, then a number of 8 bytes. The number of data is the length of what follows, that of the
// others the count of bytes received so far.
const (
	kindData = 'd'
	kindAck  = 'a'
	kindPing = 'p' // asks for an ack
	kindEnd  = 'e' // the other end has closed the link
)

// endTime is how long a closed link tries to tell the other end.
const endTime = time.Second

// ErrDiverged means that the two ends cannot continue: they do not agree on what was received.
var ErrDiverged = errors.New("the two ends of the connection do not agree on what was received")

// A Link is one end. It is an io.ReadWriteCloser; its methods may be called from any goroutine.
type Link struct {
	mu      sync.Mutex // guards the fields below
	changed *sync.Cond // with mu

	unacked []byte // sent or to be sent
	acked   uint64 // how many bytes the other end has acknowledged; the offset of unacked
	unread  []byte // received, and waiting for Read
	got     uint64 // how many bytes were received
	gotAck  uint64 // how many of these were acknowledged

	carrier *carrier // nil while there is none
	err     error    // not nil once the link is closed
}

// A carrier is the connection that carries a link at present.
type carrier struct {
	io.ReadWriteCloser
	next  uint64 // offset of the next byte to send
	ack   bool   // an acknowledgement is to be sent
	ping  bool   // a ping is to be sent
	end   bool   // the end of the link is to be sent
	heard int    // number of messages received
	ended bool
	idle  *sync.Cond // with Link.mu: work for the writer
}

// New returns a link without a carrier.
func New() *Link {
	l := &Link{}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// Received returns how many bytes have arrived. The other end needs the number for Attach.
func (l *Link) Received() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.got
}

// Attach carries the link over rw until that fails, the link is closed, or another carrier is attached; then it closes rw and
// returns the reason. in reads from rw, and may have buffered bytes. received is what Received returned at the other end.
func (l *Link) Attach(rw io.ReadWriteCloser, in *bufio.Reader, received uint64) error {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		rw.Close()
		return l.err
	}
	if received < l.acked || received > l.acked+uint64(len(l.unacked)) {
		l.mu.Unlock()
		rw.Close()
		return ErrDiverged
	}
	l.drop(l.carrier)
	l.forget(received)
	c := &carrier{ReadWriteCloser: rw, next: received, idle: sync.NewCond(&l.mu)}
	l.carrier = c
	l.mu.Unlock()

	var writer sync.WaitGroup
	var writeErr error
	writer.Go(func() { writeErr = l.send(c) })
	err := l.receive(c, in)
	l.mu.Lock()
	l.drop(c)
	l.mu.Unlock()
	writer.Wait()
	return errors.Join(err, writeErr)
}

// drop ends a carrier. l.mu is locked.
func (l *Link) drop(c *carrier) {
	if c == nil || c.ended {
		return
	}
	c.ended = true
	c.Close()
	c.idle.Broadcast()
	l.changed.Broadcast()
	if l.carrier == c {
		l.carrier = nil
	}
}

// forget removes acknowledged bytes. l.mu is locked.
func (l *Link) forget(received uint64) {
	l.unacked = l.unacked[received-l.acked:]
	l.acked = received
	if len(l.unacked) == 0 {
		l.unacked = nil
	}
	l.changed.Broadcast()
}

// send writes messages to a carrier until it ends.
func (l *Link) send(c *carrier) error {
	for {
		l.mu.Lock()
		for !c.ended && !c.ack && !c.ping && !c.end && c.next == l.acked+uint64(len(l.unacked)) {
			c.idle.Wait()
		}
		if c.ended {
			l.mu.Unlock()
			return nil
		}
		if c.end {
			l.mu.Unlock()
			_, err := c.Write(binary.BigEndian.AppendUint64([]byte{kindEnd}, 0))
			l.mu.Lock()
			l.drop(c)
			l.mu.Unlock()
			return err
		}
		var out []byte
		if c.ack || c.ping {
			kind := byte(kindAck)
			if c.ping {
				kind = kindPing
			}
			out = binary.BigEndian.AppendUint64(append(out, kind), l.got)
			c.ack, c.ping, l.gotAck = false, false, l.got
		}
		// Another carrier of the other end may acknowledge meanwhile what this one has not sent.
		c.next = max(c.next, l.acked)
		data := l.unacked[c.next-l.acked:]
		if data = data[:min(len(data), chunk)]; len(data) > 0 {
			out = binary.BigEndian.AppendUint64(append(out, kindData), uint64(len(data)))
			out = append(out, data...)
			c.next += uint64(len(data))
		}
		l.mu.Unlock()
		if _, err := c.Write(out); err != nil {
			l.mu.Lock()
			l.drop(c)
			l.mu.Unlock()
			return err
		}
	}
}

// receive reads messages from a carrier until it ends.
func (l *Link) receive(c *carrier, in *bufio.Reader) error {
	var head [9]byte
	data := make([]byte, chunk)
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return err
		}
		number := binary.BigEndian.Uint64(head[1:])
		if head[0] == kindData {
			if number > chunk {
				return fmt.Errorf("a message of %d bytes, more than %d", number, chunk)
			}
			if _, err := io.ReadFull(in, data[:number]); err != nil {
				return err
			}
		}
		if err := l.take(c, head[0], number, data); err != nil {
			return err
		}
	}
}

// take handles a message.
func (l *Link) take(c *carrier, kind byte, number uint64, data []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.heard++
	switch kind {
	case kindData:
		for !c.ended && l.err == nil && len(l.unread) >= mostUnread {
			l.changed.Wait()
		}
		if c.ended || l.err != nil {
			return io.ErrClosedPipe // these bytes come again over the next carrier
		}
		l.unread = append(l.unread, data[:number]...)
		l.got += number
		l.changed.Broadcast()
		if l.got-l.gotAck >= ackEvery {
			c.ack = true
			c.idle.Signal()
		}
	case kindAck, kindPing:
		if number < l.acked || number > l.acked+uint64(len(l.unacked)) {
			return ErrDiverged
		}
		l.forget(number)
		if kind == kindPing {
			c.ack = true
			c.idle.Signal()
		}
	case kindEnd:
		l.closeWith(io.EOF)
		l.drop(c)
		return io.EOF
	default:
		return fmt.Errorf("a message of the unknown kind %q", kind)
	}
	return nil
}

// Read implements io.Reader. It blocks while there is no carrier.
func (l *Link) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.unread) == 0 && l.err == nil {
		l.changed.Wait()
	}
	if len(l.unread) == 0 {
		return 0, l.err
	}
	n := copy(p, l.unread)
	if l.unread = l.unread[n:]; len(l.unread) == 0 {
		l.unread = nil
	}
	l.changed.Broadcast()
	return n, nil
}

// Write implements io.Writer. It stores p until the other end has it, and blocks while too much is stored.
func (l *Link) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.unacked) >= mostUnsent && l.err == nil {
		l.changed.Wait()
	}
	if l.err != nil {
		return 0, l.err
	}
	l.unacked = append(l.unacked, p...)
	if l.carrier != nil {
		l.carrier.idle.Signal()
	}
	return len(p), nil
}

// Close ends the link and its carrier, and the link of the other end if there is a carrier. It does not wait for that.
func (l *Link) Close() error {
	l.CloseWith(io.EOF)
	return nil
}

// CloseWith is Close with the error that Read and Write return.
func (l *Link) CloseWith(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closeWith(err)
}

// closeWith is CloseWith. l.mu is locked.
func (l *Link) closeWith(err error) {
	l.changed.Broadcast()
	if l.err != nil {
		return
	}
	l.err = err
	if c := l.carrier; c != nil {
		c.end = true
		c.idle.Signal()
		time.AfterFunc(endTime, func() { // the carrier may be stuck
			l.mu.Lock()
			defer l.mu.Unlock()
			l.drop(c)
		})
	}
}

// Connected reports whether the link has a carrier.
func (l *Link) Connected() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.carrier != nil
}

// Err returns why the link is closed, nil if it is open.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// WaitConnected returns nil as soon as the link has a carrier, or the error of a closed link or of ctx.
func (l *Link) WaitConnected(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changed.Broadcast()
	})
	defer stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.carrier == nil && l.err == nil && ctx.Err() == nil {
		l.changed.Wait()
	}
	if l.carrier != nil {
		return nil
	}
	return cmp.Or(l.err, ctx.Err())
}

// Probe sends a ping, and drops the carrier if nothing has arrived after the given time. It does nothing without a carrier.
func (l *Link) Probe(within time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.carrier
	if c == nil {
		return
	}
	before := c.heard
	c.ping = true
	c.idle.Signal()
	time.AfterFunc(within, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if c.heard == before {
			l.drop(c)
		}
	})
}

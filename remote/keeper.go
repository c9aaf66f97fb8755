package remote

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/hashicorp/yamux"

	"wf/remote/link"
)

const (
	idleTime      = 5 * time.Minute        // the keeper ends when no command has used it for this time
	probeEvery    = 5 * time.Second        // while commands use the connection
	probeTime     = 10 * time.Second       // without any byte, after which the carrier is replaced
	wokenTime     = 2 * time.Second        // the same, after the machine has slept
	firstPause    = 200 * time.Millisecond // between attempts to connect again
	lastPause     = 5 * time.Second
	workedTime    = time.Second      // a carrier that worked longer is replaced without a pause
	reconnectTime = 20 * time.Second // the most that a command waits for a new carrier
	loginTime     = 60 * time.Second // for a login without a user who can be asked
	answerTime    = 10 * time.Minute // for a login with one
)

// A Keeper holds the connection to one machine for all commands of this user. It listens on a unix socket in the runtime
// folder, and ends by itself.
type Keeper struct {
	Destination Destination
	Runtime     string
	Version     string   // of wf
	Program     string   // of wf, which asks questions of ssh
	SSH         string   // the program ssh
	Env         []string // of ssh

	// dial starts a process that reaches the machine; nil means ssh. user says that questions can be answered.
	dial func(user bool) (farProcess, error)

	mu      sync.Mutex // guards the fields below
	current *connection
	waiting []*caller // in the order of their arrival
	callers int
	unused  *time.Timer // ends the keeper
	stop    func()      // ends the keeper; set before the first caller
	noted   bool        // a caller was told about the other version
	asked   string      // the last question of ssh that no caller could answer; "" if there was none
}

// A connection is a link to the machine with its streams.
type connection struct {
	link    *link.Link
	ready   chan struct{} // closed when the first attempt has ended
	err     error         // of the first attempt
	retry   chan struct{} // capacity 1: a caller wants the next attempt to connect again now
	gone    chan struct{} // closed when it is no longer the current connection
	session *yamux.Session
	version string // of wf there

	mu      sync.Mutex // guards failure
	failure error      // of the last attempt to connect again; nil while connected
}

// A caller is a command that uses the keeper.
type caller struct {
	conn        net.Conn
	in          *bufio.Reader
	interactive bool
	mu          sync.Mutex // serialises questions
}

// Serve accepts callers until the keeper is idle. It returns nil at once if another keeper serves the machine.
func (k *Keeper) Serve(ctx context.Context) error {
	path := socketPath(k.Runtime, k.Destination, k.Version)
	lock := flock.New(path + ".lock")
	defer lock.Close()
	if got, err := lock.TryLock(); err != nil || !got {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return serveOwn(ctx, path, func(ctx context.Context, stop func(), conns <-chan net.Conn) error {
		k.keep(ctx, stop, conns)
		return nil
	})
}

// keep serves the callers that arrive until ctx ends. It calls stop when it is idle.
func (k *Keeper) keep(ctx context.Context, stop func(), conns <-chan net.Conn) {
	k.stop, k.unused = stop, time.AfterFunc(idleTime, stop)
	var all sync.WaitGroup
	for ctx.Err() == nil {
		select {
		case conn := <-conns:
			all.Go(func() {
				k.arrive()
				defer k.leave()
				k.serve(ctx, conn)
			})
		case <-ctx.Done():
		}
	}
	k.mu.Lock()
	c := k.current
	k.mu.Unlock()
	if c != nil {
		c.end(io.EOF)
		<-c.gone
	}
	all.Wait()
}

func (k *Keeper) arrive() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.callers++
	k.unused.Stop()
}

func (k *Keeper) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.callers--; k.callers == 0 {
		k.unused.Reset(idleTime)
	}
}

// serve serves one caller.
func (k *Keeper) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	c := &caller{conn: conn, in: bufio.NewReader(conn)}
	var req Request
	if readLine(c.in, &req) != nil {
		return
	}
	switch req.Kind {
	case kindAsk:
		k.ask(c, req)
		return
	case kindEnd:
		k.stop()
		return
	}
	c.interactive = req.Interactive
	k.mu.Lock()
	k.waiting = append(k.waiting, c)
	k.mu.Unlock()
	up, err := k.connected(ctx)
	k.mu.Lock()
	for i := range k.waiting {
		if k.waiting[i] == c {
			k.waiting = append(k.waiting[:i], k.waiting[i+1:]...)
			break
		}
	}
	note := ""
	if err == nil && up.version != k.Version && !k.noted {
		k.noted, note = true, "wf on "+k.Destination.Machine()+" is "+up.version+", and here it is "+k.Version+": wf host install copies this one"
	}
	k.mu.Unlock()
	var stream net.Conn
	if err == nil {
		stream, err = up.session.Open()
	}
	if err == nil {
		defer stream.Close()
		err = writeLine(stream, req)
	}
	if err != nil {
		_ = writeLine(conn, reply{Error: k.describe(err)})
		return
	}
	if writeLine(conn, reply{Ready: true, Note: note}) == nil {
		up.link.Probe(probeTime)
		splice(conn, c.in, stream, stream)
	}
}

// describe returns err for a caller.
func (k *Keeper) describe(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return &Error{Kind: Lost, Machine: k.Destination.Machine(), Lines: []string{err.Error()}}
}

// splice copies between two connections, which it closes when one of them ends.
func splice(a io.WriteCloser, fromA io.Reader, b io.WriteCloser, fromB io.Reader) {
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(b, fromA)
		b.Close()
	})
	_, _ = io.Copy(a, fromB)
	a.Close()
	b.Close()
	both.Wait()
}

// connected returns the connection, which it makes if there is none. While its carrier is replaced, it waits for the next one,
// because a person should not look at a stream that is open and silent.
func (k *Keeper) connected(ctx context.Context) (*connection, error) {
	for {
		c := k.connection(ctx)
		select {
		case <-c.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if c.err != nil {
			return nil, c.err
		}
		err := c.wait(ctx)
		switch {
		case err == nil:
			return c, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			c.mu.Lock()
			defer c.mu.Unlock()
			return nil, errors.Join(c.failure, errors.New("no connection in time"))
		}
		select { // its link is closed; the next connection is a new one
		case <-c.gone:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// wait waits until the connection has a carrier. It returns context.DeadlineExceeded after reconnectTime.
func (c *connection) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, reconnectTime)
	defer cancel()
	if !c.link.Connected() {
		select {
		case c.retry <- struct{}{}:
		default:
		}
	}
	return c.link.WaitConnected(ctx)
}

// connection returns the current connection, and starts one if there is none.
func (k *Keeper) connection(ctx context.Context) *connection {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current == nil {
		c := &connection{link: link.New(), ready: make(chan struct{}), retry: make(chan struct{}, 1), gone: make(chan struct{})}
		k.current = c
		go func() {
			k.carry(ctx, c)
			k.mu.Lock()
			k.current = nil
			k.mu.Unlock()
			close(c.gone)
		}()
	}
	return k.current
}

// end closes a connection with its streams.
func (c *connection) end(err error) {
	c.link.CloseWith(err)
	select {
	case <-c.ready:
		if c.session != nil {
			c.session.Close()
		}
	default:
	}
}

// carry carries the link of a connection over one ssh process after the other, until nothing uses it or the other end is gone.
func (k *Keeper) carry(ctx context.Context, c *connection) {
	var random [16]byte
	rand.Read(random[:]) // never fails
	h := hello{Protocol: Protocol, Link: hex.EncodeToString(random[:]), New: true, Ended: k.notedLink()}
	stopProbes := context.AfterFunc(ctx, func() { c.end(ctx.Err()) })
	defer stopProbes()
	pause := firstPause
	for {
		carried, err := k.carryOnce(ctx, c, h)
		if c.session == nil {
			c.err = err
			close(c.ready)
			return
		}
		var final *Error
		if errors.As(err, &final) && !final.temporary() || c.link.Err() != nil || c.session.NumStreams() == 0 {
			c.end(k.describe(err))
			return
		}
		c.mu.Lock()
		c.failure = err
		c.mu.Unlock()
		h.New, h.Ended, h.Received = false, "", 0
		if carried > workedTime {
			pause = firstPause
			continue
		}
		next := time.After(pause)
		if final != nil && final.needsUser() { // machines lock users out who try again and again
			next = nil
		}
		select {
		case <-next:
		case <-c.retry:
		case <-ctx.Done():
		}
		pause = min(2*pause, lastPause)
	}
}

// carryOnce carries the link over one ssh process until that ends. It returns for how long the process carried the link, not
// counting the login: a login may also take long to fail.
func (k *Keeper) carryOnce(ctx context.Context, c *connection, h hello) (carried time.Duration, err error) {
	machine := k.Destination.Machine()
	k.setAsked("")
	h.Received = c.link.Received()
	user := k.nextToAsk(nil) != nil
	dial := k.dial
	if dial == nil {
		dial = k.dialSSH
	}
	p, err := dial(user)
	if err != nil {
		return 0, &Error{Kind: NoConnection, Machine: machine, Lines: []string{err.Error()}}
	}
	defer p.Close()
	stop := context.AfterFunc(ctx, func() { p.Close() }) // until the link sends its end
	limit := reconnectTime
	if h.New {
		limit = loginTime
	}
	if h.New && user {
		limit = answerTime
	}
	late := time.AfterFunc(limit, func() { p.Close() })
	in, w, err := greet(p, h)
	stop()
	inTime := late.Stop()
	switch {
	case err != nil:
		failed := p.failure(machine)
		failed.Question = k.unanswered()
		if !inTime {
			failed.Kind, failed.Lines = NoAnswer, append(failed.Lines, fmt.Sprintf("the login did not end within %v", limit))
		}
		return 0, failed
	case w.Protocol != Protocol:
		return 0, &Error{Kind: OtherWf, Machine: machine, Version: w.Version}
	case w.Error != "":
		return 0, &Error{Kind: Lost, Machine: machine, Lines: []string{w.Error}}
	}
	if h.New {
		c.version = w.Version
		if c.session, err = yamux.Client(c.link, sessionConfig()); err != nil {
			return 0, err
		}
		k.noteLink(h.Link)
		close(c.ready)
	}
	watched, cancel := context.WithCancel(ctx)
	defer cancel()
	go c.watch(watched)
	began := time.Now()
	err = c.link.Attach(p, in, w.Received)
	if c.link.Err() != nil {
		p.Close()
		p.wait()
	}
	return time.Since(began), err
}

// noteLink writes the id of the current link to a file. The next link ends that one if the other end does not know yet that it
// has ended, because the keeper was killed or the connection was lost: it would wait for a day.
func (k *Keeper) noteLink(id string) {
	_ = os.WriteFile(socketPath(k.Runtime, k.Destination, k.Version)+".link", []byte(id), 0o600)
}

// notedLink returns the id of the link before, "" if there was none.
func (k *Keeper) notedLink() string {
	id, _ := os.ReadFile(socketPath(k.Runtime, k.Destination, k.Version) + ".link")
	return string(id)
}

// A farProcess carries a link: the standard input and output of ssh. Close ends the process and does not wait for its end.
type farProcess interface {
	io.ReadWriteCloser
	failure(machine string) *Error // after an end without a welcome
	wait()                         // for its end
}

// dialSSH starts ssh.
func (k *Keeper) dialSSH(user bool) (farProcess, error) {
	env := append(append([]string{}, k.Env...), "SSH_ASKPASS="+k.Program, "SSH_ASKPASS_REQUIRE=force",
		AskVariable+"="+socketPath(k.Runtime, k.Destination, k.Version))
	p, err := startSSH(k.SSH, k.Destination, env, user)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// watch replaces the carrier when it is silent.
func (c *connection) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last, probed := time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		// The clock of the wall goes on while the machine sleeps, the monotonic one does not.
		slept := now.Round(0).Sub(last.Round(0))-now.Sub(last) > 2*time.Second
		last = now
		switch {
		case slept:
			c.link.Probe(wokenTime)
		case c.session.NumStreams() > 0 && now.Sub(probed) >= probeEvery:
			probed = now
			c.link.Probe(probeTime)
		}
	}
}

// socketPath returns the socket of the keeper for a machine. Keepers of other versions have other sockets.
func socketPath(runtime string, d Destination, version string) string {
	return filepath.Join(runtime, "host-"+shortHash(d.Machine()+"\n"+version))
}

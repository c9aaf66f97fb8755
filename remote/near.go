package remote

import (
	"bufio"
	"context"
	"errors"
	"net"
	"time"

	"github.com/gofrs/flock"
)

// Options says how a command reaches another machine.
type Options struct {
	Destination Destination
	Runtime     string // the folder of the keeper's socket, which other users cannot access
	Version     string // of wf
	// Start starts the keeper; ended yields its end.
	Start func(ctx context.Context) (ended <-chan error, err error)
	// Ask asks the user a question of ssh; nil if there is no terminal to ask on.
	Ask func(prompt string, secret bool) (string, error)
	// Note shows a message to the user.
	Note func(text string)
}

// Open sends a request to the machine and returns the stream that follows it. in reads from the stream. The stream ends with
// the keeper or when the machine is lost; it survives the loss of the connection.
func Open(ctx context.Context, opt Options, req Request) (stream net.Conn, in *bufio.Reader, err error) {
	conn, err := opt.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	in, err = opt.request(conn, req)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return conn, in, nil
}

// request sends a request and answers the questions of ssh until the stream is ready.
func (opt Options) request(conn net.Conn, req Request) (*bufio.Reader, error) {
	in := bufio.NewReader(conn)
	req.Interactive = opt.Ask != nil
	if err := writeLine(conn, req); err != nil {
		return nil, err
	}
	for {
		var r reply
		if err := readLine(in, &r); err != nil {
			return nil, errors.Join(errNoKeeper, err)
		}
		if r.Note != "" {
			opt.Note(r.Note)
		}
		switch {
		case r.Error != nil:
			return nil, r.Error
		case r.Ready:
			return in, nil
		case r.Ask != "":
			var a answer
			if opt.Ask != nil {
				text, err := opt.Ask(r.Ask, r.Secret)
				a = answer{text, err == nil}
			}
			if err := writeLine(conn, a); err != nil {
				return nil, err
			}
		}
	}
}

// dial connects to the keeper, which it starts if there is none.
func (opt Options) dial(ctx context.Context) (net.Conn, error) {
	path := socketPath(opt.Runtime, opt.Destination, opt.Version)
	if conn, err := dialOwn(path); err == nil {
		return conn, nil
	}
	// Of many commands at once, one starts the keeper.
	lock := flock.New(path + ".start")
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, err
	}
	conn, err := dialOwn(path)
	if err == nil {
		return conn, nil
	}
	ended, err := opt.Start(ctx)
	if err != nil {
		return nil, err
	}
	for {
		conn, err := dialOwn(path)
		if err == nil {
			return conn, nil
		}
		select {
		case why := <-ended:
			return nil, errors.Join(errNoKeeper, why)
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// Disconnect ends the keeper of the machine if there is one, and returns when the connection is closed.
func Disconnect(ctx context.Context, opt Options) error {
	path := socketPath(opt.Runtime, opt.Destination, opt.Version)
	conn, err := dialOwn(path)
	if err != nil {
		return nil
	}
	defer conn.Close()
	if err := writeLine(conn, Request{Kind: kindEnd}); err != nil {
		return err
	}
	lock := flock.New(path + ".lock") // the keeper has it until its end
	defer lock.Close()
	_, err = lock.TryLockContext(ctx, 5*time.Millisecond)
	return err
}

// OpenDaemon connects to the daemon of the machine. If none is running there and start is set, it is started. Whether that
// worked is seen by the first read.
func OpenDaemon(ctx context.Context, opt Options, start bool) (net.Conn, error) {
	conn, in, err := Open(ctx, opt, Request{Kind: kindDaemon, Start: start})
	if err != nil {
		return nil, err
	}
	return &daemonConn{Conn: conn, in: in}, nil
}

// A daemonConn reads the line before what the daemon sends.
type daemonConn struct {
	net.Conn
	in     *bufio.Reader
	opened bool
	err    error
}

func (c *daemonConn) Read(p []byte) (int, error) {
	if !c.opened {
		var r reply
		c.err = readLine(c.in, &r)
		if c.err == nil && r.Error != nil {
			c.err = r.Error
		}
		c.opened = true
	}
	if c.err != nil {
		return 0, c.err
	}
	return c.in.Read(p)
}

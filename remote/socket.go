package remote

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"

	"wf/executor/peer"
)

// serveOwn listens on a unix socket and calls serve with the connections of this user, until serve returns. It removes the
// socket. stop ends ctx, and with it the socket.
func serveOwn(ctx context.Context, path string, serve func(ctx context.Context, stop func(), conns <-chan net.Conn) error) error {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	context.AfterFunc(ctx, func() { listener.Close() }) // which also removes the socket
	conns := make(chan net.Conn)
	var accepting sync.WaitGroup
	accepting.Go(func() { acceptOwn(ctx, listener, conns) })
	err = serve(ctx, stop, conns)
	stop()
	accepting.Wait()
	return err
}

// acceptOwn passes on the connections of this user until the listener is closed.
func acceptOwn(ctx context.Context, listener net.Listener, to chan<- net.Conn) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if uid, err := peer.UID(conn); err != nil || uid != os.Geteuid() {
			conn.Close()
			continue
		}
		select {
		case to <- conn:
		case <-ctx.Done():
			conn.Close()
		}
	}
}

// dialOwn connects to a socket and checks that a process of this user listens.
func dialOwn(path string) (net.Conn, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	uid, err := peer.UID(conn)
	if err == nil && uid != os.Geteuid() {
		err = errors.New(path + " belongs to another user")
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

package remote

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/yamux"

	"wf/graph/pattern"
	"wf/remote/link"
)

// resumeTime is how long the holder waits for the next carrier while commands use the link: a laptop sleeps over night.
const resumeTime = 24 * time.Hour

// unusedTime is how long the holder waits for a carrier while nothing uses the link.
const unusedTime = 20 * time.Second

// A Holder is the far end of a link. It outlives the ssh session that started it, whose environment it has, executes
// commands and connects to the daemon. It listens on a unix socket in the runtime folder.
type Holder struct {
	Runtime string
	Version string // of wf
	Program string // of wf
	Env     []string
	Home    string
	Resume  time.Duration // see resumeTime; 0 means that
	// Daemon connects to the daemon, and starts it if start is set.
	Daemon func(ctx context.Context, start bool) (net.Conn, error)
}

// linkID is the form of the ids of links.
var linkID = pattern.Of(`^[0-9a-f]{32}$`)

// DialStdio is the far end of ssh: it passes standard input and output on to the holder of a link. start starts the holder of
// a new link.
func DialStdio(in io.Reader, out io.WriteCloser, runtime, version string, start func(id string) (ended <-chan error, err error)) error {
	stdin := bufio.NewReader(in)
	var h hello
	if err := readLine(stdin, &h); err != nil {
		return fmt.Errorf("read the hello of wf: %w", err)
	}
	refuse := func(why string) error {
		return writeGreeting(out, welcome{Protocol: Protocol, Version: version, Error: why})
	}
	if h.Protocol != Protocol {
		return refuse(fmt.Sprintf("protocol %d", h.Protocol))
	}
	if !linkID.Get().MatchString(h.Link) {
		return refuse("invalid id of a link")
	}
	if linkID.Get().MatchString(h.Ended) {
		endLink(runtime, h.Ended)
	}
	path := farPath(runtime, h.Link)
	conn, err := dialOwn(path)
	if err != nil && h.New {
		var ended <-chan error
		if ended, err = start(h.Link); err != nil {
			return err
		}
		conn, err = dialStarted(path, ended)
	}
	if err != nil {
		return refuse(errNoLink)
	}
	defer conn.Close()
	if err := writeLine(conn, h); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(conn, stdin)
		conn.Close()
	}()
	// The process ends with the holder. It does not wait for the end of its standard input, which sshd closes only later:
	// sshd uses one socket for both directions and sees no end of the output before that.
	_, _ = io.Copy(out, conn)
	return nil
}

// farPath returns the socket of the holder of a link.
func farPath(runtime, id string) string { return filepath.Join(runtime, "far-"+id[:16]) }

// endLink ends the holder of a link if there is one.
func endLink(runtime, id string) {
	conn, err := dialOwn(farPath(runtime, id))
	if err != nil {
		return
	}
	defer conn.Close()
	_ = writeLine(conn, hello{Protocol: Protocol, Link: id, End: true}) // if it has just ended, that is right, too
}

// dialStarted connects to a process that was just started.
func dialStarted(path string, ended <-chan error) (net.Conn, error) {
	for {
		conn, err := dialOwn(path)
		if err == nil {
			return conn, nil
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("it ended at once: %w", err)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// writeGreeting writes a welcome. The line break before it ends what a login has printed.
func writeGreeting(w io.Writer, answer welcome) error {
	line, err := json.Marshal(answer)
	if err == nil {
		_, err = w.Write([]byte("\n" + greeting + string(line) + "\n"))
	}
	return err
}

// Serve holds the link with this id until the near end closes it, or does not come back.
func (h *Holder) Serve(ctx context.Context, id string) error {
	return serveOwn(ctx, farPath(h.Runtime, id), func(ctx context.Context, _ func(), conns <-chan net.Conn) error {
		return h.hold(ctx, id, conns)
	})
}

// A held is a link at its far end.
type held struct {
	*link.Link
	session   *yamux.Session
	resume    time.Duration
	abandoned *time.Timer // ends the holder
}

// wait sets how long the holder waits for a carrier.
func (l *held) wait() {
	switch {
	case l.Connected():
		l.abandoned.Stop()
	case l.session.NumStreams() == 0:
		l.abandoned.Reset(min(unusedTime, l.resume))
	default:
		l.abandoned.Reset(l.resume)
	}
}

// hold holds a link over the connections that arrive.
func (h *Holder) hold(ctx context.Context, id string, conns <-chan net.Conn) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l := &held{Link: link.New(), resume: cmp.Or(h.Resume, resumeTime)}
	context.AfterFunc(ctx, func() { l.Close() })
	var err error
	if l.session, err = yamux.Server(l, sessionConfig()); err != nil {
		return err
	}
	l.abandoned = time.AfterFunc(min(unusedTime, l.resume), stop)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case conn := <-conns:
				all.Go(func() {
					h.carry(l, id, conn)
					l.wait()
				})
			case <-ctx.Done():
				return
			}
		}
	})
	for {
		stream, err := l.session.Accept()
		if err != nil {
			break
		}
		all.Go(func() {
			h.serve(ctx, stream)
			if !l.Connected() {
				l.wait()
			}
		})
	}
	stop()
	all.Wait()
	return nil
}

// carry carries the link over a connection of DialStdio.
func (h *Holder) carry(l *held, id string, conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	var hello hello
	if readLine(in, &hello) != nil || hello.Link != id {
		return
	}
	if hello.End {
		l.Close()
		return
	}
	if writeGreeting(conn, welcome{Protocol: Protocol, Version: h.Version, Received: l.Received()}) == nil {
		l.abandoned.Stop()
		_ = l.Attach(conn, in, hello.Received)
	}
}

// serve serves a stream.
func (h *Holder) serve(ctx context.Context, stream net.Conn) {
	defer stream.Close()
	in := bufio.NewReader(stream)
	var req Request
	if readLine(in, &req) != nil {
		return
	}
	switch req.Kind {
	case kindCommand:
		h.execute(ctx, stream, in, req)
	case kindDaemon:
		conn, err := h.Daemon(ctx, req.Start)
		if err != nil {
			_ = writeLine(stream, reply{Error: &Error{Kind: NoDaemon, Lines: []string{err.Error()}}})
			return
		}
		defer conn.Close()
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		defer stop()
		if writeLine(stream, reply{Ready: true}) == nil {
			splice(stream, in, conn, conn)
		}
	}
}

// RemoteVariable marks a wf that was called on another machine. Its value is MarkStdin if standard input arrives when it is
// asked for: a byte written to descriptor 3.
const RemoteVariable = "WF_REMOTE"

// NameVariable has the --host of the command on the calling machine, for commands in advice. It is not set if the machine was
// selected in another way: then the same command without --host works there, too.
const NameVariable = "WF_REMOTE_NAME"

// MarkStdin and MarkTTY are the values of RemoteVariable.
const (
	MarkStdin = "stdin"
	MarkTTY   = "tty"
)

// command returns the command of a request.
func (h *Holder) command(req Request) *exec.Cmd {
	cmd := exec.Command(h.Program, req.Args...)
	mark := MarkStdin
	if req.In == StreamTTY {
		mark = MarkTTY
	}
	cmd.Env = append(append(append([]string{}, h.Env...), req.Env...), RemoteVariable+"="+mark)
	if cmd.Dir = req.Dir; !filepath.IsAbs(cmd.Dir) {
		cmd.Dir = filepath.Join(h.Home, cmd.Dir)
	}
	cmd.Env = append(cmd.Env, "PWD="+cmd.Dir)
	return cmd
}

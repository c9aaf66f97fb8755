package remote

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	hangupGrace = 5 * time.Second // between HUP and KILL of a command whose caller is gone
	drainTime   = 2 * time.Second // for output that other processes hold open after the end of the command
)

// A process is a command that was called on another machine.
type process struct {
	cmd   *exec.Cmd
	out   *messages
	pty   *os.File // nil if no stream is a terminal
	stdin *os.File // to write; nil for a terminal
	mine  []*os.File
	given []*os.File      // for the command
	shown *terminalOutput // of pty

	readers sync.WaitGroup
}

// execute executes a command and tells its caller how it ended.
func (h *Holder) execute(ctx context.Context, stream net.Conn, in *bufio.Reader, req Request) {
	p := &process{cmd: h.command(req), out: &messages{w: stream}}
	err := p.prepare(req)
	if err == nil {
		err = p.cmd.Start()
	}
	closeAll(p.given)
	defer closeAll(p.mine)
	if err != nil {
		_ = p.out.send(msgFailed, []byte(err.Error()))
		return
	}
	ended := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { p.hangUp(ctx, ended, p.obey(in)) })
	status := p.wait()
	close(ended)
	p.drain()
	_ = p.out.send(msgExit, []byte{status})
	stream.Close()
	watcher.Wait()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// prepare opens the streams of the command.
func (p *process) prepare(req Request) error {
	var terminal *os.File
	if req.In == StreamTTY || req.Out == StreamTTY || req.Err == StreamTTY {
		var err error
		if p.pty, terminal, err = openTerminal(); err != nil {
			return err
		}
		p.mine, p.given = append(p.mine, p.pty), append(p.given, terminal)
		setSize(p.pty, req.Rows, req.Columns)
		p.shown = newTerminalOutput(p.pty, p.out)
		p.readers.Go(p.shown.copy)
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	for i, kind := range []string{req.In, req.Out, req.Err} {
		f := terminal
		if kind == StreamTTY {
			p.cmd.SysProcAttr.Setctty, p.cmd.SysProcAttr.Ctty = true, i
		} else {
			var err error
			if f, err = p.stream(i, kind); err != nil {
				return err
			}
		}
		switch i {
		case 0:
			p.cmd.Stdin = f
		case 1:
			p.cmd.Stdout = f
		case 2:
			p.cmd.Stderr = f
		}
	}
	return nil
}

// stream opens stream i of the command that is no terminal. Output to another program goes to a pipe, as there; output to
// anything else to a socket, because wf shows less progress when another program reads it.
func (p *process) stream(i int, kind string) (*os.File, error) {
	read, write, err := os.Pipe()
	if i > 0 && kind == StreamFile {
		read, write, err = socketPair()
	}
	if err != nil {
		return nil, err
	}
	if i > 0 {
		p.mine, p.given = append(p.mine, read), append(p.given, write)
		p.reads([]byte{0, msgOut, msgErr}[i], read)
		return write, nil
	}
	p.stdin = write
	p.mine, p.given = append(p.mine, write), append(p.given, read)
	wants, asks, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.mine, p.given = append(p.mine, wants), append(p.given, asks)
	p.cmd.ExtraFiles = []*os.File{asks}
	go func() { // ends when wants is closed
		if n, _ := wants.Read(make([]byte, 1)); n == 1 {
			_ = p.out.send(msgWantsIn, nil)
		}
	}()
	return read, nil
}

// socketPair returns two ends of a stream that is no pipe.
func socketPair() (a, b *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	if err := unix.SetNonblock(fds[0], true); err != nil { // so that Close ends a Read
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "output"), os.NewFile(uintptr(fds[1]), "output"), nil
}

// reads sends everything from f to the caller.
func (p *process) reads(kind byte, f *os.File) {
	p.readers.Go(func() { p.out.copy(kind, f) })
}

// drain waits for the rest of the output.
func (p *process) drain() {
	for _, f := range p.mine {
		_ = f.SetReadDeadline(time.Now().Add(drainTime))
	}
	p.readers.Wait()
}

// wait waits for the end of the command and returns its exit status. It tells the caller when the command stops.
func (p *process) wait() byte {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(p.cmd.Process.Pid, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 1
		case status.Stopped():
			if p.shown != nil {
				p.shown.flush() // the shell there must not print before the command
			}
			_ = p.out.send(msgStopped, nil)
		case status.Signaled():
			return 128 + byte(status.Signal())
		default:
			return byte(status.ExitStatus())
		}
	}
}

// obey handles the messages of the caller until it is gone.
func (p *process) obey(in *bufio.Reader) <-chan struct{} {
	gone := make(chan struct{})
	typed := make(chan []byte, 2*inputCredit)
	go func() {
		defer close(gone)
		defer close(typed)
		for {
			kind, data, err := readMessage(in)
			if err != nil {
				return
			}
			switch {
			case kind == msgIn:
				select {
				case typed <- data:
				default: // a terminal whose command does not read; a pipe has credit for fewer messages
				}
			case kind == msgSize && len(data) == 4 && p.pty != nil:
				setSize(p.pty, binary.BigEndian.Uint16(data), binary.BigEndian.Uint16(data[2:]))
			case kind == msgSignal && len(data) == 1:
				p.signal(syscall.Signal(data[0]))
			case kind == msgContinue:
				_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGCONT)
			}
		}
	}()
	go p.feed(typed)
	return gone
}

// feed writes standard input; an empty message ends it.
func (p *process) feed(typed <-chan []byte) {
	var to io.Writer = p.pty
	if p.stdin != nil {
		to = p.stdin
	}
	failed := false
	for data := range typed {
		if len(data) == 0 && p.stdin != nil {
			p.stdin.Close()
		}
		if !failed && len(data) > 0 {
			_, err := to.Write(data)
			failed = err != nil // the command reads no more
			if p.stdin != nil && !failed {
				_ = p.out.send(msgWantsIn, nil)
			}
		}
	}
}

// signal sends a signal that the caller got: what a terminal sends, to all processes of the command.
func (p *process) signal(s syscall.Signal) {
	pid := p.cmd.Process.Pid
	if s == syscall.SIGINT || s == syscall.SIGQUIT || s == syscall.SIGHUP {
		pid = -pid
	}
	_ = syscall.Kill(pid, s)
}

// hangUp ends the command when its caller is gone.
func (p *process) hangUp(ctx context.Context, ended, gone <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-gone:
	case <-ctx.Done():
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGHUP)
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGCONT)
	select {
	case <-ended:
	case <-time.After(hangupGrace):
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
}

package remote

import (
	"errors"
	"os"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal: the end of the holder, whose reads have deadlines, and that of the command.
func openTerminal() (mine, given *os.File, err error) {
	mine, given, err = pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer mine.Close()
	fd, err := unix.FcntlInt(mine.Fd(), unix.F_DUPFD_CLOEXEC, 0) // package pty has made the file one without deadlines
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		given.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), "terminal"), given, nil
}

// setSize sets the size of a terminal. It does not use Fd, which would take the deadlines of the file away.
func setSize(terminal *os.File, rows, columns uint16) {
	raw, err := terminal.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
	})
}

// A terminalOutput sends the output of a pseudo-terminal to the caller.
type terminalOutput struct {
	pty     *os.File
	out     *messages
	flushes chan chan struct{} // closed when everything that was printed is sent
	ended   chan struct{}      // closed when nothing is sent any more
}

func newTerminalOutput(pty *os.File, out *messages) *terminalOutput {
	return &terminalOutput{pty: pty, out: out, flushes: make(chan chan struct{}, 1), ended: make(chan struct{})}
}

// copy sends everything until the terminal is closed, or until a read deadline that flush has not set.
func (t *terminalOutput) copy() {
	defer close(t.ended)
	buf := make([]byte, mostData)
	for {
		n, err := t.pty.Read(buf)
		if n > 0 && t.out.send(msgOut, buf[:n]) != nil {
			return
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		select {
		case done := <-t.flushes:
			_ = t.pty.SetReadDeadline(time.Time{})
			t.copyPresent(buf)
			close(done)
		default:
			return
		}
	}
}

// copyPresent sends what can be read without waiting.
func (t *terminalOutput) copyPresent(buf []byte) {
	raw, err := t.pty.SyscallConn()
	if err != nil {
		return
	}
	for n := 1; n > 0; {
		n = 0
		_ = raw.Read(func(fd uintptr) bool {
			n, _ = unix.Read(int(fd), buf) // the file does not block
			return true
		})
		if n > 0 && t.out.send(msgOut, buf[:n]) != nil {
			return
		}
	}
}

// flush returns when everything is sent that was printed before the call.
func (t *terminalOutput) flush() {
	done := make(chan struct{})
	t.flushes <- done
	_ = t.pty.SetReadDeadline(time.Now())
	select {
	case <-done:
	case <-t.ended:
	}
}

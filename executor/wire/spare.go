package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A spare runner is a process that has started as a runner and waits for its run:
//
//	runner --spare PADDING
//
// It inherits ConnectionFD, gets the run in an Assignment, and answers with one byte. Then it continues like a runner that
// was started for the run. If the connection ends first, it exits.

// SpareOption is the first argument of a spare runner.
const SpareOption = "--spare"

// SparePadding is an argument of spare runners that they overwrite with the arguments of a runner, for people who list
// processes.
var SparePadding = strings.Repeat(" ", 256)

// An Assignment is the run that a spare runner gets. The texts are sent in this order, each with a NUL behind it.
type Assignment struct {
	Dir        string
	Socket     string
	Cwd        string
	Attributes string // the value of procattr.Variable

	Lock, Stderr *os.File // LockFD and the standard error of the runner
}

// assignmentTexts is how many texts an Assignment has.
const assignmentTexts = 4

// The answers of a spare runner.
const (
	spareTakes   = '+'
	spareRefuses = '-'
)

// Send hands the run to the spare runner at the other end of conn. It returns an error if the runner does not take the run
// before the deadline.
func (a *Assignment) Send(conn *net.UnixConn, deadline time.Time) error {
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	line := []byte(strings.Join([]string{a.Dir, a.Socket, a.Cwd, a.Attributes, ""}, "\x00"))
	n, _, err := conn.WriteMsgUnix(line, unix.UnixRights(int(a.Lock.Fd()), int(a.Stderr.Fd())), nil)
	if err == nil && n < len(line) {
		_, err = conn.Write(line[n:])
	}
	if err != nil {
		return err
	}
	var answer [1]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		return err
	}
	if answer[0] != spareTakes {
		return errors.New("the spare runner cannot take the run")
	}
	return conn.SetDeadline(time.Time{})
}

// ReceiveAssignment waits for the run of this process, a spare runner. It returns io.EOF if the daemon ends before.
func ReceiveAssignment() (*Assignment, error) {
	a := new(Assignment)
	text, rights := make([]byte, 0, 16<<10), make([]byte, unix.CmsgSpace(2*4))
	for bytes.Count(text, []byte{0}) < assignmentTexts {
		text = slices.Grow(text, 1)
		n, size, _, _, err := unix.Recvmsg(ConnectionFD, text[len(text):cap(text)], rights, 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, fmt.Errorf("receive a run: %w", err)
		case n == 0:
			return nil, io.EOF
		}
		text = text[:len(text)+n]
		if size > 0 {
			a.takeFiles(rights[:size])
		}
	}
	if a.Stderr == nil {
		return nil, errors.New("receive a run: the files are missing")
	}
	fields := strings.Split(string(text), "\x00")
	a.Dir, a.Socket, a.Cwd, a.Attributes = fields[0], fields[1], fields[2], fields[3]
	return a, nil
}

// takeFiles sets the files from a control message.
func (a *Assignment) takeFiles(rights []byte) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	for _, fd := range fds {
		unix.CloseOnExec(fd) // this process forks only later
	}
	if err == nil && len(fds) == 2 {
		a.Lock, a.Stderr = os.NewFile(uintptr(fds[0]), "lock"), os.NewFile(uintptr(fds[1]), "stderr")
	}
}

// Answer tells the daemon whether this process takes the run.
func (a *Assignment) Answer(takes bool) error {
	answer := []byte{spareRefuses}
	if takes {
		answer[0] = spareTakes
	}
	_, err := unix.Write(ConnectionFD, answer)
	return err
}

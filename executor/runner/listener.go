package runner

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/ownfile"
	"wf/executor/wire"
)

// A listener is the socket through which the next daemon finds this runner.
type listener struct {
	dir, second string // see wire.SocketPaths
	poller      *poller
	fd          int
	place       place
	closedUntil time.Time // when to listen again after a failed accept; zero = it listens
}

// A place is the path of the socket and the identity of the file there.
type place struct {
	path     string
	dev, ino uint64
	looked   time.Time // when the file was last checked
}

// open listens at the first path that works.
func (n *listener) open() error {
	if err := fault.Check(fault.OpListen, n.second); err != nil {
		return err
	}
	var problems []error
	for _, path := range wire.SocketPaths(n.dir, n.second) {
		err := wire.WithShortPath(path, func(short string) error { return n.openAt(path, short) })
		if err == nil {
			return nil
		}
		problems = append(problems, fmt.Errorf("socket %s: %w", path, err))
	}
	return errors.Join(problems...)
}

// openAt listens at path; short is a path to the same file that fits into a socket address.
func (n *listener) openAt(path, short string) (err error) {
	if err := ownfile.Remove(path); err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	unix.CloseOnExec(fd)
	// The kernel checks the mode when a process connects, so a chmod after bind would leave a gap.
	old := unix.Umask(0o177)
	err = unix.Bind(fd, &unix.SockaddrUnix{Name: short})
	unix.Umask(old)
	if err == nil {
		err = unix.Listen(fd, acceptBacklog)
	}
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err == nil {
		err = n.poller.add(fd)
	}
	var there unix.Stat_t
	if err == nil {
		err = unix.Lstat(path, &there)
	}
	if err == nil {
		n.fd, n.place = fd, place{path: path, dev: uint64(there.Dev), ino: there.Ino, looked: time.Now()}
	}
	return err
}

// placePause is the time between two checks of the socket file while there is no daemon.
const placePause = time.Second

// keep listens again if the socket file has been removed: a daemon cannot find the runner without it. If that fails,
// the next check tries again.
func (n *listener) keep(now time.Time) {
	if n.place.path == "" || now.Sub(n.place.looked) < placePause {
		return // never opened, or checked a moment ago
	}
	n.place.looked = now
	var there unix.Stat_t
	if unix.Lstat(n.place.path, &there) == nil && uint64(there.Dev) == n.place.dev && there.Ino == n.place.ino {
		return
	}
	before := n.fd
	if err := n.open(); err != nil {
		return
	}
	n.closedUntil = time.Time{}
	n.poller.close(before)
}

// remove removes the socket file. keep does not make it again.
func (n *listener) remove() {
	os.Remove(n.place.path)
	n.place = place{}
}

// accept returns the next connection of a process of the same user.
func (n *listener) accept(now time.Time) (fd int, ok bool) {
	err := fault.Check(fault.OpAccept, n.second)
	if err == nil {
		fd, _, err = unix.Accept(n.fd)
	}
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
		return -1, false
	case err != nil: // for example no free descriptor
		n.closedUntil = now.Add(acceptPause)
		n.poller.remove(n.fd)
		return -1, false
	}
	unix.CloseOnExec(fd) // no fork can come between: only this thread forks
	if err = wire.CheckPeerFD(fd); err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		unix.Close(fd)
		return -1, false
	}
	return fd, true
}

// expire listens again when the pause after a failed accept is over.
func (n *listener) expire(now time.Time) {
	if n.closedUntil.IsZero() || now.Before(n.closedUntil) {
		return
	}
	n.closedUntil = time.Time{}
	if err := n.poller.add(n.fd); err != nil {
		n.closedUntil = now.Add(acceptPause)
	}
}

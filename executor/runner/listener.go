package runner

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/fault"
	"wf/executor/wire"
)

// A listener is the socket by which the next daemon finds this runner.
type listener struct {
	dir, second string // where its first and its second address are, see wire.SocketPaths
	poller      *poller
	fd          int
	place       place
	closedUntil time.Time // a connection could not be accepted, none is until then; zero = it listens
}

// A place is where a runner listens: the path of the socket, and which file that is.
type place struct {
	path     string
	dev, ino uint64
	looked   time.Time // when it was last seen to be there
}

// open opens the socket by which a later daemon finds this runner.
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

// openAt listens at path, which the kernel is told as short.
func (n *listener) openAt(path, short string) (err error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
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
	// The mode counts when somebody connects, so a chmod after bind would leave a gap.
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

// placePause is the time between two looks at the socket while there is no daemon.
const placePause = time.Second

// keep listens anew when the socket has been removed: without a daemon it is the only way to this
// runner. What cannot be done now is tried again at the next look.
func (n *listener) keep(now time.Time) {
	if n.place.path == "" || now.Sub(n.place.looked) < placePause {
		return // it has never listened, or has looked just now
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
	unix.Close(before) // the poller forgets it with that
}

// accept returns the next connection, which is from a process of our own user.
func (n *listener) accept(now time.Time) (fd int, ok bool) {
	err := fault.Check(fault.OpAccept, n.second)
	if err == nil {
		fd, _, err = unix.Accept(n.fd)
	}
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
		return -1, false
	case err != nil: // no descriptor free, say: later there may be one
		n.closedUntil = now.Add(acceptPause)
		n.poller.remove(n.fd)
		return -1, false
	}
	unix.CloseOnExec(fd) // this thread is the only one that forks
	if err = wire.CheckPeerFD(fd); err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		unix.Close(fd)
		return -1, false
	}
	return fd, true
}

// expire listens again after a failure to accept.
func (n *listener) expire(now time.Time) {
	if n.closedUntil.IsZero() || now.Before(n.closedUntil) {
		return
	}
	n.closedUntil = time.Time{}
	if err := n.poller.add(n.fd); err != nil {
		n.closedUntil = now.Add(acceptPause)
	}
}

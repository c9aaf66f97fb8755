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

// A place is where a runner listens: the path of the socket, and which file that is.
type place struct {
	path     string
	dev, ino uint64
	looked   time.Time // when it was last seen to be there
}

// listen opens the socket by which a later daemon finds this runner.
func (r *runner) listen() error {
	if err := fault.Check(fault.OpListen, r.socket); err != nil {
		return err
	}
	var problems []error
	for _, path := range wire.SocketPaths(r.dir, r.socket) {
		err := wire.WithShortPath(path, func(short string) error { return r.listenAt(path, short) })
		if err == nil {
			return nil
		}
		problems = append(problems, fmt.Errorf("socket %s: %w", path, err))
	}
	return errors.Join(problems...)
}

// listenAt listens at path, which the kernel is told as short.
func (r *runner) listenAt(path, short string) (err error) {
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
		err = r.poller.add(fd)
	}
	var there unix.Stat_t
	if err == nil {
		err = unix.Lstat(path, &there)
	}
	if err == nil {
		r.listener, r.place = fd, place{path: path, dev: uint64(there.Dev), ino: there.Ino, looked: time.Now()}
	}
	return err
}

// placePause is the time between two looks at the socket while there is no daemon.
const placePause = time.Second

// keepPlace listens anew when the socket has been removed: without a daemon it is the only way to this
// runner. What cannot be done now is tried again at the next look.
func (r *runner) keepPlace(now time.Time) {
	if r.place.path == "" || now.Sub(r.place.looked) < placePause {
		return // it has never listened, or has looked just now
	}
	r.place.looked = now
	var there unix.Stat_t
	if unix.Lstat(r.place.path, &there) == nil && uint64(there.Dev) == r.place.dev && there.Ino == r.place.ino {
		return
	}
	before := r.listener
	if err := r.listen(); err != nil {
		return
	}
	r.deafTill = time.Time{}
	unix.Close(before) // the poller forgets it with that
}

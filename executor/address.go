package executor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// The socket of a runner lies beside its record: whoever can take up the run can find its runner. A file
// system that has no sockets (some network and shared folders) leaves the folder of Local.Sockets, where
// runners of earlier versions listen, too.

// socketFile is the socket in the folder of a run.
const socketFile = "socket"

// socketLimit is the longest path a unix socket can have on every system we run on, in bytes.
const socketLimit = 103

// secondSocket returns where the runner of the run in dir listens when it cannot in dir itself.
func secondSocket(folder, dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(folder, "r-"+hex.EncodeToString(sum[:8])+".sock")
}

// addresses returns the places of the socket of the run in dir, the usual one first.
func addresses(dir, second string) []string {
	return []string{filepath.Join(dir, socketFile), second}
}

// dialRunner connects to the runner of the run in dir, whose second address is second. It refuses a socket
// behind which there is a process of another user.
func dialRunner(ctx context.Context, dir, second string) (conn net.Conn, err error) {
	for _, path := range addresses(dir, second) {
		err = withShortPath(path, func(short string) error {
			conn, err = dialPath(ctx, short)
			return err
		})
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func dialPath(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := checkPeer(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// A place is where a runner listens: the path of the socket, and which file that is.
type place struct {
	path     string
	dev, ino uint64
	looked   time.Time // when it was last seen to be there
}

// listen opens the socket by which a later daemon finds this runner.
func (r *runner) listen() error {
	if err := checkFault(opListen, r.socket); err != nil {
		return err
	}
	var problems []error
	for _, path := range addresses(r.dir, r.socket) {
		err := withShortPath(path, func(short string) error { return r.listenAt(path, short) })
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

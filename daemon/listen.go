package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"wf/api"
	"wf/executor/ownfile"
)

// listeners are the unix socket and the port. The lock is held as long as they are open. Only the goroutine that serves
// changes them, see runtime_files.go.
type listeners struct {
	unix   *net.UnixListener
	bound  fs.FileInfo // the file of the socket when it was created
	tcp    net.Listener
	socket string // path of the unix socket
	folder string // of the socket, if it is not in the runtime folder
	url    string
	closed bool
}

func openListeners(cfg Config) (*listeners, error) {
	d := &listeners{socket: filepath.Join(cfg.Runtime, api.FileSocket)}
	var err error
	if d.tcp, err = listenTCP(cfg); err != nil {
		return nil, err
	}
	d.url = "http://" + d.tcp.Addr().String()
	if err := d.listenUnix(); err != nil {
		d.tcp.Close()
		return nil, err
	}
	return d, nil
}

// close closes both listeners and removes their files.
func (d *listeners) close() {
	if d.closed {
		return
	}
	d.closed = true
	d.tcp.Close()
	d.unix.Close()
	if d.inPlace() {
		os.Remove(d.socket)
	}
	if d.folder != "" {
		os.Remove(d.folder)
	}
}

// inPlace reports whether the socket is still at its path.
func (d *listeners) inPlace() bool {
	there, err := os.Lstat(d.socket)
	return err == nil && os.SameFile(there, d.bound)
}

// socketPath is the length of the longest path of a socket that every system accepts (macOS: 104 with the NUL).
const socketPath = 103

// listenUnix creates the socket, for the first time or because it was removed. The caller holds the lock, so an existing
// socket was left behind by a daemon that died.
func (d *listeners) listenUnix() error {
	if len(d.socket) > socketPath {
		folder, err := os.MkdirTemp("", "wf-") // mode 0700; the registry says where it is
		if err != nil {
			return fmt.Errorf("make a folder for the socket: %w", err)
		}
		d.folder, d.socket = folder, filepath.Join(folder, api.FileSocket)
	}
	if err := ownfile.Remove(d.socket); err != nil {
		return fmt.Errorf("remove the old socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: d.socket, Net: "unix"})
	if err == nil {
		l.SetUnlinkOnClose(false) // at that time the path may belong to another daemon
		// The folder is private, and the user of each connection is checked, so no other user gets in before the
		// mode is set. A umask would affect other files that the process creates meanwhile.
		err = os.Chmod(d.socket, 0o600)
		if err == nil {
			d.bound, err = os.Lstat(d.socket)
		}
		if err != nil {
			l.Close()
			os.Remove(d.socket)
		}
	}
	if err != nil {
		if d.folder != "" {
			os.Remove(d.folder)
		}
		return fmt.Errorf("listen on the socket: %w", err)
	}
	d.unix = l
	return nil
}

// listenTCP opens the port. If it is taken, a free one is used, unless the user has chosen the port.
func listenTCP(cfg Config) (net.Listener, error) {
	host, err := netip.ParseAddr(cfg.Host)
	if err != nil || !host.IsLoopback() {
		return nil, &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("cannot listen on %q", cfg.Host),
			Why: "every client that reaches the daemon can run commands: only loopback addresses are allowed",
			Fix: "use 127.0.0.1 or ::1; from another machine: wf --host ssh://USER@THIS-MACHINE"}
	}
	l, err := net.Listen("tcp", net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port)))
	if err == nil {
		return l, nil
	}
	if !cfg.PortExplicit && errors.Is(err, syscall.EADDRINUSE) {
		l, err = net.Listen("tcp", net.JoinHostPort(cfg.Host, "0"))
	}
	if err != nil {
		return nil, &api.Error{Code: api.CodeRefused, Message: fmt.Sprintf("cannot listen on port %d", cfg.Port),
			Why: err.Error(), Fix: "choose another with --port or WF_PORT, or name none"}
	}
	return l, nil
}

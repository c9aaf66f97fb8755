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
)

// doors are the two ways in. The lock is held as long as they are open. Only the goroutine that serves
// changes them, see keep.go.
type doors struct {
	unix   *net.UnixListener
	bound  fs.FileInfo // what the socket was when it was made
	tcp    net.Listener
	socket string // path of the unix socket
	folder string // of the socket, when it had to be one of its own
	url    string
	closed bool
}

func openDoors(cfg Config) (*doors, error) {
	d := &doors{socket: filepath.Join(cfg.Runtime, api.FileSocket)}
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

// close closes both doors and removes what they left in the file system.
func (d *doors) close() {
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

// inPlace reports whether the socket is still where clients look for it.
func (d *doors) inPlace() bool {
	there, err := os.Lstat(d.socket)
	return err == nil && os.SameFile(there, d.bound)
}

// socketPath is the longest path that every system accepts for a socket (macOS: 104 with the NUL).
const socketPath = 103

// listenUnix opens the socket, for the first time or because it was removed. Only the holder of the lock
// gets here, so a socket that is there already was left behind by a daemon that died.
func (d *doors) listenUnix() error {
	if len(d.socket) > socketPath {
		folder, err := os.MkdirTemp("", "wf-") // mode 0700; the registry says where it is
		if err != nil {
			return fmt.Errorf("make a folder for the socket: %w", err)
		}
		d.folder, d.socket = folder, filepath.Join(folder, api.FileSocket)
	}
	if err := os.Remove(d.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the old socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: d.socket, Net: "unix"})
	if err == nil {
		l.SetUnlinkOnClose(false) // what lies there then may be another daemon's
		// The folder is private, and whoever connects is asked for his user, so nobody comes in before
		// the mode is right. A mask would be that of the whole process, which makes other files meanwhile.
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

// listenTCP opens the port. A taken one is replaced by a free one unless it was asked for.
func listenTCP(cfg Config) (net.Listener, error) {
	host, err := netip.ParseAddr(cfg.Host)
	if err != nil || !host.IsLoopback() {
		return nil, &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("cannot listen on %q", cfg.Host),
			Why: "the daemon runs commands for whoever reaches it: only loopback addresses are allowed",
			Fix: "use 127.0.0.1 or ::1; from another machine, forward the port with ssh -L"}
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

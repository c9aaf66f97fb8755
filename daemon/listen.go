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
	"sync"
	"syscall"

	"wf/api"
)

// doors are the two ways in. The lock is held as long as they are open.
type doors struct {
	unix, tcp net.Listener
	socket    string // path of the unix socket
	folder    string // of the socket, when it had to be one of its own
	url       string
	once      sync.Once
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
	d.once.Do(func() {
		d.tcp.Close()
		d.unix.Close() // removes the socket
		if d.folder != "" {
			os.Remove(d.folder)
		}
	})
}

// socketPath is the longest path that every system accepts for a socket (macOS: 104 with the NUL).
const socketPath = 103

// listenUnix opens the socket. Only the holder of the lock gets here, so a socket that is there
// already was left behind by a daemon that died.
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
	// The mode counts from the first instant, so it must be right at bind. The mask belongs to
	// the whole process; at this moment nothing else in the daemon creates files.
	mask := syscall.Umask(0o177)
	l, err := net.Listen("unix", d.socket)
	syscall.Umask(mask)
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

package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"wf/api"
	"wf/executor/peer"
)

// A Control is the unix socket of a server, in the runtime folder: only this user can reach it. It is how a later wf web
// gets a new address, and how the server is stopped; so nothing that allows either is in a file or at a port.
type Control struct {
	listener net.Listener
	lock     *flock.Flock
	path     string
}

// ErrRunning is the error of NewControl if another server has the socket.
var ErrRunning = errors.New("the page is served already")

// ErrNotRunning is the error of Ask… if no server has the socket.
var ErrNotRunning = errors.New("no page is served")

// A State describes a server.
type State struct {
	PID      int    `json:"pid"`
	Origin   string `json:"origin"`
	Sessions int    `json:"sessions"` // signed in
	Pages    int    `json:"pages"`    // connected at present
}

// An invitation is the answer to an invited Visit.
type invitation struct {
	Address string `json:"address"`
	State   State  `json:"state"`
}

// mostVisit bounds an invited Visit in bytes: it has an environment.
const mostVisit = 16 << 20

// NewControl creates the socket at path, in place of one that a killed server left. The caller serves it or closes it.
func NewControl(path string) (*Control, error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	mine, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !mine {
		return nil, ErrRunning
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		lock.Close()
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &Control{l, lock, path}, nil
}

// Close removes the socket.
func (c *Control) Close() {
	c.listener.Close()
	c.lock.Close()
}

// Serve answers until ctx ends, then closes the socket. stop is called when somebody asks for the end.
func (c *Control) Serve(ctx context.Context, s *Server, stop func()) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /invite", func(w http.ResponseWriter, r *http.Request) {
		var v Visit
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostVisit)).Decode(&v); err != nil {
			refuse(w, api.Invalid("the visit cannot be read: %v", err))
			return
		}
		writeJSON(w, http.StatusOK, invitation{s.Invite(v), s.state()})
	})
	mux.HandleFunc("POST /state", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.state()) })
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, s.state())
		stop()
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: headerTime}
	down := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		defer close(down)
		bounded, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		_ = srv.Shutdown(bounded)
	})
	defer c.lock.Close()
	defer func() {
		if !release() {
			<-down // the answer to stop is sent
		}
	}()
	if err := srv.Serve(&ownConns{c.listener}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *Server) state() State {
	return State{PID: os.Getpid(), Origin: s.origin, Sessions: s.sessions.count(), Pages: s.lives.count()}
}

// ownConns accepts connections of this user only.
type ownConns struct{ net.Listener }

func (l *ownConns) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, err := peer.UID(conn); err == nil && uid == os.Geteuid() {
			return conn, nil
		}
		conn.Close()
	}
}

// AskInvite asks the server at a control socket for an address that opens the page once.
func AskInvite(ctx context.Context, path string, v Visit) (address string, state State, err error) {
	var i invitation
	err = ask(ctx, path, "/invite", v, &i)
	return i.Address, i.State, err
}

// AskStop asks the server at a control socket to end.
func AskStop(ctx context.Context, path string) (state State, err error) {
	err = ask(ctx, path, "/stop", struct{}{}, &state)
	return state, err
}

// AskState returns nil if a server answers at a control socket.
func AskState(ctx context.Context, path string) error {
	return ask(ctx, path, "/state", struct{}{}, new(State))
}

// askTime bounds a request to a control socket: the server answers at once.
const askTime = 5 * time.Second

func ask(ctx context.Context, path, route string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dialOwn(ctx, path) }}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://web"+route, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return ErrNotRunning
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		var e api.Error
		if json.Unmarshal(data, &e) == nil && e.Message != "" {
			return &e
		}
		return fmt.Errorf("the server of the page answered with HTTP status %s", resp.Status)
	}
	return json.Unmarshal(data, answer)
}

// dialOwn connects to a socket and checks that a process of this user listens, before a byte is sent.
func dialOwn(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	uid, err := peer.UID(conn)
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("%s is served by another user", path)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

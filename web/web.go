// Package web serves the web page: to a browser on this machine it is a server on a loopback port, to the daemon a
// client like any other, here or on another machine. It decides who may see what, passes requests on, and keeps no
// state of a workfile longer than a page is connected.
//
// From the browser to the daemon:
//
//	page   ->  guard (Host, Origin, headers)  ->  sessions (token)  ->  pass (routes of package api)  ->  client  ->  daemon
//	page  <->  live (WebSocket): drawings, rows of nodes             <-  view (runview)               <-  client  <-  events
//
// What a person who starts wf web may ask of a server that runs already, a new code or its end, comes by a unix socket
// (Control), never by the port.
package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"wf/api"
	"wf/client"
	"wf/web/page"
)

// Options are the services and settings of a server. The command line provides them.
type Options struct {
	// Connect connects to the daemon. It may start one if start is set. lost is passed to the client as its option of
	// this name. The server closes the client.
	Connect func(ctx context.Context, start bool, lost func(error)) (*client.Client, error)
	// Workfiles lists the workfiles that have a history, the newest first.
	Workfiles func() []Workfile
	// Machine is the name of the machine whose daemon is shown; "" = this one.
	Machine string
	// Version is the version of the program.
	Version string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// A Workfile is one that has a history.
type Workfile struct {
	Path   string     `json:"path"`             // absolute
	Run    string     `json:"run,omitempty"`    // number of the latest run
	Result api.Result `json:"result,omitempty"` // of that run; "" = it is active, or its end is unknown
	When   time.Time  `json:"when"`             // of its end, or its start
	Active []string   `json:"active,omitempty"` // numbers of the active runs; set by the server
}

// A Server serves the page until its context ends.
type Server struct {
	opt      Options
	sessions *sessions
	lives    lives
	clients  clients
	origin   string // http://127.0.0.1:PORT
	host     string // 127.0.0.1:PORT
}

// The time limits of a connection. A page has one WebSocket, and at most some requests at once.
const (
	headerTime = 5 * time.Second
	idleTime   = 30 * time.Second
	closeTime  = 2 * time.Second
	mostConns  = 256
	headerSize = 64 << 10
)

// Listen opens the port of the page. Only loopback literals are accepted: whoever wants to show the page elsewhere has
// ssh, which encrypts and knows who connects.
func Listen(address string) (net.Listener, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return limit(l, mostConns), nil
}

// New returns a server for a listener of Listen. The caller calls Serve.
func New(l net.Listener, opt Options) *Server {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	s := &Server{opt: opt, host: l.Addr().String(), sessions: newSessions(opt.Now)}
	s.origin = "http://" + s.host
	s.clients.connect = func(ctx context.Context, start bool) (*client.Client, error) {
		return opt.Connect(ctx, start, s.lives.lost)
	}
	return s
}

// Serve answers requests until ctx ends, then closes all connections. It takes over the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv := &http.Server{Handler: s.guard(s.routes()), ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerSize,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	var ending sync.WaitGroup
	ending.Go(func() {
		<-ctx.Done()
		bounded, stop := context.WithTimeout(context.Background(), closeTime)
		defer stop()
		if srv.Shutdown(bounded) != nil {
			srv.Close()
		}
	})
	err := srv.Serve(l)
	cancel()
	ending.Wait()
	s.lives.wait()
	s.clients.close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Invite returns an address that opens the page once, within CodeTime.
func (s *Server) Invite(v Visit) string { return s.origin + "/#code=" + s.sessions.invite(v) }

// routes returns the handler of all routes. Only the files of the page need no token.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", page.Serve)
	mux.HandleFunc("POST /session", s.enter)
	mux.HandleFunc("GET /live", s.live) // the token is in its first message
	s.handle(mux, "GET /session", s.welcome)
	s.handle(mux, "GET /workfiles", s.workfiles)
	s.handle(mux, "POST /open", s.open)
	for _, e := range api.Endpoints() {
		if passes(e) {
			s.handle(mux, e.Method+" "+e.Path, s.pass(e))
		}
	}
	return mux
}

// A visitor is the session that a request belongs to, and what it answers.
type visitor func(w http.ResponseWriter, r *http.Request, v Visit) error

// handle adds a route that needs a token.
func (s *Server) handle(mux *http.ServeMux, pattern string, answer visitor) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		v, ok := s.sessions.visit(bearer(r))
		if !ok {
			writeJSON(w, http.StatusUnauthorized, &api.Error{Code: api.CodeRefused, Message: "this page is not signed in", Fix: "wf web prints a new address"})
			return
		}
		if err := answer(w, r, v); err != nil {
			refuse(w, err)
		}
	})
}

// clients are the connections to the daemon: one for what a person does, which may start a daemon, and one for what the
// page does by itself, which must not: a daemon that somebody stopped stays stopped.
type clients struct {
	connect func(ctx context.Context, start bool) (*client.Client, error)

	opened openedFiles

	mu    sync.Mutex // guards kinds
	kinds [2]*client.Client
}

// get returns the client that may start a daemon, or the other one.
func (c *clients) get(ctx context.Context, start bool) (*client.Client, error) {
	kind := 0
	if start {
		kind = 1
	}
	c.mu.Lock()
	known := c.kinds[kind]
	c.mu.Unlock()
	if known != nil {
		return known, nil
	}
	made, err := c.connect(ctx, start)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known = c.kinds[kind]; known != nil { // another request was faster
		made.Close()
		return known, nil
	}
	c.kinds[kind] = made
	return made, nil
}

func (c *clients) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, known := range c.kinds {
		if known != nil {
			known.Close()
		}
	}
}

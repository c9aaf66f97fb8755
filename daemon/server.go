package daemon

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"wf/api"
)

// Limits of the HTTP servers. api.Endpoint limits the size of a body; answers may take as long as a
// run.
const (
	headerTime  = 5 * time.Second
	bodyTime    = 30 * time.Second // to send a body; a refused client has headerTime
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
)

// servers are the two HTTP servers, one per listener, with the goroutines that accept connections.
type servers struct {
	list    []*http.Server
	accepts sync.WaitGroup
}

// listen starts to serve requests. base is the context of all requests.
func (d *daemon) listen(base context.Context) *servers {
	d.base = base
	s := &servers{}
	handler := d.routes()
	s.add(base, d.cfg.sending, d.limited(d.listeners.unix), d.guard(socketAccess(), handler))
	s.add(base, d.cfg.sending, limit(d.listeners.tcp, d.cfg.connections, anyUser, d.leases.leave, d.cfg.Log),
		d.guard(portAccess(d.listeners.tcp.Addr(), d.registry.Token).scraped(d.cfg.Monitoring.TokenFile), handler))
	return s
}

// limited returns the socket with a limit of connections, for the daemon's own user only.
func (d *daemon) limited(l net.Listener) *limited {
	return limit(l, d.cfg.connections, ownUser, d.leases.leave, d.cfg.Log)
}

// sending contains the time limits for sending a request.
type sending struct{ header, body time.Duration }

func (s *servers) add(base context.Context, limits sending, l *limited, h http.Handler) {
	srv := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       connectionContext,
		ConnState:         connectionState,
		ReadHeaderTimeout: limits.header,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		// net/http could log parts of a refused request.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	s.list = append(s.list, srv)
	s.serve(len(s.list)-1, l)
}

// serve accepts connections of another listener for a server that was added.
func (s *servers) serve(server int, l net.Listener) {
	srv := s.list[server]                     // the list may grow meanwhile
	s.accepts.Go(func() { _ = srv.Serve(l) }) // ends with shutdown, and returns http.ErrServerClosed
}

// shutdown waits until active requests are answered, at most for limit.
func (s *servers) shutdown(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for _, srv := range s.list {
		if srv.Shutdown(ctx) != nil {
			srv.Close()
		}
	}
	s.accepts.Wait()
}

// guard returns the outermost handler: it refuses requests without access before anything else is read.
func (d *daemon) guard(access access, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.requests.Add(1)
		defer d.requests.Done()
		refusal := access.refuse(r)
		if r.ContentLength != 0 {
			// Set before the answer, because net/http waits for a body that was not read.
			limit := d.cfg.sending.body
			if refusal != nil {
				limit = d.cfg.sending.header
			}
			limitBody(w, limit)
		}
		if refusal != nil {
			w.Header().Set("Connection", "close") // the body of a refused request is not read
			writeError(w, refusal)
			return
		}
		d.holderOf(r)
		start := time.Now()
		defer func() {
			d.cfg.Log.Debug("request", "client", r.Header.Get(api.HeaderClient), "method", r.Method, "path", r.URL.Path, "took", time.Since(start))
		}()
		defer d.recover(w, r)
		next.ServeHTTP(w, r)
	})
}

// limitBody ends the connection if the body has not arrived after d.
func limitBody(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d))
}

// recover turns a panic in one request into an answer and a log entry; the daemon continues.
func (d *daemon) recover(w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v) // net/http's way to cut a connection
	}
	d.cfg.Log.Error("panic", "route", r.Pattern, "value", v, "stack", string(debug.Stack()))
	writeError(w, &api.Error{Code: api.CodeInternal, Message: "internal error: see the log of the daemon", Fix: "wf server logs"})
}

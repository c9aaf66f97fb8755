// Package webhooks receives deliveries of webhooks over HTTP, at an address of its own: it limits what a stranger can take up,
// checks signatures, and hands authentic deliveries over. It has no route but POST /hooks/NAME, and starts nothing itself.
package webhooks

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"wf/trigger/webhook"
)

// Config configures a Server.
type Config struct {
	Listen string // address and port
	// Cert and Key are files in PEM; "" = plain HTTP. They are read again when they have changed.
	Cert, Key string
	Secrets   *Secrets
	// Scheme returns the scheme of a hook, false if there is none of this name.
	Scheme func(name string) (webhook.Scheme, bool)
	// Deliver hands a delivery over. It returns when the delivery is durable; known is true if it was delivered before.
	Deliver func(ctx context.Context, name string, d webhook.Delivery, body []byte) (known bool, err error)
	// Rejected is told about each request that is refused, with "" for a hook that does not exist. It does not block.
	Rejected func(name, why string)
	Log      *slog.Logger

	connections int           // at once; 0 = mostConnections
	times       times         // zero = those of this package
	retry       time.Duration // 0 = listenAgain
}

// times bound the parts of a request.
type times struct{ header, body, idle time.Duration }

// Limits of what a client can take up.
const (
	mostHeader      = 16 << 10
	mostConnections = 256
	headerTime      = 5 * time.Second
	bodyTime        = 15 * time.Second // to send header and body
	answerTime      = 30 * time.Second // to take the answer after that
	idleTime        = 30 * time.Second
	listenAgain     = 10 * time.Second // after a failure, such as a port that is in use
)

// Path is in front of the name of a hook in the URL.
const Path = "/hooks/"

// A Server receives deliveries from Start to Close.
type Server struct {
	cfg      Config
	http     *http.Server
	cert     *certificate // nil = plain HTTP
	failures *limiter     // of authentication, by address
	accepted *limiter     // deliveries, by hook
	unknown  []string     // the secret of hooks that do not exist
	counts   counts
	quit     chan struct{}
	ended    sync.WaitGroup
	problem  atomic.Pointer[string]
	address  atomic.Pointer[string]
}

// Start listens, or knows why it cannot when it returns. It tries again until Close: see Problem.
func Start(cfg Config) *Server {
	if cfg.connections == 0 {
		cfg.connections = mostConnections
	}
	if cfg.times == (times{}) {
		cfg.times = times{headerTime, bodyTime, idleTime}
	}
	if cfg.retry == 0 {
		cfg.retry = listenAgain
	}
	s := &Server{cfg: cfg, quit: make(chan struct{}), failures: newLimiter(failureRate, failureBurst), accepted: newLimiter(hookRate, hookBurst),
		unknown: []string{rand.Text()}}
	if cfg.Cert != "" {
		s.cert = &certificate{certFile: cfg.Cert, keyFile: cfg.Key, log: cfg.Log}
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ConnContext:       connectionContext,
		ConnState:         connectionState,
		ReadHeaderTimeout: cfg.times.header,
		ReadTimeout:       cfg.times.body,
		WriteTimeout:      cfg.times.body + answerTime,
		IdleTimeout:       cfg.times.idle,
		MaxHeaderBytes:    mostHeader,
		ErrorLog:          log.New(io.Discard, "", 0), // it would have a line for each connection of a stranger
		TLSNextProto:      map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	l, err := s.listen()
	s.ended.Go(func() { s.run(l, err) })
	return s
}

// run serves the first listener, if it could be made, and others after it until Close.
func (s *Server) run(l net.Listener, err error) {
	for {
		if err == nil {
			s.failed(s.http.Serve(l))
		}
		select {
		case <-s.quit:
			return
		case <-time.After(s.cfg.retry):
		}
		l, err = s.listen()
	}
}

// failed notes why nothing is received, unless the server is closed.
func (s *Server) failed(err error) {
	select {
	case <-s.quit:
		return
	default:
	}
	if before := s.problem.Load(); before == nil || *before != err.Error() {
		s.cfg.Log.Error("webhooks are not received", "listen", s.cfg.Listen, "err", err)
	}
	s.setProblem(err.Error())
}

// listen makes a listener and notes that deliveries are received, or why they are not.
func (s *Server) listen() (net.Listener, error) {
	l, err := s.bind()
	if err != nil {
		s.failed(err)
		return nil, err
	}
	s.setProblem("")
	return l, nil
}

func (s *Server) bind() (net.Listener, error) {
	var tlsConfig *tls.Config
	if s.cert != nil {
		if _, err := s.cert.get(nil); err != nil {
			return nil, err
		}
		tlsConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.cert.get, NextProtos: []string{"http/1.1"}}
	}
	l, err := net.Listen("tcp", s.cfg.Listen)
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	s.address.Store(&address)
	s.cfg.Log.Info("webhooks are received", "listen", address, "tls", tlsConfig != nil)
	l = newBounded(l, s.cfg.connections)
	if tlsConfig != nil {
		l = tls.NewListener(l, tlsConfig)
	}
	return l, nil
}

func (s *Server) setProblem(text string) { s.problem.Store(&text) }

// Problem returns why nothing is received at present, "" if deliveries are.
func (s *Server) Problem() string { return *s.problem.Load() }

// Address returns the address that the server listens at, "" before it has listened.
func (s *Server) Address() string {
	if a := s.address.Load(); a != nil {
		return *a
	}
	return ""
}

// Close ends the server. Requests that have arrived are answered, at most for wait.
func (s *Server) Close(wait time.Duration) {
	close(s.quit)
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
	s.ended.Wait()
}

// errUnsafe is wrapped by the error of CheckListen about an address that others reach without TLS.
var errUnsafe = errors.New("others can read what is sent there without TLS")

// NoTLS is the value of Cert that allows plain HTTP at an address that is not loopback.
const NoTLS = "none"

// CheckListen returns what is wrong with an address and its certificate.
func CheckListen(listen, cert, key string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("%q is no address; write 127.0.0.1:8791", listen)
	}
	if _, err := net.LookupPort("tcp", port); err != nil || port == "" {
		return fmt.Errorf("%q is no port", port)
	}
	if cert != "" && cert != NoTLS && key == "" || key != "" && (cert == "" || cert == NoTLS) {
		return errors.New("a certificate and its key are needed together")
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case err != nil && host != "":
		return fmt.Errorf("%q is no address; write 127.0.0.1:%s, or 0.0.0.0:%[2]s for all", host, port)
	case cert == "" && (host == "" || !addr.IsLoopback()):
		return fmt.Errorf("%s: %w", listen, errUnsafe)
	}
	return nil
}

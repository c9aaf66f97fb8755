package web

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"wf/api"
)

// CheckAddress returns an error unless address is a loopback literal with a port, such as 127.0.0.1:0.
func CheckAddress(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return api.Invalid("%q is not ADDRESS:PORT", address)
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLoopback() || ip.Zone() != "" {
		return &api.Error{Code: api.CodeRefused, Message: "the page is served on loopback addresses only, and " + host + " is none",
			Fix: "from another machine: ssh -L PORT:127.0.0.1:PORT, with the same PORT at both ends"}
	}
	return nil
}

// policy is the Content-Security-Policy of every answer. The page has no inline script or style, loads nothing from
// elsewhere, is in no frame, and the browser refuses to make elements of a text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws://HOST; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// guard decides about each request before its route is looked up. The check of the Host prevents DNS rebinding, in which a
// page of an attacker reaches the port under the attacker's name; the check of Origin and Sec-Fetch-Site refuses other
// sites. Only a navigation may come from elsewhere: a person follows an address.
func (s *Server) guard(next http.Handler) http.Handler {
	csp := strings.Replace(policy, "HOST", s.host, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", csp)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if why := s.stranger(r); why != "" {
			h.Set("Cache-Control", "no-store")
			refuse(w, &api.Error{Code: api.CodeRefused, Message: why})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// stranger returns why a request cannot come from the page, or "".
func (s *Server) stranger(r *http.Request) string {
	if r.Host != s.host {
		return "the Host header names another server: open " + s.origin
	}
	for _, v := range r.Header.Values("Origin") {
		if v != s.origin {
			return "requests of other sites are not answered"
		}
	}
	document := r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
	for _, v := range r.Header.Values("Sec-Fetch-Site") {
		if v != "same-origin" && v != "none" && !document {
			return "requests of other sites are not answered"
		}
	}
	return ""
}

// bearer returns the token of a request, "" for none.
func bearer(r *http.Request) string {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	token, _ := strings.CutPrefix(values[0], "Bearer ")
	return token
}

// refuse answers with an error. One without a code is a failure of the connection to the daemon.
func refuse(w http.ResponseWriter, err error) {
	e := describe(err)
	writeJSON(w, e.Code.Status(), e)
}

// describe returns the error for the page.
func describe(err error) *api.Error {
	var e *api.Error
	if errors.As(err, &e) {
		return e
	}
	return &api.Error{Code: api.CodeInternal, Message: err.Error()}
}

// writeJSON sends v. It ignores errors, because they mean that the page has gone.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// mostBody bounds the bodies of the page's own requests, in bytes.
const mostBody = 64 << 10

// readJSON decodes the body of one of the page's own requests. A form cannot send it, because of its type.
func readJSON(w http.ResponseWriter, r *http.Request, v any) error {
	if r.Header.Get("Content-Type") != "application/json" {
		return api.Invalid("the body is not application/json")
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBody)).Decode(v); err != nil {
		return api.Invalid("the body cannot be read: %v", err)
	}
	return nil
}

// A limited listener has at most some open connections; others wait in the kernel.
type limited struct {
	net.Listener
	free chan struct{}
	once sync.Once
	done chan struct{} // closed by Close
}

func limit(l net.Listener, most int) net.Listener {
	return &limited{Listener: l, free: make(chan struct{}, most), done: make(chan struct{})}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &counted{Conn: conn, free: l.free}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// A counted connection makes room for another one when it is closed.
type counted struct {
	net.Conn
	once sync.Once
	free chan struct{}
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.free })
	return err
}

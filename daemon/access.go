package daemon

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"wf/api"
	"wf/executor/ownfile"
)

// access decides which requests are served, before the route is looked up and before any part of the request is logged.
type access struct {
	host   func(string) bool // reports whether a Host header is valid
	origin string            // the only valid Origin; "" = none
	token  string            // bearer token; "" = the socket's peer check was enough
	scrape string            // path of the file with a token that only reads the metrics; "" = none
}

// socketAccess returns the access to the unix socket. A browser cannot open it; a request that looks like one of a browser is refused.
func socketAccess() access {
	return access{host: func(host string) bool { return host == api.SocketHost }}
}

// portAccess returns the access to the port at address. The check of the Host prevents DNS rebinding, in which the web page
// of an attacker reaches the port under the attacker's host name.
func portAccess(address net.Addr, token string) access {
	_, port, _ := net.SplitHostPort(address.String())
	return access{host: func(host string) bool { return loopbackHost(host, port) },
		origin: "http://" + address.String(), token: token}
}

// scraped returns the access with a further token, in a file, for the metrics alone.
func (a access) scraped(file string) access {
	a.scrape = file
	return a
}

// loopbackHost reports whether host is a literal loopback address with the given port. Names, even localhost, are refused,
// because the resolver decides about their addresses.
func loopbackHost(host, port string) bool {
	h, p, err := net.SplitHostPort(host)
	if err != nil || p != port {
		return false
	}
	addr, err := netip.ParseAddr(h)
	return err == nil && addr.IsLoopback()
}

// refuse returns why a request is not served, or nil.
func (a access) refuse(r *http.Request) *api.Error {
	switch {
	case !a.host(r.Host):
		return refused("the Host header names another server")
	case !allValid(r.Header, "Origin", a.sameOrigin), !allValid(r.Header, "Referer", a.sameOrigin):
		return refused("requests of other sites are not answered")
	case !allValid(r.Header, "Sec-Fetch-Site", a.sameSite):
		return refused("requests of other sites are not answered")
	case r.URL.Path == api.GetMetrics.Path && a.mayScrape(r):
	case r.URL.Path != api.ProvePort.Path && !a.authorized(r.Header.Values("Authorization")):
		return refused("the bearer token is missing or wrong")
	}
	return nil
}

// allValid checks every value of a header, not only the first.
func allValid(h http.Header, key string, check func(string) bool) bool {
	for _, v := range h.Values(key) {
		if !check(v) {
			return false
		}
	}
	return true
}

// sameOrigin accepts the daemon's own origin, also as a Referer, which has a path in addition.
func (a access) sameOrigin(v string) bool {
	u, err := url.Parse(v)
	return a.origin != "" && err == nil && u.User == nil && u.Scheme+"://"+u.Host == a.origin
}

func (a access) sameSite(v string) bool { return a.origin != "" && v == "same-origin" }

// authorized compares in constant time, so that response times reveal nothing about the token.
func (a access) authorized(values []string) bool {
	if a.token == "" {
		return true
	}
	if len(values) != 1 {
		return false
	}
	given, ok := strings.CutPrefix(values[0], "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(given), []byte(a.token)) == 1
}

// Limits of the token for the metrics, in bytes.
const (
	shortestScrape = 16
	longestScrape  = 1000
)

// mayScrape reports whether the request has the token for the metrics. The file is read each time, so that it can be changed.
func (a access) mayScrape(r *http.Request) bool {
	values := r.Header.Values("Authorization")
	if a.scrape == "" || len(values) == 0 {
		return false
	}
	data, err := ownfile.Read(a.scrape, longestScrape)
	content := strings.TrimSpace(string(data))
	return err == nil && len(content) >= shortestScrape && access{token: content}.authorized(values)
}

func refused(message string) *api.Error {
	return &api.Error{Code: api.CodeRefused, Message: message}
}

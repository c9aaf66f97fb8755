package daemon

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"wf/api"
)

// A door decides who may ask at all, before any route is looked up and before anything of the
// request is written anywhere.
type door struct {
	host   func(string) bool // is this Host header ours?
	origin string            // the only Origin that is ours; "" = none is
	token  string            // bearer token; "" = the socket's peer check was enough
}

// socketDoor guards the unix socket. A browser cannot open it; what looks like one is refused.
func socketDoor() door {
	return door{host: func(host string) bool { return host == api.SocketHost }}
}

// tcpDoor guards the port at address. The Host check defeats DNS rebinding: the attacker's page
// reaches our port, but under its own name.
func tcpDoor(address net.Addr, token string) door {
	_, port, _ := net.SplitHostPort(address.String())
	return door{host: func(host string) bool { return loopbackHost(host, port) },
		origin: "http://" + address.String(), token: token}
}

// loopbackHost reports whether host is a literal loopback address with our port. Names, even
// localhost, are refused: what they mean is decided elsewhere.
func loopbackHost(host, port string) bool {
	h, p, err := net.SplitHostPort(host)
	if err != nil || p != port {
		return false
	}
	addr, err := netip.ParseAddr(h)
	return err == nil && addr.IsLoopback()
}

// refuse tells why a request may not pass, or nil.
func (d door) refuse(r *http.Request) *api.Error {
	switch {
	case !d.host(r.Host):
		return refused("the Host header names another server")
	case !d.ours(r.Header, "Origin", d.sameOrigin), !d.ours(r.Header, "Referer", d.sameOrigin):
		return refused("requests of other sites are not answered")
	case !d.ours(r.Header, "Sec-Fetch-Site", d.sameSite):
		return refused("requests of other sites are not answered")
	case r.URL.Path != api.ProvePort.Path && !d.authorized(r.Header.Values("Authorization")):
		return refused("the bearer token is missing or wrong")
	}
	return nil
}

// ours checks every value of a header: a second one must not hide behind the first.
func (d door) ours(h http.Header, key string, check func(string) bool) bool {
	for _, v := range h.Values(key) {
		if !check(v) {
			return false
		}
	}
	return true
}

// sameOrigin accepts an Origin, or a Referer, which is one with a path.
func (d door) sameOrigin(v string) bool {
	u, err := url.Parse(v)
	return d.origin != "" && err == nil && u.User == nil && u.Scheme+"://"+u.Host == d.origin
}

func (d door) sameSite(v string) bool { return d.origin != "" && v == "same-origin" }

// authorized compares in constant time, so that answering times tell nothing about the token.
func (d door) authorized(values []string) bool {
	if d.token == "" {
		return true
	}
	if len(values) != 1 {
		return false
	}
	given, ok := strings.CutPrefix(values[0], "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(given), []byte(d.token)) == 1
}

func refused(message string) *api.Error {
	return &api.Error{Code: api.CodeRefused, Message: message}
}

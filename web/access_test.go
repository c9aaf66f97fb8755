package web

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gorilla/websocket"

	"wf/api"
)

// allRoutes are the routes that need a token, with values for their placeholders.
func allRoutes() (routes [][2]string) {
	routes = [][2]string{{"GET", "/session"}, {"GET", "/workfiles"}, {"POST", "/open"}}
	for _, e := range api.Endpoints() {
		if passes(e) {
			routes = append(routes, [2]string{e.Method, strings.NewReplacer("{id}", "ws", "{run}", "1").Replace(e.Path)})
		}
	}
	return routes
}

// TestEveryRouteNeedsTheToken: Another user of the machine who connects to the port gets the files of the page, and nothing
// else.
func TestEveryRouteNeedsTheToken(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	token := s.open(Visit{})
	for _, route := range allRoutes() {
		for _, wrong := range []string{"", strings.Repeat("A", len(token)), token[1:], token + "x"} {
			if status, _, body := s.request(route[0], route[1], wrong, "{}", nil); status != http.StatusUnauthorized {
				t.Errorf("%s %s with the token %q: %d %s", route[0], route[1], wrong, status, body)
			}
		}
	}
	if len(s.daemon.got("GET "+"/v1/workspaces/ws")) > 0 {
		t.Error("something reached the daemon")
	}
	for _, e := range api.Endpoints() {
		if passes(e) && !strings.Contains(e.Path, "{id}") {
			t.Errorf("%s %s is passed on, and is about no open workfile", e.Method, e.Path)
		}
	}
	for _, path := range []string{"/v1/version", "/v1/server", "/v1/kv?scope=machine&key=k", "/metrics", "/v1/triggers", "/v1/proof?nonce=00", "/v1/workspaces"} {
		if status, _, _ := s.request("GET", path, token, "", nil); status != http.StatusNotFound {
			t.Errorf("%s is passed on: %d", path, status)
		}
	}
	for _, path := range []string{"/v1/server/stop", "/v1/triggers/secret", "/v1/workspaces", "/v1/move"} {
		if status, _, _ := s.request("POST", path, token, "{}", nil); status != http.StatusMethodNotAllowed && status != http.StatusNotFound {
			t.Errorf("%s is passed on: %d", path, status)
		}
	}
}

// TestOtherSites: Requests that a browser sends for another site, or for another name of this one, are refused before
// anything else.
func TestOtherSites(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	token := s.open(Visit{})
	_, port, _ := strings.Cut(s.host, ":")
	cases := []struct {
		name   string
		host   string
		header map[string]string
		passes bool
	}{
		{name: "the page", header: map[string]string{"Origin": s.origin, "Sec-Fetch-Site": "same-origin"}, passes: true},
		{name: "a GET of the page has no origin", header: map[string]string{"Sec-Fetch-Site": "same-origin"}, passes: true},
		{name: "typed", header: map[string]string{"Sec-Fetch-Site": "none"}, passes: true},
		{name: "rebound name", host: "evil.example:" + port},
		{name: "rebound name with our origin", host: "evil.example:" + port, header: map[string]string{"Origin": s.origin}},
		{name: "localhost", host: "localhost:" + port},
		{name: "other loopback address", host: "127.0.0.2:" + port},
		{name: "other port", host: "127.0.0.1:1"},
		{name: "no port", host: "127.0.0.1"},
		{name: "origin", header: map[string]string{"Origin": "https://evil.example"}},
		{name: "origin with our address in it", header: map[string]string{"Origin": s.origin + ".evil.example"}},
		{name: "null origin", header: map[string]string{"Origin": "null"}},
		{name: "other port of this machine", header: map[string]string{"Origin": "http://127.0.0.1:1"}},
		{name: "cross-site", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		{name: "same-site", header: map[string]string{"Sec-Fetch-Site": "same-site"}},
		{name: "cross-site navigation to data", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}},
	}
	for _, path := range []string{"/session", "/workfiles", api.GetStatus.At("ws")} {
		for _, tc := range cases {
			status, header, body := s.request("GET", path, token, "", func(r *http.Request) {
				if tc.host != "" {
					r.Host = tc.host
				}
				for k, v := range tc.header {
					r.Header.Set(k, v)
				}
			})
			if (status != http.StatusForbidden) != tc.passes {
				t.Errorf("%s from %s: %d %s", path, tc.name, status, body)
			}
			for name := range header {
				if strings.HasPrefix(name, "Access-Control") {
					t.Errorf("%s allows other sites: %s", path, name)
				}
			}
		}
	}
	// A link from elsewhere may open the page. A frame may not.
	for dest, want := range map[string]int{"document": http.StatusOK, "iframe": http.StatusForbidden} {
		if status, _, _ := s.request("GET", "/", "", "", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", dest)
		}); status != want {
			t.Errorf("a navigation as %s: %d", dest, status)
		}
	}
}

// TestForms: What a form of another site can send is no request, even without the headers of new browsers.
func TestForms(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	token := s.open(Visit{})
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""} {
		for _, path := range []string{"/open", api.StartRun.At("ws"), api.DecideApproval.At("ws")} {
			status, _, _ := s.request("POST", path, token, "{}", func(r *http.Request) { r.Header.Set("Content-Type", kind) })
			if status != http.StatusBadRequest {
				t.Errorf("%s as %q: %d", path, kind, status)
			}
		}
		if status, _, _ := s.request("POST", "/session", "", `{"code":"`+code(s.Invite(Visit{}))+`"}`, func(r *http.Request) { r.Header.Set("Content-Type", kind) }); status != http.StatusBadRequest {
			t.Errorf("/session as %q: %d", kind, status)
		}
	}
}

// TestHeaders: The policy of every answer forbids inline scripts, other origins and frames; data are not stored.
func TestHeaders(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	token := s.open(Visit{})
	s.daemon.answer("GET", api.GetStatus.Path, two())
	for path, store := range map[string]string{"/": "no-cache", "/main.js": "no-cache", "/workfiles": "no-store", api.GetStatus.At("ws"): "no-store", "/session": "no-store"} {
		_, h, _ := s.request("GET", path, token, "", nil)
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(h.Get("Content-Security-Policy"), want) {
				t.Errorf("%s: no %s", path, want)
			}
		}
		if csp := h.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
			t.Errorf("%s: %s", path, csp)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": store, "Set-Cookie": ""} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
	}
}

// TestWebSocketOfAnotherSite: Only the page itself may open the WebSocket, and nothing is sent before its token.
func TestWebSocketOfAnotherSite(t *testing.T) {
	s := serve(t, newFakeDaemon(t, two()))
	address := strings.Replace(s.origin, "http", "ws", 1) + "/live"
	for _, origin := range []string{"", "https://evil.example", "http://127.0.0.1:1", "null"} {
		h := http.Header{}
		if origin != "" {
			h.Set("Origin", origin)
		}
		if conn, _, err := websocket.DefaultDialer.Dial(address, h); err == nil {
			t.Errorf("opened from %q", origin)
			conn.Close()
		}
	}
	for _, token := range []string{"", "wrong"} {
		p := s.dial()
		p.send(question{Token: token, File: theFile})
		if m := p.next(); m.Error == nil || m.Error.Code != api.CodeRefused || m.Graph != nil {
			t.Errorf("with the token %q: %+v", token, m)
		}
	}
	if len(s.daemon.got("POST")) > 0 {
		t.Error("a workfile was opened")
	}
}

// TestOnlyLoopback: Other addresses, and names, are refused with the way out.
func TestOnlyLoopback(t *testing.T) {
	for address, ok := range map[string]bool{"127.0.0.1:0": true, "[::1]:0": true, "127.3.2.1:0": true, "0.0.0.0:0": false, ":0": false, "[::]:0": false,
		"192.168.1.2:80": false, "localhost:0": false, "127.0.0.1": false, "": false} {
		err := CheckAddress(address)
		if (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "loopback") && !strings.Contains(describe(err).Fix, "ssh -L") {
			t.Errorf("%q: the fix is %q", address, describe(err).Fix)
		}
	}
	if _, err := Listen("0.0.0.0:0"); err == nil {
		t.Error("listens for the network")
	}
}

// endless is a listener to which somebody connects all the time.
type endless struct{ net.Listener }

func (endless) Accept() (net.Conn, error) {
	here, _ := net.Pipe()
	return here, nil
}

func (endless) Close() error { return nil }

// TestConnectionsAreLimited: Connections beyond the limit wait until others are closed, and the end of the listener does not.
func TestConnectionsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit(endless{}, 2)
		var accepted []net.Conn
		var ended error
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					ended = err
					return
				}
				accepted = append(accepted, conn)
			}
		}()
		synctest.Wait()
		if len(accepted) != 2 {
			t.Fatalf("%d connections", len(accepted))
		}
		first := accepted[0]
		first.Close()
		first.Close() // as often as net/http likes
		synctest.Wait()
		if len(accepted) != 3 {
			t.Fatalf("%d connections after one was closed", len(accepted))
		}
		l.Close()
		synctest.Wait()
		if ended == nil {
			t.Error("it still waits")
		}
	})
}

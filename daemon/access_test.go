package daemon

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"wf/api"
)

func TestAccessToThePort(t *testing.T) {
	r := start(t, nil)
	own := strings.TrimPrefix(r.reg.URL, "http://")
	_, port, _ := strings.Cut(own, ":")
	cases := []struct {
		name   string
		header map[string]string
		passes bool
	}{
		{"token", nil, true},
		{"other loopback literal", map[string]string{"Host": "[::1]:" + port}, true},
		{"our own origin", map[string]string{"Origin": r.reg.URL, "Sec-Fetch-Site": "same-origin", "Referer": r.reg.URL + "/x"}, true},
		{"no token", map[string]string{"Authorization": ""}, false},
		{"wrong token", map[string]string{"Authorization": "Bearer " + strings.Repeat("A", 43)}, false},
		{"token without its word", map[string]string{"Authorization": r.reg.Token}, false},
		{"rebound name", map[string]string{"Host": "evil.example:" + port}, false},
		{"name of the machine", map[string]string{"Host": "localhost:" + port}, false},
		{"other port", map[string]string{"Host": "127.0.0.1:1"}, false},
		{"no port", map[string]string{"Host": "127.0.0.1"}, false},
		{"host of the socket", map[string]string{"Host": api.SocketHost}, false},
		{"origin", map[string]string{"Origin": "https://evil.example"}, false},
		{"null origin", map[string]string{"Origin": "null"}, false},
		{"origin with a user", map[string]string{"Origin": "http://x@" + own}, false},
		{"origin of another port", map[string]string{"Origin": "http://127.0.0.1:1"}, false},
		{"referer", map[string]string{"Referer": "http://evil.example/"}, false},
		{"cross-site", map[string]string{"Sec-Fetch-Site": "cross-site"}, false},
		{"same-site", map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		{"none", map[string]string{"Sec-Fetch-Site": "none"}, false},
	}
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			req, _ := http.NewRequest("GET", r.reg.URL+api.GetVersion.Path, nil)
			req.Header.Set("Authorization", "Bearer "+r.reg.Token)
			for k, v := range tc.header {
				req.Header.Set(k, v)
			}
			if host, ok := tc.header["Host"]; ok {
				req.Host = host
			}
			e := r.do(c, req, nil)
			if (e == nil) != tc.passes {
				t.Errorf("answer %v, passes should be %v", e, tc.passes)
			}
			if e != nil && e.Code != api.CodeRefused {
				t.Errorf("code %q", e.Code)
			}
		})
	}
}

func TestEveryRouteNeedsTheToken(t *testing.T) {
	r := start(t, nil)
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, route := range append((&daemon{}).table(), endpoint{Endpoint: api.Endpoint{Method: "GET", Path: "/nowhere"}}) {
		if route.Path == api.ProvePort.Path {
			continue // TestPortProvesItself
		}
		path := strings.NewReplacer("{id}", "x", "{run}", "1").Replace(route.Path)
		req, _ := http.NewRequest(route.Method, r.reg.URL+path, nil)
		if e := r.do(c, req, nil); e == nil || e.Code != api.CodeRefused {
			t.Errorf("%s %s without a token: %v", route.Method, path, e)
		}
	}
}

func TestAccessToTheSocket(t *testing.T) {
	for name, header := range map[string][2]string{
		"host":   {"Host", "127.0.0.1:5049"},
		"origin": {"Origin", "http://" + api.SocketHost},
		"site":   {"Sec-Fetch-Site", "same-origin"},
	} {
		t.Run(name, func(t *testing.T) {
			req := httptest.NewRequest("GET", "/", nil)
			req.Host = api.SocketHost
			if e := socketAccess().refuse(req); e != nil {
				t.Fatalf("plain request: %v", e)
			}
			req.Header.Set(header[0], header[1])
			if header[0] == "Host" {
				req.Host = header[1]
			}
			if socketAccess().refuse(req) == nil {
				t.Error("passes")
			}
		})
	}
}

func TestEveryValueOfAHeaderIsChecked(t *testing.T) {
	d := access{host: func(string) bool { return true }, origin: "http://127.0.0.1:1", token: "t"}
	req := httptest.NewRequest("GET", "/", nil)
	req.Header["Origin"] = []string{"http://127.0.0.1:1", "http://evil.example"}
	req.Header.Set("Authorization", "Bearer t")
	if d.refuse(req) == nil {
		t.Error("a second Origin passes")
	}
	req.Header.Del("Origin")
	req.Header.Add("Authorization", "Bearer x")
	if d.refuse(req) == nil {
		t.Error("two tokens pass")
	}
}

func TestWebSocketOfAnotherSite(t *testing.T) {
	r := start(t, nil)
	_, path := r.open("w")
	url := "ws" + strings.TrimPrefix(r.reg.URL, "http") + path + "/events"
	h := http.Header{"Authorization": {"Bearer " + r.reg.Token}}
	conn, _, err := websocket.DefaultDialer.Dial(url, h)
	if err != nil {
		t.Fatalf("with the token: %v", err)
	}
	conn.Close()
	for name, change := range map[string]func(http.Header){
		"origin":   func(h http.Header) { h.Set("Origin", "http://evil.example") },
		"no token": func(h http.Header) { h.Del("Authorization") },
	} {
		h := h.Clone()
		change(h)
		conn, resp, err := websocket.DefaultDialer.Dial(url, h)
		if err == nil {
			conn.Close()
			t.Errorf("%s: connected", name)
		} else if resp == nil || resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPeer(t *testing.T) {
	if checkPeer(1000, 1000) != nil {
		t.Error("the own user is refused")
	}
	for _, uid := range []int{0, 1001} {
		if checkPeer(uid, 1000) == nil {
			t.Errorf("user %d is let in", uid)
		}
	}
}

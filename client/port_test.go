package client

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"wf/api"
)

// TestVerifyPort checks that only the server at the address of the registry that knows its token is trusted, and that
// no server gets the token.
func TestVerifyPort(t *testing.T) {
	const token = "the token of the registry"
	var address atomic.Value // of the server under test
	prove := func(token string, at func() string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"proof":"`+api.PortProof(token, at(), r.URL.Query().Get("nonce"))+`"}`)
		}
	}
	here := func() string { return address.Load().(string) }
	for _, tc := range []struct {
		name    string
		handle  http.HandlerFunc
		trusted bool
	}{
		{"the daemon", prove(token, here), true},
		{"one with another token", prove("guessed", here), false},
		{"one that passes on the question", prove(token, func() string { return "127.0.0.1:5049" }), false},
		{"one that sends to another", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:5049"+r.URL.Path, http.StatusFound)
		}, false},
		{"one that says yes to everything", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"proof":""}`) }, false},
		{"an older daemon", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"code":"refused"}`, http.StatusForbidden)
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if text := r.Header.Get("Authorization") + r.URL.String(); strings.Contains(text, url.QueryEscape(token)) || strings.Contains(text, token) {
					t.Errorf("the token was sent: %s", text)
				}
				tc.handle(w, r)
			}))
			defer srv.Close()
			address.Store(strings.TrimPrefix(srv.URL, "http://"))
			dir := t.TempDir()
			writeRegistry(t, dir, api.Registry{PID: 1, Socket: dir + "/none", URL: srv.URL, Token: token}, 0o600)
			c := newClient(Options{Runtime: dir})
			defer c.Close()
			err := c.VerifyPort(t.Context())
			if (err == nil) != tc.trusted {
				t.Errorf("got %v", err)
			}
			var u *UnreachableError
			if err != nil && (!errors.As(err, &u) || !errors.Is(err, errNoProof)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

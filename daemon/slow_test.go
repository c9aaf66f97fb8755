package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"wf/api"
)

// dial opens a raw connection to a listener of the daemon.
func (r *running) dial(network string) net.Conn {
	r.t.Helper()
	address := r.reg.Socket
	if network == "tcp" {
		address = strings.TrimPrefix(r.reg.URL, "http://")
	}
	conn, err := net.Dial(network, address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		r.t.Fatal(err)
	}
	return conn
}

// TestSlowClientsAreCut checks that a client that does not complete its request is disconnected, with a right or wrong
// token, and with or without a handler that reads the body.
func TestSlowClientsAreCut(t *testing.T) {
	r := start(t, func(c *Config) {
		c.sending = sending{header: 300 * time.Millisecond, body: 600 * time.Millisecond}
	})
	own := strings.TrimPrefix(r.reg.URL, "http://")
	token := "Authorization: Bearer " + r.reg.Token + "\r\n"
	body := "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
	for _, tc := range []struct{ name, network, text string }{
		{"nothing", "tcp", ""},
		{"half a header", "tcp", "GET / HTTP/1.1\r\nHost: x\r\nX-"},
		{"half a header on the socket", "unix", "GET / HTTP/1.1\r\nHost: x\r\nX-"},
		{"half a body", "tcp", "POST " + api.OpenWorkspace.Path + " HTTP/1.1\r\nHost: " + own + "\r\n" + token + body},
		{"half a body on the socket", "unix", "POST " + api.OpenWorkspace.Path + " HTTP/1.1\r\nHost: wf.sock\r\n" + body},
		{"half a body without a reader", "unix", "POST /nowhere HTTP/1.1\r\nHost: wf.sock\r\n" + body},
		{"half a body of the wrong kind", "unix", "POST " + api.OpenWorkspace.Path + " HTTP/1.1\r\nHost: wf.sock\r\nContent-Length: 50\r\n\r\n{"},
		{"half a body of a stranger", "tcp", "POST " + api.OpenWorkspace.Path + " HTTP/1.1\r\nHost: " + own + "\r\n" + body},
		{"half a body in chunks", "tcp", "POST " + api.OpenWorkspace.Path + " HTTP/1.1\r\nHost: " + own + "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			conn := r.dial(tc.network)
			if _, err := io.WriteString(conn, tc.text); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection is kept")
			}
		})
	}
}

// TestLargeHeadersAreRefused checks that a request without a token cannot fill the memory.
func TestLargeHeadersAreRefused(t *testing.T) {
	r := start(t, nil)
	for _, network := range []string{"tcp", "unix"} {
		conn := r.dial(network)
		go func() {
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: wf.sock\r\n", api.GetVersion.Path)
			line := "X-Large: " + strings.Repeat("x", 1000) + "\r\n"
			for range 10 * headerBytes / len(line) {
				if _, err := io.WriteString(conn, line); err != nil {
					return
				}
			}
			io.WriteString(conn, "\r\n")
		}()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			continue // disconnected before the answer could be read
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%s: status %d", network, resp.StatusCode)
		}
	}
}

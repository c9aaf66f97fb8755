package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"wf/api"
)

// errorBytes bounds the size of an error response.
const errorBytes = 1 << 20

// call sends a request to the daemon and returns its answer. values fill the placeholders of the route.
func call[Q, A any](ctx context.Context, c *Client, route api.Route[Q, A], q Q, values ...string) (A, error) {
	req, err := newRequest(route, q, values...)
	if err != nil {
		return *new(A), err
	}
	return answer[A](ctx, c, req, nil)
}

// attempt sends a request once, to the daemon that was found last, and returns the body of a successful response.
func (c *Client) attempt(ctx context.Context, q *request) (io.ReadCloser, error) {
	u := url.URL{Scheme: "http", Host: api.SocketHost, RawQuery: q.query.Encode()}
	req, err := http.NewRequestWithContext(ctx, q.method, u.String(), bytes.NewReader(q.body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", q.method, q.path, err)
	}
	// path is escaped already (api.Endpoint.At); Opaque keeps a run called "a/b" one segment.
	req.URL.Opaque = "//" + api.SocketHost + q.path
	req.Header = q.header(c)
	begin := time.Now()
	ctx, answered := c.limitSilence(ctx)
	resp, err := c.http.Do(req.WithContext(ctx))
	answered()
	if err != nil {
		c.trace("request", "method", q.method, "path", q.path, "query", u.RawQuery, "bytes", len(q.body), "took", time.Since(begin), "err", err)
		return nil, connectionError(ctx, err)
	}
	c.trace("request", "method", q.method, "path", q.path, "query", u.RawQuery, "bytes", len(q.body), "took", time.Since(begin), "status", resp.StatusCode)
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return resp.Body, nil
}

// header returns the headers of every request.
func (c *Client) header() http.Header {
	h := http.Header{}
	h.Set(api.HeaderClient, c.id)
	if user := headerText(c.opt.User); user != "" {
		h.Set(api.HeaderUser, user)
	}
	if c.opt.Version != "" {
		h.Set(api.HeaderVersion, c.opt.Version)
	}
	return h
}

// headerText returns text without the characters that a header cannot have.
func headerText(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text))
}

// refusal returns the error in a response. A response without an api.Error comes from another program, or from a bug
// of the daemon.
func refusal(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, errorBytes))
	var e api.Error
	if json.Unmarshal(body, &e) == nil && e.Message != "" {
		return &e
	}
	return &api.Error{Code: api.CodeInternal, Message: "the daemon answered with HTTP status " + resp.Status}
}

// connectionError returns the error for a connection that broke.
func connectionError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var u *UnreachableError
	if errors.As(err, &u) {
		return u
	}
	return &UnreachableError{Doing: talking, Err: err}
}

// notConnected reports whether err shows that no byte has reached a daemon.
func notConnected(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// talking is the Doing of errors from connectionError.
const talking = "talk to the daemon"

// connectionBroke reports whether err comes from connectionError: the daemon died during the request, or was no daemon. A request that
// changes nothing may then be sent again.
func connectionBroke(err error) bool {
	var u *UnreachableError
	return errors.As(err, &u) && u.Doing == talking
}

// code returns the code of an error from the daemon, "" for other errors.
func code(err error) api.Code {
	var e *api.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

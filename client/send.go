package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"wf/api"
)

// A request may be sent several times. One that changes something has a key, by which the
// daemon, also one that was started since, recognizes a request that was served already. So a request without an
// answer is sent again until Options.Timeout is over:
//
//   - No daemon answered, or the daemon is ending: the request is sent again.
//   - The connection broke: a request that changes nothing is sent again; a request that changes something only to a daemon
//     that supports keys.
//   - The workspace is not open: it is opened, and the request sent again.
type request struct {
	method, path string
	query        url.Values
	body         []byte
	key          string // "" if it changes nothing
	repeated     bool   // a daemon may have received it already
}

// newRequest encodes a request. values fill the placeholders of the route.
func newRequest[Q, A any](route api.Route[Q, A], q Q, values ...string) (*request, error) {
	out := &request{method: route.Method, path: route.At(values...)}
	_, none := any(q).(api.None)
	switch {
	case none:
	case route.Method == http.MethodGet:
		out.query = api.EncodeQuery(q)
	default:
		body, err := encode(q)
		if err != nil {
			return nil, fmt.Errorf("encode %s %s: %w", out.method, out.path, err)
		}
		out.body = body
	}
	if route.ChangesSomething() {
		var b [16]byte
		rand.Read(b[:]) // never fails
		out.key = hex.EncodeToString(b[:])
	}
	return out, nil
}

// header returns the headers of the request, with those that mark a repeated one.
func (q *request) header(c *Client) http.Header {
	h := c.header()
	if q.body != nil {
		h.Set("Content-Type", "application/json")
	}
	if q.key != "" {
		h.Set(api.HeaderRequest, q.key)
		if c.origin != "" {
			h.Set(api.HeaderOrigin, c.origin)
		}
	}
	if q.key != "" && q.repeated {
		h.Set(api.HeaderAgain, "1")
	}
	return h
}

// mayRepeat reports whether the request may be sent again after err, to the same or to another daemon.
func (q *request) mayRepeat(c *Client, err error) bool {
	switch {
	case notConnected(err):
		return true
	case code(err) == api.CodeGone: // the daemon ends, perhaps in the middle of the request
	case !connectionBroke(err):
		return false
	}
	if q.key != "" && !c.daemon.Load().info.Requests {
		return code(err) == api.CodeGone
	}
	q.repeated = true
	return true
}

// answer sends a request until there is an answer. open, if not nil, opens the workspace of the request when the
// daemon does not have it.
func answer[T any](ctx context.Context, c *Client, q *request, open func() error) (T, error) {
	return sendUntilAnswered(ctx, c, q, open, func() (out T, err error) {
		return out, receive(ctx, c, q, &out)
	})
}

// sendUntilAnswered is answer for any way to send a request.
func sendUntilAnswered[T any](ctx context.Context, c *Client, q *request, open func() error, try func() (T, error)) (T, error) {
	end := time.Now().Add(c.opt.Timeout)
	opened := false
	for wait := firstWait; ; wait = min(2*wait, lastWait) {
		out, err := try()
		if err == nil {
			return out, nil
		}
		late := time.Now().After(end)
		switch {
		case code(err) == api.CodeNotFound && open != nil && !opened:
			// A request about a run that does not exist is sent twice, too; that is rare and harmless.
			opened = true
			if failed := open(); failed != nil {
				return out, failed
			}
		case late || !q.mayRepeat(c, err):
			return out, err
		default:
			failed := c.awaitNext(ctx, err, wait)
			if opened = code(err) == api.CodeGone && open != nil; opened && failed == nil {
				failed = open() // it may be the workspace that is closing
			}
			if failed != nil {
				return out, failed
			}
		}
	}
}

// awaitNext finds the next daemon after an error that shows that the last one has ended or is ending. A daemon that was
// stopped on purpose is not started again.
func (c *Client) awaitNext(ctx context.Context, err error, wait time.Duration) error {
	if !notConnected(err) {
		if failed := sleep(ctx, wait); failed != nil {
			return failed
		}
	}
	return c.reach(ctx, startPolicy{start: !c.stoppedOnPurpose()})
}

// receive sends a request once and decodes the answer into out.
func receive(ctx context.Context, c *Client, q *request, out any) error {
	answer, err := c.attempt(ctx, q)
	if err != nil {
		return err
	}
	defer answer.Close()
	data, err := io.ReadAll(answer)
	if err == nil {
		err = decode(data, out)
	}
	if err != nil {
		return connectionError(ctx, err)
	}
	return nil
}

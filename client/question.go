package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"wf/api"
)

// A question is one request, however often it has to be sent. What changes something bears a key, by which the
// daemon, also one that has been started since, knows a request that it has served already. So a question whose
// answer did not come is asked again, whatever it is, until Options.Timeout is over:
//
//   - No daemon answered, or the daemon said that it is ending: it is asked again.
//   - The answer broke off: what changes nothing is asked again; what changes something only of a daemon that
//     knows keys.
//   - The workspace is not open: it is opened, and the question asked again.
type question struct {
	method, path string
	query        url.Values
	body         []byte
	key          string // "" for what changes nothing
	again        bool   // a daemon may have got it already
}

// newQuestion encodes a question. values fill the placeholders of the route.
func newQuestion[Q, A any](route api.Route[Q, A], q Q, values ...string) (*question, error) {
	out := &question{method: route.Method, path: route.At(values...)}
	_, none := any(q).(api.None)
	switch {
	case none:
	case route.Method == http.MethodGet:
		out.query = api.EncodeQuery(q)
	default:
		body, err := json.Marshal(q)
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

// header is that of the client with what tells a repeated question from a new one.
func (q *question) header(c *Client) http.Header {
	h := c.header()
	if q.body != nil {
		h.Set("Content-Type", "application/json")
	}
	if q.key != "" {
		h.Set(api.HeaderRequest, q.key)
	}
	if q.key != "" && q.again {
		h.Set(api.HeaderAgain, "1")
	}
	return h
}

// repeat says whether a question is to be asked again after an error, of the daemon that was found then or of
// another one.
func (q *question) repeat(c *Client, err error) bool {
	switch {
	case notDialled(err):
		return true
	case code(err) == api.CodeGone: // it ends, perhaps in the middle of what was asked
	case !brokenOff(err):
		return false
	}
	if q.key != "" && !c.daemon.Load().info.Requests {
		return code(err) == api.CodeGone
	}
	q.again = true
	return true
}

// answer asks until there is an answer. open, which may be nil, is called when the daemon does not have the
// workspace of the question.
func answer[T any](ctx context.Context, c *Client, q *question, open func() error) (T, error) {
	return persist(ctx, c, q, open, func() (out T, err error) {
		return out, receive(ctx, c, q, &out)
	})
}

// persist is answer for any way to send a question.
func persist[T any](ctx context.Context, c *Client, q *question, open func() error, try func() (T, error)) (T, error) {
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
			// A thing that does not exist is asked for twice; that happens rarely and does no harm.
			opened = true
			if failed := open(); failed != nil {
				return out, failed
			}
		case late || !q.repeat(c, err):
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

// awaitNext finds the daemon after an error that says that it is gone, or going. A daemon that was stopped
// on purpose is not started again.
func (c *Client) awaitNext(ctx context.Context, err error, wait time.Duration) error {
	if !notDialled(err) {
		if failed := sleep(ctx, wait); failed != nil {
			return failed
		}
	}
	return c.reach(ctx, reaching{start: !c.dismissed()})
}

// receive asks the daemon once and decodes its answer into out.
func receive(ctx context.Context, c *Client, q *question, out any) error {
	answer, err := c.attempt(ctx, q)
	if err != nil {
		return err
	}
	defer answer.Close()
	dec := json.NewDecoder(answer)
	dec.UseNumber() // outputs and parameters are of any type: a number stays as it is written
	if err := dec.Decode(out); err != nil {
		return lost(ctx, err)
	}
	_, _ = io.Copy(io.Discard, answer) // so that the connection can be used again
	return nil
}

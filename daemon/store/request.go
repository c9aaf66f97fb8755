package store

import (
	"bytes"
	"context"
	"time"
)

// requestTime is how long a request is recognized. Clients repeat one for some seconds.
const requestTime = 10 * time.Minute

// requests returns the scope of the outcomes of requests, by their keys. No other scope has this name, because the names of
// workfiles and runs have prefixes.
func requests() Scope { return Scope{"requests"} }

type requestKey struct{}

// WithRequest returns a context that gives a change the key of its request. Another change with the same key changes
// nothing and has the same outcome, also in the next process: one transaction stores the change and its outcome.
func WithRequest(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, requestKey{}, key)
}

// changeOnce is change for changes that must not be made twice. c stores its outcome in out.
func (s *Store) changeOnce(ctx context.Context, c *change, out *Outcome) error {
	key, _ := ctx.Value(requestKey{}).(string)
	if key == "" {
		return s.change(ctx, c)
	}
	if err := checkKey(key); err != nil {
		return err
	}
	do := c.do
	c.do = func(t *turn) error {
		known, err := t.find(requests(), key)
		if err != nil {
			return err
		}
		if known.found {
			*out = decodeOutcome(known.value)
			return nil
		}
		if err := do(t); err != nil || !out.Done {
			return err // nothing was changed, so a repeated request may be served again
		}
		return t.put(requests(), []byte(key), Terms{TTL: requestTime}.expires(t.now), encodeOutcome(*out))
	}
	return s.change(ctx, c)
}

// encodeOutcome encodes the outcome of a change for the disk: expiry, whether there is a value, the value.
func encodeOutcome(out Outcome) []byte {
	expires := int64(noExpiry)
	if !out.Expires.IsZero() {
		expires = out.Expires.UnixMilli()
	}
	b := appendTime(make([]byte, 0, timeBytes+1+len(out.Value)), expires)
	if !out.Found {
		return append(b, 0)
	}
	return append(append(b, 1), out.Value...)
}

func decodeOutcome(b []byte) Outcome {
	out := Outcome{Done: true}
	if len(b) > timeBytes && b[timeBytes] == 1 {
		out.Found, out.Expires, out.Value = true, expiryTime(readTime(b)), bytes.Clone(b[timeBytes+1:])
	}
	return out
}

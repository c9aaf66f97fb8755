package store

import (
	"bytes"
	"context"
	"time"
)

// requestTime is how long a request is known again. Clients repeat one for some seconds.
const requestTime = 10 * time.Minute

// requests is the scope of what was answered to requests, by their keys. No other scope has this name: those of
// workfiles and runs begin with other words.
func requests() Scope { return Scope{"requests"} }

type requestKey struct{}

// WithRequest gives a change the key of the request that asks for it. Another change with the same key changes
// nothing and has the same outcome, also in the next process: the two are kept in one transaction.
func WithRequest(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, requestKey{}, key)
}

// changeOnce is change for what must not be done twice. c has its outcome in out.
func (s *Store) changeOnce(ctx context.Context, c *change, out *Outcome) error {
	key, _ := ctx.Value(requestKey{}).(string)
	if key == "" {
		return s.change(ctx, c)
	}
	if err := CheckKey(key); err != nil {
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
			return err // to do nothing twice is the same as to do it later
		}
		return t.put(requests(), []byte(key), Terms{TTL: requestTime}.expires(t.now), encodeOutcome(*out))
	}
	return s.change(ctx, c)
}

// An outcome on the disk: when the value expires, whether there is one, the value. It is that of a change.
func encodeOutcome(out Outcome) []byte {
	expires := int64(neverEnds)
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

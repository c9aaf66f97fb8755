package store

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// An Outcome is the state of a key when a call returns.
type Outcome struct {
	// Done: the value was changed. Otherwise a condition was not met, or there was nothing to delete.
	Done    bool
	Found   bool
	Value   []byte    // the caller's own
	Expires time.Time // UTC, in milliseconds; zero = never
}

// Terms are the expiry and the conditions of a change. The zero value has none.
type Terms struct {
	TTL      time.Duration // from now to the expiry; 0 = it does not expire
	IfAbsent bool          // only if the key has no value
	If       *[]byte       // only if the value is this one; nil = any
}

// met reports whether the conditions hold.
func (w Terms) met(e entry) bool {
	switch {
	case w.IfAbsent && e.found:
		return false
	case w.If != nil:
		return e.found && bytes.Equal(e.value, *w.If)
	}
	return true
}

// expires returns when a value that is written now expires, at least one millisecond later.
func (w Terms) expires(now int64) int64 {
	if w.TTL <= 0 {
		return noExpiry
	}
	return now + max(w.TTL.Milliseconds(), 1)
}

// outcome returns e as an Outcome.
func outcome(done bool, e entry) Outcome {
	return Outcome{Done: done, Found: e.found, Value: bytes.Clone(e.value), Expires: expiryTime(e.expires)}
}

// Set sets the value of key if the conditions of terms are met; otherwise the outcome has the present value. The change is
// on the disk when Set returns.
func (s *Store) Set(ctx context.Context, scope Scope, key string, value []byte, terms Terms) (Outcome, error) {
	if err := checkKey(key); err != nil {
		return Outcome{}, err
	}
	if err := checkValue(value); err != nil {
		return Outcome{}, err
	}
	var out Outcome
	err := s.changeOnce(ctx, &change{makes: true, size: len(value), do: func(t *turn) error {
		if terms.IfAbsent || terms.If != nil {
			is, err := t.find(scope, key)
			if err != nil {
				return err
			}
			if !terms.met(is) {
				out = outcome(false, is)
				return nil
			}
		}
		is := entry{true, terms.expires(t.now), value}
		out = outcome(true, is)
		return t.put(scope, []byte(key), is.expires, value)
	}}, &out)
	return out, err
}

// Delete removes the value of key, with only, if not nil, only if that is the value. Without only it also removes a damaged
// value.
func (s *Store) Delete(ctx context.Context, scope Scope, key string, only *[]byte) (Outcome, error) {
	if err := checkKey(key); err != nil {
		return Outcome{}, err
	}
	var out Outcome
	looked := false
	err := s.changeOnce(ctx, &change{do: func(t *turn) error {
		looked = true
		is, err := t.find(scope, key)
		var own *Error
		if err != nil && (only != nil || !errors.As(err, &own) || own.Kind != Damaged) {
			return err
		}
		if err == nil && (!is.found || !(Terms{If: only}).met(is)) {
			out = outcome(false, is)
			return nil
		}
		b, err := t.bucket(scope, false)
		if err != nil {
			return err
		}
		out = Outcome{Done: true}
		return t.remove(b, scope, []byte(key))
	}}, &out)
	if err == nil && !looked && !out.Done { // there is no file
		err = s.checkRun(scope)
	}
	return out, err
}

// Add adds by to the integer that is the value of key; no value counts as 0. The expiry does not change unless ttl, from
// now, is given.
func (s *Store) Add(ctx context.Context, scope Scope, key string, by int64, ttl time.Duration) (Outcome, error) {
	if err := checkKey(key); err != nil {
		return Outcome{}, err
	}
	var out Outcome
	err := s.changeOnce(ctx, &change{makes: true, do: func(t *turn) error {
		is, err := t.find(scope, key)
		if err != nil {
			return err
		}
		sum, err := add(key, is, by)
		if err != nil {
			return err
		}
		if ttl > 0 {
			is.expires = Terms{TTL: ttl}.expires(t.now)
		}
		is.found, is.value = true, strconv.AppendInt(nil, sum, 10)
		out = outcome(true, is)
		return t.put(scope, []byte(key), is.expires, is.value)
	}}, &out)
	return out, err
}

// shownValue bounds how much of a value an error quotes, in bytes.
const shownValue = 40

func add(key string, is entry, by int64) (int64, error) {
	if !is.found {
		return by, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(is.value)), 10, 64)
	if err != nil {
		shown := is.value[:min(len(is.value), shownValue)]
		return 0, refuse(Unfit, "the value of %q is not a whole number of 64 bits: %q", key, shown)
	}
	if by > 0 && n > math.MaxInt64-by || by < 0 && n < math.MinInt64-by {
		return 0, refuse(Unfit, "the value of %q is %d: adding %d goes beyond 64 bits", key, n, by)
	}
	return n + by, nil
}

// find returns the value of a key for a change.
func (t *turn) find(scope Scope, key string) (entry, error) {
	b, err := t.bucket(scope, false)
	if err == nil && b == nil {
		err = t.s.checkRun(scope)
	}
	if err != nil {
		return entry{}, err
	}
	return t.s.find(b, []byte(key), t.now)
}

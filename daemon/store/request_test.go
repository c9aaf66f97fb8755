package store

import (
	"testing"
	"testing/quick"
	"time"
)

// TestRequestIsServedOnce checks that a change with the key of an earlier one changes nothing and returns the same outcome,
// also after the file was opened again.
func TestRequestIsServedOnce(t *testing.T) {
	dir := t.TempDir()
	open := func() *Store { return New(dir+"/kv.db", func(string, int) bool { return true }) }
	s := open()
	value := []byte("mine")
	for round := range 3 {
		if n, err := s.Add(WithRequest(t.Context(), "a"), Machine(), "n", 2, time.Hour); err != nil || string(n.Value) != "2" || !n.Done || n.Expires.IsZero() {
			t.Fatalf("round %d: add: %+v, %v", round, n, err)
		}
		if l, err := s.Set(WithRequest(t.Context(), "s"), Machine(), "lock", value, Terms{IfAbsent: true}); err != nil || !l.Done || string(l.Value) != "mine" {
			t.Fatalf("round %d: set: %+v, %v", round, l, err)
		}
		if round == 0 {
			if _, err := s.Set(t.Context(), Machine(), "gone", nil, Terms{}); err != nil {
				t.Fatal(err)
			}
		}
		if d, err := s.Delete(WithRequest(t.Context(), "d"), Machine(), "gone", nil); err != nil || !d.Done || d.Found {
			t.Fatalf("round %d: delete: %+v, %v", round, d, err)
		}
		if l, err := s.Set(WithRequest(t.Context(), "other"), Machine(), "lock", nil, Terms{IfAbsent: true}); err != nil || l.Done || string(l.Value) != "mine" {
			t.Fatalf("round %d: another request: %+v, %v", round, l, err)
		}
		s.Close()
		s = open()
	}
	if n, err := s.Add(t.Context(), Machine(), "n", 0, 0); err != nil || string(n.Value) != "2" {
		t.Errorf("%+v, %v", n, err)
	}
	if n, err := s.Add(WithRequest(t.Context(), "b"), Machine(), "n", 1, 0); err != nil || string(n.Value) != "3" {
		t.Errorf("another request: %+v, %v", n, err)
	}
	s.Close()
}

func TestOutcomesOfRequests(t *testing.T) {
	if err := quick.Check(func(value []byte, ms int64, found bool) bool {
		in := Outcome{Done: true}
		if found {
			in.Found, in.Value, in.Expires = true, value, expiryTime(max(ms, -ms, 0)%1e12)
		}
		out := decodeOutcome(encodeOutcome(in))
		return out.Done && out.Found == in.Found && string(out.Value) == string(in.Value) && out.Expires.Equal(in.Expires)
	}, nil); err != nil {
		t.Error(err)
	}
}

package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// claimed is a Claim of a test.
type claimed struct {
	lost     chan struct{}
	released int
}

func (c *claimed) Lost() <-chan struct{} { return c.lost }
func (c *claimed) Release()              { c.released++ }

func TestTheFileIsUsedOnlyWithAClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	s := New(path, func(string, int) bool { return true })
	defer s.Close()
	claim, refusal := &claimed{lost: make(chan struct{})}, error(nil)
	s.ClaimWith(func() (Claim, error) { return claim, refusal })
	ctx := context.Background()
	if _, err := s.Get(ctx, Machine(), "k"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set(ctx, Machine(), "k", []byte("v"), Terms{}); err != nil {
		t.Fatal(err)
	}

	// Another machine takes it over.
	refusal = errors.New("login2 has it")
	close(claim.lost)
	if _, err := s.Set(ctx, Machine(), "k", []byte("w"), Terms{}); !errors.Is(err, refusal) || claim.released != 1 {
		t.Errorf("%v, released %d times", err, claim.released)
	}
	if _, err := s.Get(ctx, Machine(), "k"); !errors.Is(err, refusal) {
		t.Errorf("%v", err)
	}
	claim, refusal = &claimed{}, nil
	if out, err := s.Get(ctx, Machine(), "k"); err != nil || string(out.Value) != "v" {
		t.Errorf("%q %v", out.Value, err)
	}
	s.Close()
	if claim.released != 1 {
		t.Errorf("released %d times", claim.released)
	}
}

package uptodate

import (
	"context"
	"slices"
	"testing"
)

// TestAttempts: an execution that has begun leaves its outputs incomplete until it succeeds, also for a later daemon, which
// can remember its success with what was found before it.
func TestAttempts(t *testing.T) {
	b := newBench(t)
	b.memory.Begin(b.task, b.look(), 7, 2)
	b.reopen()
	if got := b.memory.Incomplete(b.task); !slices.Equal(got, b.task.Outputs) || !b.memory.Untidy() {
		t.Errorf("incomplete: %q", got)
	}
	other := b.task
	other.Outputs = []string{"elsewhere"}
	if got := b.memory.Incomplete(other); len(got) > 0 {
		t.Errorf("incomplete: %q", got)
	}
	for _, wrong := range []*Look{b.memory.Begun("count", 7, 1), b.memory.Begun("count", 8, 2), b.memory.Begun("other", 7, 2)} {
		if wrong != nil {
			t.Error("another execution is taken for this one")
		}
	}
	before := b.memory.Begun("count", 7, 2)
	if before == nil {
		t.Fatal("the execution was forgotten")
	}
	s, err := b.memory.Done(context.Background(), b.task, before, 7)
	if err != nil {
		t.Fatal(err)
	}
	b.memory.Remember(s)
	for range 2 {
		if b.memory.Untidy() || b.memory.Begun("count", 7, 2) != nil || b.look().Success == nil {
			t.Error("its success is not known")
		}
		b.reopen()
	}
	b.memory.Begin(b.task, b.look(), 8, 1)
	before = b.memory.Begun("count", 8, 1)
	write(t, b.folder, "genome.fa=other")
	b.reopen()
	if _, err := b.memory.Done(context.Background(), b.task, before, 8); err == nil {
		t.Error("an input that moved under two daemons is not noticed")
	}
}

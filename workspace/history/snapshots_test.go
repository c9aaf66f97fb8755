package history

import (
	"errors"
	"testing"
)

func TestOlderSnapshotDoesNotReplaceNewerOne(t *testing.T) {
	var s Snapshots
	content, failure := "", errors.New("as planned")
	take := func(text string) func() error {
		return s.Take(func() error { content = text; return nil })
	}
	first, second := take("first"), take("second")
	third := s.Take(func() error { return failure })
	if err := third(); err != failure {
		t.Errorf("a write that fails returned %v", err)
	}
	if second(); content != "second" {
		t.Errorf("%q: a snapshot that failed counts as written", content)
	}
	if first(); content != "second" {
		t.Errorf("%q: the older snapshot replaced the newer one", content)
	}
}

package executor

import (
	"path/filepath"
	"testing"
)

func TestSlots(t *testing.T) {
	folder := filepath.Join(t.TempDir(), outputFolder)
	s, err := openSlots(folder)
	if err != nil {
		t.Fatal(err)
	}
	take := func() *slot {
		t.Helper()
		taken, err := s.take()
		if err != nil {
			t.Fatal(err)
		}
		return taken
	}
	first, second := take(), take()
	s.put(first, true)
	if again := take(); again != first {
		t.Error("a quiet slot is not used again")
	}
	s.put(first, false)
	second.outSize = slotLimit + 1
	s.put(second, true)
	if third := take(); third.number != 3 {
		t.Errorf("slot %d instead of a new one", third.number)
	}
	later, err := openSlots(folder)
	if err != nil || later.last != 3 {
		t.Errorf("the next runner goes on from %d, error %v", later.last, err)
	}
}

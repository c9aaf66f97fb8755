package runner

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"wf/executor/rundir"
)

func TestSlots(t *testing.T) {
	t.Run("merged", func(t *testing.T) { testSlots(t, true) })
	t.Run("split", func(t *testing.T) { testSlots(t, false) })
}

func testSlots(t *testing.T, merged bool) {
	folder := filepath.Join(t.TempDir(), rundir.OutputFolder)
	s, err := openSlots(folder)
	if err != nil {
		t.Fatal(err)
	}
	take := func() *slot {
		t.Helper()
		taken, err := s.take(merged)
		if err != nil {
			t.Fatal(err)
		}
		return taken
	}
	first, second := take(), take()
	s.put(first, true)
	if other, err := s.take(!merged); err != nil || other.merged == merged {
		t.Errorf("slot %+v, error %v: want one of the other kind", other, err)
	}
	if again := take(); again != first || again.merged != merged {
		t.Error("a free slot is not used again")
	}
	s.put(first, false)
	second.outSize = slotLimit + 1
	s.put(second, true)
	if third := take(); third.number != 4 {
		t.Errorf("slot %d instead of a new one", third.number)
	}
	later, err := openSlots(folder)
	if err != nil || later.last != 4 {
		t.Errorf("the next runner goes on from %d, error %v", later.last, err)
	}
}

// TestDamagedSlots moves, removes and cuts the files of slots: the next execution gets other files, and the reported ranges
// are correct.
func TestDamagedSlots(t *testing.T) {
	for name, deed := range map[string]func(path string) error{
		"removed":        os.Remove,
		"moved":          func(path string) error { return os.Rename(path, path+".old") },
		"emptied":        func(path string) error { return os.Truncate(path, 0) },
		"folder removed": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		for i := range 4 {
			free, merged := i%2 == 1, i/2 == 1
			t.Run(name, func(t *testing.T) {
				s, err := openSlots(filepath.Join(t.TempDir(), rundir.OutputFolder))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { s.close() }()
				first, err := s.take(merged)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := unix.Write(first.out, []byte("before\n")); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(s.folder, rundir.OutputName(1, "out"))
				if free {
					first.measure()
					s.put(first, true)
				} else {
					first.outSize = int64(len("before\n")) // of an earlier execution
				}
				if err := deed(path); err != nil {
					t.Fatal(err)
				}
				if free {
					s.dropDamaged()
				} else {
					out, _ := first.measure()
					if out[0] > out[1] {
						t.Errorf("extent %v", out)
					}
					s.put(first, true)
					s.dropDamaged() // a moved file is noticed only by its name
				}
				second, err := s.take(merged)
				if err != nil || second.number == 1 || second.outSize != 0 {
					t.Fatalf("slot %+v, error %v: want a new one", second, err)
				}
				s.put(second, true)
				if s.dropDamaged(); len(*s.unused(merged)) != 1 {
					t.Error("a good slot was given up")
				}
			})
		}
	}
}

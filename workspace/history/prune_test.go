package history

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// finishRun creates a run that ended a given time after noon.
func finishRun(t *testing.T, s *Store, after time.Duration) int {
	t.Helper()
	r := createRun(t, s)
	res := cancelled()
	res.Ended = noon.Add(after)
	if err := r.Finish(res); err != nil {
		t.Fatal(err)
	}
	return r.Number()
}

func runNumbers(t *testing.T, s *Store) []int {
	t.Helper()
	numbers, err := s.Numbers()
	if err != nil {
		t.Fatal(err)
	}
	return numbers
}

// TestQuickPruneReadsFewResults checks which results are read after each run: that of the oldest run, and those of runs
// beyond the limit.
func TestQuickPruneReadsFewResults(t *testing.T) {
	for keep, want := range map[int][]int{0: {1}, 3: {1}, 2: {1, 1}} {
		var read []int
		result := func(n int) *Result {
			read = append(read, n)
			return &Result{Ended: noon}
		}
		p := Policy{Keep: keep, OlderThan: time.Hour, Now: noon, Quick: true}
		if doomed := p.choose([]int{3, 2, 1}, result, nil); len(doomed) != len(want)-1 || !slices.Equal(read, want) {
			t.Errorf("keep %d: %v are removed, %v read; want %v read", keep, doomed, read, want)
		}
	}
}

func TestPrune(t *testing.T) {
	day := 24 * time.Hour
	now := noon.Add(10 * day)
	for name, tc := range map[string]struct {
		policy Policy
		want   []int
	}{
		"nothing":   {Policy{Now: now}, nil},
		"by number": {Policy{Keep: 2}, []int{1, 2}},
		"by age":    {Policy{OlderThan: 8 * day, Now: now}, []int{1, 2}},
		"quick":     {Policy{OlderThan: 8 * day, Now: now, Quick: true}, []int{1, 2}},
		"either":    {Policy{Keep: 1, OlderThan: 9 * day, Now: now}, []int{1, 2, 3}},
		"skipped":   {Policy{Keep: 1, Skip: func(n int) bool { return n == 2 }}, []int{1, 3}},
		"default":   {Policy{Keep: DefaultKeep, OlderThan: 90 * 24 * time.Hour, Now: now}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			for i := range 4 { // run 1 ended at noon, 2 the day after, …
				finishRun(t, s, time.Duration(i)*day)
			}
			plan, err := s.Prune(tc.policy, true)
			if err != nil || !slices.Equal(plan, tc.want) || len(runNumbers(t, s)) != 4 {
				t.Fatalf("dry run: %v, %v; %d runs left", plan, err, len(runNumbers(t, s)))
			}
			removed, err := s.Prune(tc.policy, false)
			if err != nil || !slices.Equal(removed, tc.want) || len(runNumbers(t, s)) != 4-len(tc.want) {
				t.Fatalf("removed %v, %v; left %v", removed, err, runNumbers(t, s))
			}
		})
	}
}

func TestPruneSparesUnfinished(t *testing.T) {
	s := openStore(t)
	createRun(t, s)
	finishRun(t, s, 0)
	finishRun(t, s, 0)
	removed, err := s.Prune(Policy{Keep: 1}, false)
	if err != nil || !slices.Equal(removed, []int{2}) {
		t.Errorf("removed %v, %v", removed, err)
	}
}

func TestRemove(t *testing.T) {
	s := openStore(t)
	createRun(t, s)
	if err := s.Remove(1, false); !errors.Is(err, ErrUnfinished) {
		t.Errorf("removing an unfinished run: %v", err)
	}
	if err := s.Remove(2, true); !errors.Is(err, ErrNoRun) {
		t.Errorf("removing a missing run: %v", err)
	}
	if err := s.Remove(1, true); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.runs())
	if err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if n := finishRun(t, s, 0); n != 2 {
		t.Errorf("the number of a removed run was used again: %d", n)
	}
}

// TestNumbersAreNeverReused makes random creations and removals, also with a reopened store.
func TestNumbersAreNeverReused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		var given, left []int
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			s, err := Open(LocalDisk{}, dir)
			if err != nil {
				rt.Fatal(err)
			}
			if len(left) > 0 && rapid.Bool().Draw(rt, "remove") {
				i := rapid.IntRange(0, len(left)-1).Draw(rt, "which")
				if err := s.Remove(left[i], true); err != nil {
					rt.Fatal(err)
				}
				left = slices.Delete(left, i, i+1)
				continue
			}
			r, err := s.Create(Request{Time: noon}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			if len(given) > 0 && r.Number() <= given[len(given)-1] {
				rt.Fatalf("number %d after %v", r.Number(), given)
			}
			given, left = append(given, r.Number()), append(left, r.Number())
			if err := r.Close(); err != nil {
				rt.Fatal(err)
			}
		}
	})
}

func TestActiveMarks(t *testing.T) {
	state := t.TempDir()
	if marks, err := Active(state); err != nil || marks != nil {
		t.Fatalf("in an empty state folder: %v, %v", marks, err)
	}
	if err := errors.Join(MarkActive(LocalDisk{}, state, "b2", "/data/a file\nwith a line feed"), MarkActive(LocalDisk{}, state, "a1", "/x"),
		MarkActive(LocalDisk{}, state, "a1", "/y")); err != nil {
		t.Fatal(err)
	}
	want := []ActiveMark{{"a1", "/y"}, {"b2", "/data/a file\nwith a line feed"}}
	if marks, err := Active(state); err != nil || !reflect.DeepEqual(marks, want) {
		t.Errorf("%v, %v; want %v", marks, err, want)
	}
	write(t, filepath.Join(state, string(activeDir), "c3"), []byte("not JSON"))
	if marks, err := Active(state); err == nil || !reflect.DeepEqual(marks, want) {
		t.Errorf("with a damaged one: %v, %v", marks, err)
	}
	if err := errors.Join(ClearActive(state, "a1"), ClearActive(state, "a1")); err != nil {
		t.Errorf("clearing twice: %v", err)
	}
	if err := MarkActive(LocalDisk{}, state, "../up", "/x"); err == nil {
		t.Error("an id left the folder")
	}
}

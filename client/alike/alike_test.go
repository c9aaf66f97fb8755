package alike

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		"":                                        "",
		"No space left on device":                 "No space left on device",
		"exit 1 after 12.5s":                      "exit # after #s",
		"2026-11-25T12:03:04.567Z error":          "#T#Z error",
		"12:03:04 error":                          "# error",
		"[M::process] read 120000 sequences":      "[M::process] read # sequences",
		"open /data/S001/x.fq: no such file":      "open <path>: no such file",
		"./scripts/a.py:12: bad":                  "<path>:#: bad",
		"raw/S001.fq and raw/S002.fq differ":      "<path> and <path> differ",
		"S001.fq: truncated":                      "S#.fq: truncated",
		"object 3f2a9c1d4e is corrupt":            "object <id> is corrupt",
		"id 123e4567-e89b-12d3-a456-426614174000": "id <id>",
		"a face or a decade":                      "a face or a decade",
		"either/or":                               "<path>",
		"1 / 3":                                   "# / #",
		"at 0x7ffd3a":                             "at #x#ffd#a",
		"cutadapt: error: adapter file 'adapters.fa' not found": "cutadapt: error: adapter file 'adapters.fa' not found",
		"worker-17: lost":            "worker-#: lost",
		"Ende: Gerät voll, 3 Blöcke": "Ende: Gerät voll, # Blöcke",
		"pid 12 (10.0.0.7:8080)":     "pid # (#)",
		"\xff\xfe 12":                "\xff\xfe #",
		"Traceback (most recent call last): File \"/a/b.py\", line 12": "Traceback (most recent call last): File \"<path>\", line #",
	} {
		if got := Mask(text); got != want {
			t.Errorf("Mask(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzMask: A mask of a mask changes nothing, and the digits of a text do not matter.
func FuzzMask(f *testing.F) {
	for _, text := range []string{"", "exit 1", "/a/b:12", "12:30-#", "#.#1", "a1b2c3d4e5", "::/.:", "-1.2.", "#path:7", "\xff1", "0path0", "<path>:7"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Mask(text)
		if twice := Mask(once); twice != once {
			t.Errorf("%q: %q, then %q", text, once, twice)
		}
	})
}

// TestGroupsDivideTheFailures: Each failure is in one group; the order in which failures come changes no group; groups are
// ordered by size; failures that differ only in their numbers and names are together.
func TestGroupsDivideTheFailures(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []string{"No space left on device (%d bytes)", "cannot open /data/%d/in.fq", "%d: killed by the kernel", "cell %d of 'x' is empty"}
	for range 200 {
		var failures []Failure
		var kind []int
		for i := range 1 + r.IntN(40) {
			k := r.IntN(len(kinds))
			failures = append(failures, Failure{Name: fmt.Sprintf("node_%d", i), Cause: "exit 1", Tail: []string{
				fmt.Sprintf("progress %d%%", r.IntN(100)), fmt.Sprintf(kinds[k], r.IntN(1000)), "", fmt.Sprintf("node_%d failed", i)}})
			kind = append(kind, k)
		}
		groups := Groups(failures)
		seen := make([]bool, len(failures))
		for g, one := range groups {
			if g > 0 && len(one.Members) > len(groups[g-1].Members) {
				t.Fatal("a group is larger than the one before it")
			}
			for _, i := range one.Members {
				if seen[i] || kind[i] != kind[one.Members[0]] {
					t.Fatalf("failure %d is in the wrong group: %+v", i, failures[i])
				}
				seen[i] = true
			}
		}
		if slices.Contains(seen, false) || len(groups) > len(kinds) {
			t.Fatalf("%d groups of %d failures, seen %v", len(groups), len(failures), seen)
		}
		order := r.Perm(len(failures))
		mixed := make([]Failure, len(failures))
		for to, from := range order {
			mixed[to] = failures[from]
		}
		if !reflect.DeepEqual(sets(Groups(mixed), order), sets(groups, nil)) {
			t.Fatal("the order of the failures changes the groups")
		}
	}
}

// sets returns the groups as texts in a fixed order. order gives the original number of each failure.
func sets(groups []Group, order []int) []string {
	var out []string
	for _, g := range groups {
		members := slices.Clone(g.Members)
		for i, m := range members {
			if order != nil {
				members[i] = order[m]
			}
		}
		slices.Sort(members)
		out = append(out, fmt.Sprint(members))
	}
	slices.Sort(out)
	return out
}

func TestGroups(t *testing.T) {
	failures := []Failure{
		{"trim_S001", "exit 1", "cutadapt S001", []string{"12:00:01 start", "OSError: [Errno 28] No space left on device: '/tmp/S001'"}},
		{"align_a", "exit 2", "bwa", []string{"no index"}},
		{"trim_S002", "exit 1", "cutadapt S002", []string{"12:00:07 start", "OSError: [Errno 28] No space left on device: '/tmp/S002'", " "}},
		{"quiet_1", "exit 1", "false 1", nil},
		{"quiet_2", "exit 1", "false 2", nil},
		{"loud", "exit 1", "true", nil},
		{"align_b", "exit 3", "bwa", []string{"no index"}},
		{"alice", "exit 1", "x", []string{"alice: refused"}},
		{"bob", "exit 1", "x", []string{"bob: refused"}},
	}
	var got []string
	for _, g := range Groups(failures) {
		var names []string
		for _, i := range g.Members {
			names = append(names, failures[i].Name)
		}
		got = append(got, strings.Join(names, " ")+": "+g.Reason)
	}
	want := []string{"trim_S001 trim_S002: OSError: [Errno 28] No space left on device: '/tmp/S001'", "quiet_1 quiet_2: ", "alice bob: alice: refused",
		"align_a: no index", "loud: ", "align_b: no index"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

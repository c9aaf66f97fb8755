package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sample returns the text of a log with five entries, and its head.
func sample(t *testing.T) ([]byte, string) {
	t.Helper()
	l, path := testLog(t)
	l.Add(Entry{Action: "run", Workfile: "/w/\"é\"", Run: "1", Nodes: []string{"a", "b"}, Who: Who{Via: ViaSocket, Said: &Said{User: "anna"}}})
	for _, action := range []string{"stop", "edit", "reset"} {
		l.Add(Entry{Action: action})
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, sum := readAll(t, path)
	return text, sum.Head
}

func verifyText(t *testing.T, text []byte, want string) Summary {
	t.Helper()
	sum, err := verify("", bytes.NewReader(text), want, func(Entry) {})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestEveryChangedByteIsFound flips each bit of a log, changes every byte to a few others, removes it, and inserts one before it.
func TestEveryChangedByteIsFound(t *testing.T) {
	text, _ := sample(t)
	if sum := verifyText(t, text, ""); !sum.OK || sum.Entries != 5 {
		t.Fatalf("%+v", sum)
	}
	for at, was := range text {
		line := int64(bytes.Count(text[:at], []byte("\n"))) + 1
		check := func(changed []byte, what string) {
			if sum := verifyText(t, changed, ""); sum.OK || sum.Problem.Line != line {
				t.Fatalf("byte %d of line %d %s: %+v", at, line, what, sum.Problem)
			}
		}
		changed := slices.Clone(text)
		for _, value := range []byte{was ^ 1, was ^ 2, was ^ 4, was ^ 8, was ^ 16, was ^ 32, was ^ 64, was ^ 128, 0, '\n', ' ', '0', 'a', '"'} {
			if value == was {
				continue
			}
			changed[at] = value
			check(changed, "changed")
		}
		check(slices.Delete(slices.Clone(text), at, at+1), "removed")
		check(slices.Insert(slices.Clone(text), at, ' '), "with a blank before it")
	}
}

// TestLinesAreFound removes, repeats, exchanges and replaces whole lines.
func TestLinesAreFound(t *testing.T) {
	text, head := sample(t)
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	lines[4] += "\n"
	other, _ := sample(t) // the same actions at another time
	others := strings.SplitAfter(string(other), "\n")
	for _, c := range []struct {
		name  string
		lines []string
		line  int64
		kind  Kind
	}{
		{"first removed", lines[1:], 1, Removed},
		{"one removed", slices.Delete(slices.Clone(lines), 2, 3), 3, Removed},
		{"two removed", slices.Delete(slices.Clone(lines), 1, 3), 2, Removed},
		{"one repeated", slices.Insert(slices.Clone(lines), 2, lines[1]), 3, Order},
		{"two exchanged", []string{lines[0], lines[2], lines[1], lines[3], lines[4]}, 2, Removed},
		{"one replaced by a valid one", slices.Concat(lines[:2], others[2:3], lines[3:]), 3, Rewritten},
		{"the beginning of another log", slices.Concat(others[:2], lines[2:]), 3, Rewritten},
		{"two logs", slices.Concat(lines, others), 6, Restarted},
		{"a blank line", slices.Insert(slices.Clone(lines), 3, "\n"), 4, Changed},
		{"nothing left", nil, 1, Empty},
	} {
		sum := verifyText(t, []byte(strings.Join(c.lines, "")), head)
		if sum.OK || sum.Problem.Line != c.line || sum.Problem.Kind != c.kind {
			t.Errorf("%s: %+v, want %s in line %d", c.name, sum.Problem, c.kind, c.line)
		}
	}
	if sum := verifyText(t, text, head); !sum.OK || sum.HeadLine != 5 {
		t.Errorf("%+v", sum)
	}
	if sum := verifyText(t, []byte(strings.Join(lines[:4], "")), head); !sum.OK || sum.HeadLine != 0 {
		t.Errorf("without its last line: %+v", sum)
	}
}

func TestPaths(t *testing.T) {
	state := t.TempDir()
	if paths, err := Paths(filepath.Join(state, "none")); err != nil || paths != nil {
		t.Errorf("%v, %v", paths, err)
	}
	for _, name := range []string{"audit.jsonl", "audit-login2.jsonl", "audit.jsonl.old", "kv.db"} {
		if err := os.WriteFile(filepath.Join(state, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := Paths(state)
	if want := []string{filepath.Join(state, "audit-login2.jsonl"), filepath.Join(state, "audit.jsonl")}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("%v, %v", paths, err)
	}
	if got := hostPart("a/../b c"); got != "a_.._b_c" || hostPart("") != "unknown" {
		t.Errorf("%q", got)
	}
}

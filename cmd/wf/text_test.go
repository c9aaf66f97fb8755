package main

import "testing"

func TestLineOf(t *testing.T) {
	for where, want := range map[string]int{"": 0, "/data/Workfile": 0, "/data/Workfile:212": 212, "/data/Workfile:212:7": 212} {
		if got := lineOf(where); got != want {
			t.Errorf("lineOf(%q) = %d", where, got)
		}
	}
}

func TestTailStart(t *testing.T) {
	for _, c := range []struct {
		data string
		n    int
		want string
	}{
		{"a\nb\nc\n", 1, "c\n"}, {"a\nb\nc", 2, "b\nc"}, {"a\nb\n", 5, "a\nb\n"}, {"a\n", 0, ""}, {"", 3, ""}, {"\n\n\n", 2, "\n\n"},
	} {
		if got := c.data[tailStart([]byte(c.data), c.n):]; got != c.want {
			t.Errorf("last %d lines of %q: %q, want %q", c.n, c.data, got, c.want)
		}
	}
}

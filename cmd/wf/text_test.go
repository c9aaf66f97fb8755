package main

import (
	"slices"
	"testing"
	"time"

	"wf/cmd/wf/exit"
)

func TestSuggest(t *testing.T) {
	names := []string{"run", "runs", "status", "stop", "ls", "logs"}
	for word, want := range map[string][]string{
		"rnu": {"run"}, "stauts": {"status"}, "stat": {"status"}, "log": {"logs"}, "zzz": nil, "x": nil, "": nil,
	} {
		if got := suggest(word, names); !slices.Equal(got, want) {
			t.Errorf("suggest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "30d": 720 * time.Hour, "12h": 12 * time.Hour} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("parseAge(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"d", "-1d", "-1h", "3x", "9999999999999d"} {
		if _, err := parseAge(text); exit.Status(err) != exit.BadUsage {
			t.Errorf("parseAge(%q): %v", text, err)
		}
	}
}

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

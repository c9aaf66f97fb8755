package main

import (
	"slices"
	"testing"
	"time"

	"wf/api"
	"wf/tui/words"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                       "0.0s",
		812 * time.Millisecond:                  "0.8s",
		14 * time.Second:                        "14.0s",
		59960 * time.Millisecond:                "1m00s",
		64 * time.Second:                        "1m04s",
		59*time.Minute + 59700*time.Millisecond: "1h00m",
		63 * time.Minute:                        "1h03m",
		49 * time.Hour:                          "2d 1h",
	} {
		if got := words.Span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{"align": "align", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "a~2": "'a~2'", "x\x1b[2J": "'x'"} {
		if got := words.Quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestNameList(t *testing.T) {
	if got := words.NameList([]string{"a", "b\x1b[2J", "c", "d"}, 2); got != "a, b (2 more)" {
		t.Errorf("%q", got)
	}
}

func TestCountParts(t *testing.T) {
	got := words.CountParts(api.Counts{OK: 24, Failed: 1, Idle: 5}, "not reached")
	if want := []string{"24 ok", "1 failed", "5 not reached"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := words.CountParts(api.Counts{}, "idle"); !slices.Equal(got, []string{"0 nodes"}) {
		t.Errorf("%q", got)
	}
}

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
		if _, err := parseAge(text); exitStatus(err) != exitUsage {
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

func TestTextLines(t *testing.T) {
	got := textLines([]byte("first\r\n10%\r55%\r100%\n\x1b[31mlast"))
	if want := []string{"first", "100%", "last"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := textLines(nil); got != nil {
		t.Errorf("%q", got)
	}
}

func TestWantColor(t *testing.T) {
	for _, c := range []struct {
		name, flag string
		vars       []string
		tty, want  bool
	}{
		{"terminal", "auto", []string{"TERM=xterm"}, true, true},
		{"file", "auto", []string{"TERM=xterm"}, false, false},
		{"dumb", "auto", []string{"TERM=dumb"}, true, false},
		{"no TERM", "auto", nil, true, false},
		{"NO_COLOR with any value", "auto", []string{"TERM=xterm", "NO_COLOR=yes"}, true, false},
		{"empty NO_COLOR", "auto", []string{"TERM=xterm", "NO_COLOR="}, true, true},
		{"NO_COLOR before FORCE_COLOR", "auto", []string{"NO_COLOR=1", "FORCE_COLOR=1"}, false, false},
		{"FORCE_COLOR", "auto", []string{"FORCE_COLOR=1"}, false, true},
		{"flag before NO_COLOR", "always", []string{"NO_COLOR=1"}, false, true},
		{"never", "never", []string{"FORCE_COLOR=1"}, true, false},
	} {
		if got := (&env{color: c.flag, vars: c.vars}).wantColor(c.tty); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestWantASCII(t *testing.T) {
	for _, c := range []struct {
		vars []string
		want bool
	}{
		{nil, true},
		{[]string{"LANG=C.UTF-8"}, false},
		{[]string{"LANG=en_US.utf8"}, false},
		{[]string{"LANG=en_US.UTF-8", "LC_ALL=C"}, true},
		{[]string{"LANG=C", "LC_CTYPE=en_US.UTF-8"}, false},
		{[]string{"LANG=de_DE.ISO-8859-1"}, true},
	} {
		if got := (&env{vars: c.vars}).wantASCII(); got != c.want {
			t.Errorf("%q: %v", c.vars, got)
		}
	}
}

package executor

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestAsk(t *testing.T) {
	l := &Local{}
	dir := t.TempDir()
	for _, c := range []struct{ name, command, want, fails string }{
		{"answer", `printf '%s\n' "$A"; pwd >&2`, "x y\n", ""},
		{"nothing", "", "", ""},
		{"failure", "echo no such thing >&2; exit 3", "", "exit status 3: no such thing"},
		{"too much", "head -c 2000 /dev/zero", "", "more than 1000 bytes"},
		{"killed", "kill -9 $$", "", "signal: killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := l.Ask(t.Context(), Question{Command: c.command, Cwd: dir, Env: []string{"A=x y", "PATH=" + os.Getenv("PATH")}, Limit: 1000, Time: time.Minute})
			if string(out) != c.want || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q, %v; want %q, %q", out, err, c.want, c.fails)
			}
		})
	}
}

// TestAskInput checks a question with an input, and one that prints more than is read.
func TestAskInput(t *testing.T) {
	l := &Local{}
	q := Question{Command: "cat", Cwd: "/", Env: os.Environ(), Input: []byte("text"), Limit: 2, Cut: true, Time: time.Minute}
	if out, err := l.Ask(t.Context(), q); string(out) != "te" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	q.Command, q.Input = "exit 0", make([]byte, 1<<20) // it does not read its input
	if _, err := l.Ask(t.Context(), q); err != nil {
		t.Error(err)
	}
}

// TestAskEnds checks that a question that takes too long or is cancelled is killed with all processes that it has started.
func TestAskEnds(t *testing.T) {
	l := &Local{}
	q := Question{Command: "sleep 1000 & sleep 1000", Cwd: "/", Env: os.Environ(), Limit: 10, Time: 20 * time.Millisecond}
	if _, err := l.Ask(t.Context(), q); err == nil || !strings.Contains(err.Error(), "longer than 20ms") {
		t.Errorf("%v", err)
	}
	q.Time = time.Nanosecond // it is over before the start
	if _, err := l.Ask(t.Context(), q); err == nil || !strings.Contains(err.Error(), "longer than 1ns") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q.Time = time.Minute
	if _, err := l.Ask(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if len(l.shared().reaper.own) != 0 {
		t.Errorf("questions that the reaper still keeps: %v", l.shared().reaper.own)
	}
}

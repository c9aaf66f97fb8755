package login

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// shells are ways to this machine: directly, and through programs that behave like ssh.
func shells(t *testing.T) map[string]*Shell {
	// A login shell prints a message of the day on both streams.
	noisy := filepath.Join(t.TempDir(), "noisy")
	text := "#!/bin/sh\necho Welcome; echo 'Maintenance on Sunday' >&2\nfor line; do :; done\nexec sh -c \"$line\"\n"
	if err := os.WriteFile(noisy, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return map[string]*Shell{"local": {}, "noisy": {Via: []string{noisy, "login"}}}
}

func TestOutputAndInput(t *testing.T) {
	for name, s := range shells(t) {
		t.Run(name, func(t *testing.T) {
			input := bytes.Repeat([]byte("x\x00\n'"), 50_000)
			for _, script := range []string{"cat", "# a comment\ncat", "cat; exit 0"} {
				output, err := s.Run(t.Context(), script, input)
				if err != nil || !bytes.Equal(output, input) {
					t.Errorf("%q: %d bytes of %d, error %v", script, len(output), len(input), err)
				}
			}
			if output, err := s.Run(t.Context(), "printf 'no line feed'", nil); err != nil || string(output) != "no line feed" {
				t.Errorf("output %q, error %v", output, err)
			}
			if output, err := s.Run(t.Context(), "printf %s "+Quote(`a'b "$HOME" \`+"\n!"), nil); err != nil || string(output) != `a'b "$HOME" \`+"\n!" {
				t.Errorf("output %q, error %v", output, err)
			}
		})
	}
}

func TestFailedScript(t *testing.T) {
	for name, s := range shells(t) {
		t.Run(name, func(t *testing.T) {
			output, err := s.Run(t.Context(), "echo partly; echo why >&2; exit 3", nil)
			var failure *Error
			if !errors.As(err, &failure) || !failure.Begun || failure.Code != 3 || !strings.HasSuffix(failure.Message, "why") || string(output) != "partly\n" {
				t.Errorf("output %q, error %+v", output, err)
			}
		})
	}
}

// TestUnknownFate checks what is known of a script that did not answer.
func TestUnknownFate(t *testing.T) {
	for name, c := range map[string]struct {
		shell  Shell
		script string
		begun  bool
	}{
		"no such program":   {Shell{Via: []string{"/nonexistent/ssh", "login"}}, "true", false},
		"not reached":       {Shell{Via: []string{"sh", "-c", "echo no route >&2; exit 255"}}, "true", false},
		"killed":            {Shell{}, "kill -9 $$", true},
		"time is up":        {Shell{}, "sleep 100", true},
		"time is up before": {Shell{Via: []string{"sh", "-c", "sleep 100"}}, "true", false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := c.shell.Run(ctx, c.script, nil)
			var failure *Error
			if !errors.As(err, &failure) || failure.Begun != c.begun || failure.Code != -1 {
				t.Errorf("error %+v", err)
			}
			if strings.Contains(name, "time") && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestOutputThatLooksLikeTheEnd checks that a script cannot end its output by printing it.
func TestOutputThatLooksLikeTheEnd(t *testing.T) {
	const text = "\nwf-end abc 0\nwf-begin abc\n\nwf-end \n"
	output, err := new(Shell).Run(t.Context(), "cat", []byte(text))
	if err != nil || string(output) != text {
		t.Errorf("output %q, error %v", output, err)
	}
}

func TestOptionsOfSSH(t *testing.T) {
	s := &Shell{Via: []string{"/usr/bin/ssh", "-p", "2222", "me@login"}, Control: "/run/wf/ssh"}
	argv := s.argv("true")
	if argv[0] != "/usr/bin/ssh" || !slices.Contains(argv, "ControlPath=/run/wf/ssh") || !slices.Equal(argv[len(argv)-4:], []string{"-p", "2222", "me@login", "true"}) {
		t.Errorf("%q", argv)
	}
	if argv := (&Shell{Via: []string{"kubectl", "exec"}, Control: "/x"}).argv("true"); !slices.Equal(argv, []string{"kubectl", "exec", "true"}) {
		t.Errorf("%q", argv)
	}
}

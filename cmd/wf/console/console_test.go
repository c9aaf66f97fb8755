package console

import (
	"bytes"
	"os/user"
	"testing"

	"wf/api"
	"wf/tui/plain"
)

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
		if got := (&Console{Color: c.flag, Environ: c.vars}).WantColor(c.tty); got != c.want {
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
		if got := (&Console{Environ: c.vars}).WantASCII(); got != c.want {
			t.Errorf("%q: %v", c.vars, got)
		}
	}
}

// TestTableWithColours checks that colours do not affect the column widths.
func TestTableWithColours(t *testing.T) {
	var rows Table
	p := Paint{Colored: true}
	rows.Row(p.Glyph(api.StateFailed)+" a", "x")
	rows.Row(p.Glyph(api.StateOK)+" long", "y")
	var b bytes.Buffer
	if err := rows.Write(&b); err != nil || plain.Text(b.String()) != "✗ a     x\n✓ long  y\n" {
		t.Errorf("%v %q", err, b.String())
	}
}

// TestUserWithoutEnvironment: a command of cron has no USER, and its runs say all the same whose they are.
func TestUserWithoutEnvironment(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]string{"": u.Username, "USER=ann": "ann", "LOGNAME=ben": "ben"} {
		if got := (&Console{Environ: []string{name}}).User(); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

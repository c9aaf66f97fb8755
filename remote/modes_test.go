package remote

import "testing"

func TestModesAreUndone(t *testing.T) {
	for _, c := range []struct {
		name string
		out  []string
		want string
	}{
		{"nothing", []string{"plain text\x1b[31mred\x1b[m"}, "\x1b[m\r\n\x1b[J"},
		{"a hidden cursor", []string{"\x1b[?25l x"}, "\x1b[?25h\x1b[m\r\n\x1b[J"},
		{"restored by the command", []string{"\x1b[?25l", "x\x1b[?25h"}, "\x1b[m\r\n\x1b[J"},
		{"several at once", []string{"\x1b[?1049;2004h\x1b[?7l"}, "\x1b[?7h\x1b[?1049l\x1b[?2004l\x1b[m\r\n\x1b[J"},
		{"cut anywhere", []string{"a\x1b", "[", "?10", "49", "h", "b"}, "\x1b[?1049l\x1b[m\r\n\x1b[J"},
		{"not a mode", []string{"\x1b[4h\x1b[?h\x1b[?2J\x1b\x1b[?25l"}, "\x1b[?25h\x1b[m\r\n\x1b[J"},
	} {
		var m modes
		for _, out := range c.out {
			m.follow([]byte(out))
		}
		if got := string(m.undo()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

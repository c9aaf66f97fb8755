package tui

import (
	"strings"
	"testing"

	"wf/tui/cells"
)

// TestHostileTextsCannotControlTheTerminal: Whatever nodes write and whatever their names are, the terminal receives
// only text and our own colours, and no row is wider than the screen.
func TestHostileTextsCannotControlTheTerminal(t *testing.T) {
	hostile := "\x1b]0;owned\x07\x1b[2J\x1b[?1049l\x1b]52;c;aGk=\x07\x9b31m\u009b31m\x1bPq\x1b\\\x00\x08\x0b\u202eevil\u2066 ok\r\nlast\x1b[1;31mred\x1b[7m\n" +
		strings.Repeat("e\u0301\u0302\u0303", 200) + "👩‍👩‍👧‍👦 漢字漢字漢字\xff\xfe" + strings.Repeat("\u0300", 500) + "\n"
	s := pipeline(2)
	for i := range s.Nodes {
		s.Nodes[i].Name += hostile
		s.Nodes[i].Command += hostile
	}
	m := testModel(100, 30, s)
	press(m, "n")
	writeLog(m, hostile)
	for _, keys := range [][]string{{}, {"i"}, {"v"}, {"v"}, {"z"}, {"L"}, {"r"}, {"esc"}} {
		press(m, keys...)
		m.draw()
		checkScreen(t, m.term.screen.Encode(true), 100)
	}
}

// checkScreen fails when a frame holds anything but text and SGR.
func checkScreen(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		rest := line
		for {
			head, tail, found := strings.Cut(rest, "\x1b[")
			if i := strings.IndexFunc(head, func(r rune) bool {
				return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r == 0x2066
			}); i >= 0 {
				t.Fatalf("the screen gets %q", head[i:])
			}
			if !found {
				break
			}
			end := strings.IndexFunc(tail, func(r rune) bool { return r != ';' && (r < '0' || r > '9') })
			if end < 0 || tail[end] != 'm' {
				t.Fatalf("the screen gets the sequence %q", tail)
			}
			rest = tail[end+1:]
		}
		if n := cells.Columns(line); n > width {
			t.Fatalf("a row of %d columns: %q", n, line)
		}
	}
}

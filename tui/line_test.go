package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
)

// A line takes as much as it has room for, wherever the cursor is, and keys beyond that change nothing.
func TestLineIsBounded(t *testing.T) {
	l := line{most: 10}
	l.insert("ab\ncd")
	l.at = 1
	l.insert(strings.Repeat("é", 20))
	if got, want := l.String(), "a"+strings.Repeat("é", 5)+"b cd"; got != want {
		t.Errorf("the line is %q, not %q", got, want)
	}
	if l.edit(tea.KeyPressMsg{Code: 'x', Text: "x"}) || len(l.text) != 10 {
		t.Errorf("a full line takes a key: %q", l.String())
	}
	if !l.edit(tea.KeyPressMsg{Code: tea.KeyBackspace}) || !l.edit(tea.KeyPressMsg{Code: 'x', Text: "x"}) {
		t.Errorf("a line with room for one takes none: %q", l.String())
	}
	long := newLine("")
	for range 3 {
		long.insert(strings.Repeat("x", pasteBytes))
	}
	if len(long.text) != longestLine {
		t.Errorf("a line has %d characters", len(long.text))
	}
}

// While somebody types into a question, the drawing waits for the next frame, which shows what was typed.
func TestTypingIsDrawn(t *testing.T) {
	m := testModel(120, 30, pipeline(4))
	press(m, "/", "q", "c")
	if !m.stale {
		t.Error("each key draws anew")
	}
	if text := frame(m); m.stale || strings.Contains(text, "align") || !strings.Contains(text, "fastqc") {
		t.Errorf("the frame does not show what the filter leaves:\n%s", text)
	}
}

// The last row does not look blank in its first column, on any page: see draw.
func TestLastRowIsSeen(t *testing.T) {
	for _, keys := range [][]string{nil, {"L"}, {"?"}, {":"}, {"/"}, {"r"}, {"H"}} {
		m := testModel(120, 30, pipeline(4))
		press(m, keys...)
		frame(m)
		if *m.screen.All().At(0, 29) == (cells.Cell{}) {
			t.Errorf("after %q the last row begins blank", keys)
		}
	}
}

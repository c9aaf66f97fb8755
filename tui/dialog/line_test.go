package dialog

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestLineDropsTextBeyondItsLimit: A line accepts no more text than its limit, with any position of the cursor.
func TestLineDropsTextBeyondItsLimit(t *testing.T) {
	l := Line{Max: 10}
	l.Insert("ab\ncd")
	l.At = 1
	l.Insert(strings.Repeat("é", 20))
	if got, want := l.String(), "a"+strings.Repeat("é", 5)+"b cd"; got != want {
		t.Errorf("the line is %q, not %q", got, want)
	}
	if l.Edit(tea.KeyPressMsg{Code: 'x', Text: "x"}) || len(l.Text) != 10 {
		t.Errorf("a full line takes a key: %q", l.String())
	}
	if !l.Edit(tea.KeyPressMsg{Code: tea.KeyBackspace}) || !l.Edit(tea.KeyPressMsg{Code: 'x', Text: "x"}) {
		t.Errorf("a line with room for one takes none: %q", l.String())
	}
	long := NewLine("")
	for range 3 {
		long.Insert(strings.Repeat("x", pasteBytes))
	}
	if len(long.Text) != longestLine {
		t.Errorf("a line has %d characters", len(long.Text))
	}
}

package tui

import (
	"strings"
	"testing"

	"wf/tui/cells"
)

// TestTypedTextIsDrawnOnTheNextScreen: While the user types into a prompt, the next screen shows the typed text.
func TestTypedTextIsDrawnOnTheNextScreen(t *testing.T) {
	m := testModel(120, 30, pipeline(4))
	press(m, "/", "q", "c")
	if !m.stale {
		t.Error("each key draws anew")
	}
	if text := frame(m); m.stale || strings.Contains(text, "align") || !strings.Contains(text, "fastqc") {
		t.Errorf("the frame does not show what the filter leaves:\n%s", text)
	}
}

// TestLastRowIsNeverBlankInItsFirstColumn: The renderer would leave out such a row on a terminal that becomes wider:
// see draw.
func TestLastRowIsNeverBlankInItsFirstColumn(t *testing.T) {
	for _, keys := range [][]string{nil, {"L"}, {"?"}, {":"}, {"/"}, {"r"}, {"H"}} {
		m := testModel(120, 30, pipeline(4))
		press(m, keys...)
		frame(m)
		if *m.term.screen.All().At(0, 29) == (cells.Cell{}) {
			t.Errorf("after %q the last row begins blank", keys)
		}
	}
}

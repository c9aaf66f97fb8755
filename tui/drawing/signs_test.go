package drawing

import (
	"strings"
	"testing"

	"wf/tui/words"
)

// TestLinesAreInTheTableOfSigns: Each form of a line is a form of its sign in the table.
func TestLinesAreInTheTableOfSigns(t *testing.T) {
	check := func(form string, ascii bool, signs ...words.Sign) {
		for _, s := range signs {
			forms := s.Glyph
			if ascii {
				forms = s.ASCII
			}
			if form == " " || form == "" || strings.Contains(forms, form) {
				return
			}
		}
		t.Errorf("%q is not in the table", form)
	}
	for i := range strokes {
		check(strokes[i], false, words.SignLine, words.SignJoint)
		check(dashes[i], false, words.SignLine, words.SignJoint, words.SignDashed)
		check(dotted[i], false, words.SignLine, words.SignJoint, words.SignVia)
		check(ends[i], false, words.SignLine)
		check(asciis[i], true, words.SignLine, words.SignJoint)
		check(asciiDashes[i], true, words.SignLine, words.SignJoint, words.SignDashed)
		check(asciiDots[i], true, words.SignLine, words.SignJoint, words.SignVia)
	}
	check(crossed(false), false, words.SignJoint)
	check(crossed(true), true, words.SignJoint)
}

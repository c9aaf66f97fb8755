package tui

import (
	"strings"
	"testing"
	"unicode"

	"wf/tui/drawing"
	"wf/tui/words"
)

// TestEverySignIsInTheLegend: Each sign of a golden screen is in the table of signs, so that the help can explain it.
func TestEverySignIsInTheLegend(t *testing.T) {
	inUTC(t)
	known := map[rune]bool{}
	for _, s := range words.Signs() {
		for _, r := range s.Glyph {
			known[r] = true
		}
	}
	for _, g := range goldens() {
		if g.titles != nil {
			continue // part of another file
		}
		for _, s := range g.shots {
			for _, r := range s.text(g.width, g.height, false) + s.text(200, 60, false) {
				if r > unicode.MaxASCII && !unicode.IsLetter(r) && !known[r] {
					t.Errorf("%s: %q has no meaning", s.title, r)
				}
			}
		}
	}
}

// TestHelpExplainsTheSigns: The help explains the signs that the screen before it had, also in ASCII, and no others.
func TestHelpExplainsTheSigns(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		m := testModel(100, 60, pipeline(5))
		m.opt.ASCII = ascii
		m.doc.picture.view, m.doc.picture.chosen, m.doc.picture.zoom = drawing.Chart, true, drawing.Stages
		m.refresh()
		press(m, "?")
		screen := frame(m)
		for _, meaning := range []string{"Signs on this screen", words.MeaningOf("failed"), words.MeaningOf("blocked"), words.SignLine.Meaning, words.SignCount.Meaning} {
			if !strings.Contains(screen, meaning) {
				t.Errorf("ASCII %v: %q is not explained:\n%s", ascii, meaning, screen)
			}
		}
		for _, meaning := range []string{words.MeaningOf("waiting"), words.SignToken.Meaning, words.SignLoop.Meaning} {
			if strings.Contains(screen, meaning) {
				t.Errorf("ASCII %v: %q is not on the screen and is explained", ascii, meaning)
			}
		}
	}
}

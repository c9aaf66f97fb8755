package words

import (
	"strings"
	"testing"

	"wf/api"
)

// TestNoSignHasTwoMeanings: No two signs share a form, in Unicode or in ASCII. Only ok and kept share one in Unicode.
func TestNoSignHasTwoMeanings(t *testing.T) {
	signs := Signs()
	for i, a := range signs {
		for _, b := range signs[:i] {
			if strings.ContainsAny(a.ASCII, b.ASCII) {
				t.Errorf("in ASCII %q is %q and %q", a.ASCII, a.Meaning, b.Meaning)
			}
			if strings.ContainsAny(a.Glyph, b.Glyph) && a.Glyph != LookOf(api.StateKept).Glyph {
				t.Errorf("%q is %q and %q", a.Glyph, a.Meaning, b.Meaning)
			}
		}
		if a.Meaning == "" || a.Glyph == "" {
			t.Errorf("%+v", a)
		}
	}
	if len(stateMeanings) != len(looks) {
		t.Errorf("%d states have a meaning, %d a sign", len(stateMeanings), len(looks))
	}
}

// TestLegendHasWhatIsShown: A legend has the signs of a text and no others.
func TestLegendHasWhatIsShown(t *testing.T) {
	list := func(ascii bool) (forms []string) {
		for _, s := range Legend("✓ a ─▸ ✗ b…", ascii) {
			if ascii {
				forms = append(forms, s.ASCII)
			} else {
				forms = append(forms, s.Glyph)
			}
		}
		return forms
	}
	if got := strings.Join(list(false), " "); got != "✓ ✗ ─ ▸ …" {
		t.Errorf("%q", got)
	}
	if got := strings.Join(list(true), " "); got != "+ = x -|,`' ><v^" {
		t.Errorf("%q", got)
	}
	if len(Legend("nothing", false)) != 0 {
		t.Error("a text without signs has a legend")
	}
}

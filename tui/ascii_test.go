package tui

import (
	"strings"
	"testing"

	"wf/tui/words"
)

// asciiOf maps a sign to its possible replacements on an ASCII-only terminal.
var asciiOf = map[rune]string{
	'·': ".", '○': "o", '●': "*", '✓': "+", '✗': "x", '↪': "&", '⊘': "!", '◌': "~", '↷': "/", '◆': "?", '↻': "r", '↺': "%",
	'─': "-._", '│': "|[]", '━': "+*x", '╌': `".`, '╎': ":", '⋮': "$", '×': "xN", '╳': "X", '╋': "#", '▸': ">", '◂': "<", '▾': "v", '▴': "^", '▼': "V",
	'┌': ", ", '┐': ", ", '└': "`[", '┘': "']", '├': "#", '┤': "#", '┬': "#", '┴': "#:", '┼': "|#", '▐': "[", '▌': "]",
	'╭': ",'#", '╮': ",#", '╯': "'#", '╰': "`|#", '┃': "E",
}

// The bars of the strip of times have the signs of states in ASCII.
func init() {
	for _, r := range words.SignSpan.Glyph {
		asciiOf[r] = "+x*~&="
	}
	asciiOf['┄'] = "o"
}

// widening are the signs whose ASCII form has another width: the rest of their row is not at the same place.
const widening = "…↑↓←→⏎"

// TestASCIIScreenDiffersOnlyInSigns: A screen in ASCII has the same layout with other signs, so golden files need no
// ASCII variants.
func TestASCIIScreenDiffersOnlyInSigns(t *testing.T) {
	inUTC(t)
	for _, g := range goldens() {
		if g.titles != nil {
			continue // part of another file
		}
		for _, s := range g.shots {
			for _, size := range [][2]int{{g.width, g.height}, {200, 60}} {
				unicode, ascii := s.text(size[0], size[1], false), s.text(size[0], size[1], true)
				if i := strings.IndexFunc(ascii, func(r rune) bool { return r >= 0x7f }); i >= 0 {
					t.Errorf("%s %v: the ASCII screen has %q", s.title, size, ascii[i:i+4])
				}
				if s.title == "help" || s.title == "tint by time" || s.title == "critical path" {
					continue // the legend has other forms, and a tint is written in words
				}
				rows, want := strings.Split(ascii, "\n"), strings.Split(unicode, "\n")
				if len(rows) != len(want) {
					t.Fatalf("%s %v: %d rows in ASCII, otherwise %d", s.title, size, len(rows), len(want))
				}
				for y := range rows {
					if !sameInASCII([]rune(want[y]), []rune(rows[y])) {
						t.Errorf("%s %v row %d:\n%s\n%s", s.title, size, y, want[y], rows[y])
					}
				}
			}
		}
	}
}

// sameInASCII reports whether a row is the same as another one but for its signs, as far as both have the same
// columns: up to the first widening sign, before which a text may have been cut two columns earlier.
func sameInASCII(unicode, ascii []rune) bool {
	for x, r := range unicode {
		if strings.ContainsAny(string(unicode[x:min(x+3, len(unicode))]), "…") || strings.ContainsRune(widening, r) {
			return true
		}
		if x >= len(ascii) && r == '┐' { // blank in ASCII, and cut off at the end of a row
			return strings.TrimRight(string(unicode[:x]), " ┐") == string(unicode[:x])
		}
		if x >= len(ascii) || r != ascii[x] && !strings.ContainsRune(asciiOf[r], ascii[x]) {
			return false
		}
	}
	return len(unicode) == len(ascii)
}

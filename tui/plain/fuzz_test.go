package plain

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// obeyed says whether a terminal may do something else with r than show it. It is written down
// here once more, so that the test does not believe what the package believes.
func obeyed(r rune) bool {
	const bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || strings.ContainsRune(bidi, r)
}

// FuzzText: whatever comes in, nothing comes out that a terminal obeys; the borders of writes
// make no difference, and a second time changes nothing.
func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m\r\n10%\r20%\n", uint16(3))
	f.Add("\x1b]52;c;aGk=\x07\x1b]8;;http://x\x1b\\link\x1bP1$r\x1b\\\x1b(B", uint16(1))
	f.Add("\u009b31m\u009d0;t\u009c\x9b\u202e\u2066\x00\x7f\xff\xc2", uint16(9))
	f.Fuzz(func(t *testing.T, text string, cut uint16) {
		clean := Text(text)
		if i := strings.IndexFunc(clean, obeyed); i >= 0 || !utf8.ValidString(clean) {
			t.Fatalf("%q comes through as %q", text, clean)
		}
		if again := Text(clean); again != clean {
			t.Fatalf("%q becomes %q", clean, again)
		}
		if line := Line(text); strings.ContainsAny(line, "\n\t") || strings.IndexFunc(line, obeyed) >= 0 {
			t.Fatalf("%q is the line %q", text, line)
		}
		var b strings.Builder
		s := Writer{w: &b}
		at := int(cut) % (len(text) + 1)
		s.Write([]byte(text[:at]))
		s.Write([]byte(text[at:]))
		s.Flush()
		if b.String() != clean {
			t.Fatalf("cut at %d: %q, whole: %q", at, b.String(), clean)
		}
	})
}

package graphml

import (
	"math"
	"testing"
	"unicode/utf8"
)

// FuzzSanitize checks that sanitized output contains no C0 control characters but line feed and tab,
// and that sanitizing it again changes nothing.
func FuzzSanitize(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b[0m\r\n10%\r20%\n"), "node")
	f.Add([]byte("\x1b]0;title\x07\x1b]52;c;aGk=\x1b\\\x1bP1$r\x1b\\\x1b(B\x1b7"), "a\x1b[2Jb")
	f.Add([]byte("\u009b31m\x9b\u202e\u2066\x00\x7f\ufffe\xff\xc3"), "n\r\n")
	f.Fuzz(func(t *testing.T, output []byte, node string) {
		whole := Sanitize(output, math.MaxInt, 0, node)
		if again := Sanitize([]byte(whole), math.MaxInt, 0, node); again != whole {
			t.Fatalf("%q becomes %q", whole, again)
		}
		for _, limit := range []int{0, 1, 7, math.MaxInt} {
			text := Sanitize(output, limit, 1, node)
			for _, r := range text {
				if r < ' ' && r != '\n' && r != '\t' {
					t.Fatalf("limit %d: %q holds %q", limit, text, r)
				}
			}
			if !utf8.ValidString(text) {
				t.Fatalf("limit %d: %q is not UTF-8", limit, text)
			}
		}
	})
}

package plain

import (
	"regexp"
	"strings"
	"testing"
)

// TestColoursPassInOwnSpelling: Attributes and colours pass in our own spelling, and no other sequence passes.
func TestColoursPassInOwnSpelling(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[31mred\x1b[0m":      "\x1b[31mred\x1b[0m",
		"\x1b[mplain":             "\x1b[0mplain",
		"\x1b[1;031mb":            "\x1b[1;31mb\x1b[0m",
		"\x9b32mg":                "\ufffd32mg", // a lone byte is not UTF-8
		"\u009b32mg":              "\x1b[32mg\x1b[0m",
		"\x1b[38;5;208mo\x1b[39m": "\x1b[38;5;208mo\x1b[39m\x1b[0m",
		"\x1b[38:2:1:2:3mt":       "\x1b[38;2;1;2;3mt\x1b[0m",
		"\x1b[38;5mx":             "x",
		"\x1b[38;2;1;2;999mx":     "x",
		"\x1b[8mhidden":           "hidden",
		"\x1b[5;6mblink":          "blink",
		"\x1b[?1049hx\x1b[>4;2mx": "xx",
		"\x1b[31 mx\x1b[3$mx":     "xx",
		"\x1b[" + strings.Repeat("1;", 99) + "mlong": "long",
		"\x1b[2J\x1b]0;t\x07\x1b[31":                 "",
		"\x1b[9999999999999999999mx":                 "x",
	} {
		var b strings.Builder
		s := Writer{w: &b, sgr: true}
		for i := range len(in) { // a byte at a time: sequences are cut anywhere
			s.Write([]byte{in[i]})
		}
		s.Flush()
		if b.String() != want {
			t.Errorf("%q becomes %q, want %q", in, b.String(), want)
		}
		if got := Text(in); strings.Contains(got, "\x1b") {
			t.Errorf("%q without colours becomes %q", in, got)
		}
	}
}

// ourColour is all that may begin with ESC.
var ourColour = regexp.MustCompile(`\x1b\[[0-9]+(;[0-9]+)*m`)

// FuzzColours: whatever comes in, the only sequences that come out are colours, and they end.
func FuzzColours(f *testing.F) {
	f.Add([]byte("\x1b[31mred\x1b[0m\x1b[38;5;9mx\x1b]0;t\x07"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var b strings.Builder
		s := Writer{w: &b, sgr: true}
		s.Write(in)
		s.Flush()
		out := b.String()
		if rest := ourColour.ReplaceAllString(out, ""); strings.Contains(rest, "\x1b") {
			t.Fatalf("%q becomes %q", in, out)
		}
		last := ourColour.FindAllString(out, -1)
		if len(last) > 0 && !strings.HasSuffix(last[len(last)-1], "0m") {
			t.Fatalf("a colour stays on: %q", out)
		}
	})
}

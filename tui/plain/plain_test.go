package plain

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text stays", "héllo\tworld\n✓", "héllo\tworld\n✓"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"8-bit CSI", "a\u009b31mb", "ab"},
		{"raw 8-bit CSI is no rune", "a\x9b31mb", "a\ufffd31mb"},
		{"title", "\x1b]0;owned\x07text", "text"},
		{"clipboard, ended by ST", "\x1b]52;c;aGk=\x1b\\text", "text"},
		{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"DCS", "\x1bPq#0\x1b\\text", "text"},
		{"C1 string", "\u0090abc\u009ctext", "text"},
		{"alternate screen", "\x1b[?1049hx\x1b[?1049l", "x"},
		{"short sequence", "\x1bcx\x1b(By", "xy"},
		{"C0", "a\x00b\x07c\x08d\x7fe", "abcde"},
		{"CR LF", "a\r\nb", "a\nb"},
		{"lone CR hides nothing", "real\rfake", "real\nfake"},
		{"bidi", "a\u202eb\u2066c\u200fd", "abcd"},
		{"sequence without end keeps the next line", "\x1b]0;never ended\nnext", "\nnext"},
		{"CSI broken by a control", "\x1b[31\nnext", "\nnext"},
		{"sequence inside a string", "\x1b]0;x\x1b[31mtext", "text"},
		{"invalid UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("%s: Text(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

// TestOnlyTextPasses: For any input only text passes, the same however the input is cut, and a second pass changes
// nothing.
func TestOnlyTextPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{"\x1b", "\x1b[", "\x1b]", "\x9b", "\u009b", "\r", "\n", "\x07", "\x1b\\", "31m", "\xc2"}),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		)).Draw(t, "pieces")
		whole := Text(strings.Join(pieces, ""))
		for _, r := range whole {
			if !IsText(r) {
				t.Fatalf("%q came through in %q", r, whole)
			}
		}
		if !utf8.ValidString(whole) || Text(whole) != whole {
			t.Fatalf("%q is not clean", whole)
		}
		var b bytes.Buffer
		s := Writer{w: &b}
		for _, piece := range pieces {
			s.Write([]byte(piece))
		}
		s.Flush()
		if b.String() != whole {
			t.Fatalf("cut into pieces: %q, whole: %q", b.String(), whole)
		}
	})
}

func TestLineHasNoLineEnds(t *testing.T) {
	if got := Line(" a\n\tb \x1b[2J c "); got != "a b c" {
		t.Errorf("oneLine = %q", got)
	}
}

func BenchmarkSanitizer(b *testing.B) {
	line := []byte(strings.Repeat("[M::mem_process_seqs] Processed 120000 reads\n", 1000))
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		s := Writer{w: &bytes.Buffer{}}
		s.Write(line)
	}
}

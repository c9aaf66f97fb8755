package graphml

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"wf/graph"
)

func graphRemove(id string) graph.Op { return graph.RemoveNode{ID: id} }

func TestSanitize(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"plain", "one\ttwo\nthree\n", "one\ttwo\nthree\n"},
		{"colours", "\x1b[1;31mred\x1b[0m and \x1b[38;2;1;2;3mmore\x1b[m", "red and more"},
		{"title and link", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"},
		{"cursor", "\x1b7\x1b[2K\x1b(Bx\x1b8", "x"},
		{"lone escape", "a\x1b", "a␛"},
		{"title without end", "\x1b]0;title\nnext", "0;title\nnext"},
		{"progress", "start\n 10%\r 20%\r100%\ndone", "start\n100%\ndone"},
		{"line ends of Windows", "a\r\nb\r\r\nc\r", "a\nb\nc"},
		{"control characters", "bell\a nul\x00 back\b form\f", "bell␇ nul␀ back␈ form␌"},
		{"no UTF-8", "caf\xE9 \xFF\xFE ü", "caf� �� ü"},
		{"no characters", "a\uFFFEb\uFFFFc", "a�b�c"},
		{"cut off character", "ü\xC3", "ü�"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sanitize([]byte(tt.output), 1000, 0, "n"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestSanitizeCuts(t *testing.T) {
	tests := []struct {
		name, output string
		limit        int
		skipped      int64
		want         string
	}{
		{"fits", "12345678", 8, 0, "12345678"},
		{"at a line", "one\ntwo\nthree\nfour\n", 12, 0, "... 8 bytes left out, see wf logs n\nthree\nfour\n"},
		{"in a long line", "12345678", 4, 0, "... 4 bytes left out, see wf logs n\n5678"},
		{"never in a character", "üüüü", 3, 0, "... 6 bytes left out, see wf logs n\nü"},
		{"known before", "tail", 10, 96, "... 96 bytes left out, see wf logs n\ntail"},
		{"both", "12345678", 4, 100, "... 104 bytes left out, see wf logs n\n5678"},
		{"nothing", "abc", 0, 0, "... 3 bytes left out, see wf logs n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sanitize([]byte(tt.output), tt.limit, tt.skipped, "n"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if got := Sanitize([]byte("abc"), 1, 0, "a\nb\x1b["+strings.Repeat("x", 500)); strings.Count(got, "\n") != 1 || len(got) > 200 {
		t.Errorf("an odd id gives %q", got)
	}
}

// TestSanitizeRandom checks on random output that the result is bounded and writable as XML, and that
// a file returns it unchanged.
func TestSanitizeRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom([]string{"\x1b", "\x1b[", "\x1b]", "\r", "\n", "\r\n", "\x00", "\xC3", "\uFFFE", "]]>", "&", "<", "\x1b[31m", "é"}),
			rapid.String(),
		)).Draw(t, "parts")
		limit := rapid.IntRange(0, 60).Draw(t, "limit")
		got := Sanitize([]byte(strings.Join(parts, "")), limit, 0, "node")
		if len(got) > limit+100 || !utf8.ValidString(got) || !isWritable(got) || strings.Contains(got, "\r") {
			t.Fatalf("limit %d: %q", limit, got)
		}
		var back string
		text := fmt.Sprintf("<a>%s</a>", appendText(nil, got, &form{}))
		if err := xml.Unmarshal([]byte(text), &back); err != nil || back != got {
			t.Fatalf("%q reads as %q, error %v", got, back, err)
		}
	})
}

func TestAttributesAreEscaped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Map(func(r rune) rune {
			if (r < ' ' && r != '\n' && r != '\t' && r != '\r') || r == 0xFFFE || r == 0xFFFF {
				return -1
			}
			return r
		}, rapid.String().Draw(t, "text"))
		var back struct {
			A string `xml:"a,attr"`
			B string `xml:",chardata"`
		}
		file := fmt.Sprintf("<x a=\"%s\">%s</x>", appendAttr(nil, text, utf8Charset), appendText(nil, text, &form{charset: ascii}))
		if err := xml.Unmarshal([]byte(file), &back); err != nil || back.A != text || back.B != text {
			t.Fatalf("%q reads as %q and %q, error %v", text, back.A, back.B, err)
		}
	})
}

package progress

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestCapped checks that the result is the longest prefix within both limits.
func TestCapped(t *testing.T) {
	for _, c := range []struct {
		text         string
		bytes, lines int
		want         string
	}{
		{"a\nb\nc", 100, 100, "a\nb\nc"},
		{"a\nb\nc", 100, 2, "a\nb\n"},
		{"a\nb\n", 100, 2, "a\nb\n"},
		{"a\nb\nc", 3, 2, "a\nb"},
		{"\n\n\n\n", 3, 100, "\n\n\n"},
		{"", 3, 2, ""},
	} {
		for name, slow := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytewise": iotest.OneByteReader, "with its end": iotest.DataErrReader,
		} {
			got, err := io.ReadAll(&capped{r: slow(strings.NewReader(c.text)), bytes: c.bytes, lines: c.lines})
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %q, %d bytes, %d lines: %q, %v", name, c.text, c.bytes, c.lines, got, err)
			}
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/api"
	"wf/tui/tail"
)

// TestJSONLines checks that the bytes of any stream can be restored from its lines, that no line is too long, and that only
// the end of a stream or of a piece is partial.
func TestJSONLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Join(rapid.SliceOf(rapid.SampledFrom([][]byte{
			[]byte("one"), []byte("\n"), []byte("\r"), []byte("äöü€\U0001f600"), []byte("\xff\xc3"), {0},
			[]byte(strings.Repeat("é", maxLogText/3)), []byte(strings.Repeat("x", maxLogText)), []byte("\x1b[2J"),
		})).Draw(t, "pieces"), nil)
		var out bytes.Buffer
		j := newJSONLines(&out, api.LogInfo{Run: "1", Node: "a", Name: "a", Execution: 1}, tail.Stdout, nil, 0)
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			j.Write(rest[:n])
			rest = rest[n:]
		}
		j.Flush()
		if got := joinJSONLines(t, out.Bytes()); !bytes.Equal(got, text) {
			t.Fatalf("%q is restored as %q", text, got)
		}
	})
}

// joinJSONLines returns the bytes of a stream from its lines, like a reader.
func joinJSONLines(t *rapid.T, out []byte) []byte {
	var all []byte
	for line := range bytes.Lines(out) {
		if err := validate(line); err != nil {
			t.Fatalf("%s%v", line, err)
		}
		var l api.LogLine
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		piece := l.Bytes
		if piece == nil {
			piece = []byte(l.Text)
		}
		if len(piece) > maxLogText || l.Partial && len(piece) == 0 {
			t.Fatalf("a piece of %d bytes", len(piece))
		}
		all = append(all, piece...)
		if !l.Partial {
			all = append(all, '\n')
		}
	}
	return all
}

// TestJSONLinesCut checks that a long line is cut between characters.
func TestJSONLinesCut(t *testing.T) {
	var out bytes.Buffer
	j := newJSONLines(&out, api.LogInfo{Run: "1", Node: "a", Name: "a", Execution: 1}, tail.Stdout, nil, 0)
	j.Write([]byte(strings.Repeat("x", maxLogText-1) + "€ end\n"))
	if lines := strings.Split(out.String(), "\n"); len(lines) != 3 || strings.Contains(lines[0], "�") ||
		!strings.Contains(lines[0], `"partial":true`) || !strings.Contains(lines[1], `"text":"€ end"}`) {
		t.Errorf("%.100q … %q", lines[0], lines[1:])
	}
}

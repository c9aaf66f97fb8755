package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"wf/tui/plain"
)

// WriteJSON writes v as one line of JSON. It escapes control characters of terminals, but not characters of HTML, so that
// commands stay readable.
func WriteJSON(w io.Writer, v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeControls(line.Bytes()))
	return err
}

// escapeControls writes control characters as \uXXXX. They can only occur in strings, so the meaning is the same.
func escapeControls(line []byte) []byte {
	if plain.Is(string(line)) {
		return line
	}
	escaped := make([]byte, 0, len(line))
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if plain.IsText(r) {
			escaped = append(escaped, line[i:i+size]...)
		} else {
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		}
		i += size
	}
	return escaped
}

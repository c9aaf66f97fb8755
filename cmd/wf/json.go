package main

import (
	"encoding/json"
	"io"
)

// writeJSON writes v as one line of JSON, the same bytes for the same value. Commands are shown
// as they are: nothing is escaped for HTML.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

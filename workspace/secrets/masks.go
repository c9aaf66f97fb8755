// Package secrets hides the secret values of a run wherever something of the run is shown. Commands write their outputs into
// files themselves (docs/decisions/outputs-through-files.md), so these files contain the values. This is the only package that
// opens them for readers, and it covers the values in what it returns; it also hides them in records, events and answers.
//
// A run keeps no value: its folder contains a keyed digest of each, with which a later daemon finds it again. The package does
// not know which variables are secret, and it decides nothing.
package secrets

import (
	"bytes"
	"encoding/json"
	"sync"
)

// Hidden replaces a value. Who reads an output by positions gets an asterisk for each byte of a value instead.
const Hidden = "***"

// Masks find the secret values of one run. nil hides nothing. All methods are safe for concurrent use.
type Masks struct {
	mu   sync.RWMutex // guards set
	set  *set
	file string // where they are kept; "" = only in memory

	outputs outputs
}

// New returns masks in memory.
func New(values ...string) *Masks {
	m := &Masks{set: newSet(newKey())}
	for _, v := range values {
		for _, form := range formsOf(v) {
			m.set.add(m.set.maskOf(form))
		}
	}
	return m
}

// Add hides further values. Their digests are in the file when it returns, but perhaps not yet on the disk. After an error they
// are hidden nevertheless, by this daemon.
func (m *Masks) Add(values ...string) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var added []mask
	for _, v := range values {
		for _, form := range formsOf(v) {
			if k := m.set.maskOf(form); m.set.add(k) {
				added = append(added, k)
			}
		}
	}
	if len(added) == 0 || m.file == "" {
		return nil
	}
	return appendMasks(m.file, added)
}

// Any reports whether there is a value to hide.
func (m *Masks) Any() bool {
	if m == nil {
		return false
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.set.longest > 0
}

// context returns how many bytes before and after a position can belong to a value at this position.
func (m *Masks) context() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return max(0, m.set.longest-1)
}

// Text returns a text in which values are replaced by Hidden.
func (m *Masks) Text(s string) string {
	if m == nil || len(s) < Least {
		return s
	}
	covers := m.covers([]byte(s))
	if len(covers) == 0 {
		return s
	}
	return string(replaced([]byte(s), covers))
}

// Bytes is Text for bytes. It returns text itself if it contains no value.
func (m *Masks) Bytes(text []byte) []byte {
	if m == nil {
		return text
	}
	return replaced(text, m.covers(text))
}

// covers returns where values are in a whole text, in the order in which they begin.
func (m *Masks) covers(text []byte) []span {
	m.mu.RLock()
	defer m.mu.RUnlock()
	list, _ := m.set.find(text, 0, true)
	return list
}

// Value returns a value of JSON in which texts, and numbers that are secret, are replaced. It changes nothing in v.
func (m *Masks) Value(v any) any {
	if m == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		return m.Text(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = m.Value(v[i])
		}
		return list
	case map[string]any:
		if v == nil {
			return v
		}
		values := make(map[string]any, len(v))
		for key, value := range v {
			values[m.Text(key)] = m.Value(value)
		}
		return values
	case nil, bool:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil || m.Text(string(text)) == string(text) {
		return v
	}
	return Hidden
}

// JSON is Value for encoded JSON. It returns data itself if nothing in it is secret.
func (m *Masks) JSON(data json.RawMessage) json.RawMessage {
	if m == nil || len(data) == 0 {
		return data
	}
	if len(m.covers(data)) == 0 && bytes.IndexByte(data, '\\') < 0 {
		return data
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return data
	}
	before, err := json.Marshal(v)
	if err != nil {
		return data
	}
	after, err := json.Marshal(m.Value(v))
	if err != nil || bytes.Equal(before, after) {
		return data
	}
	return after
}

// replaced returns a text in which spans are replaced by Hidden; they are in order of their starts and may overlap. It returns text
// itself if there are none.
func replaced(text []byte, spans []span) []byte {
	if len(spans) == 0 {
		return text
	}
	return appendReplaced(make([]byte, 0, len(text)), text, spans)
}

// appendReplaced appends what replaced returns.
func appendReplaced(out, text []byte, spans []span) []byte {
	at := 0
	for i, c := range spans {
		if i == 0 || c.from >= at {
			out = append(append(out, text[at:c.from]...), Hidden...)
		}
		at = max(at, c.to)
	}
	return append(out, text[at:]...)
}

// cover replaces each byte in spans by an asterisk, in place.
func cover(text []byte, spans []span) {
	for _, c := range spans {
		for i := c.from; i < c.to; i++ {
			text[i] = '*'
		}
	}
}

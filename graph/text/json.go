package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"wf/graph/pattern"
)

// A jsonValue is a value of a JSON text. Objects keep the order of their members, and numbers their spelling, so that the
// text can be written again.
type jsonValue struct {
	fields  []jsonField // of an object; not nil
	list    bool
	items   []*jsonValue
	text    string // of a string, or the literal of other values
	literal bool   // a number, true, false or null
}

type jsonField struct {
	name  string
	value *jsonValue
}

// maxDepth limits how deep values may be nested.
const maxDepth = 100

// parseJSON reads a JSON text. ok is false if it is none, or if a member stands there twice.
func parseJSON(text string) (v *jsonValue, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	v, ok = readJSON(dec, 0)
	if _, err := dec.Token(); !ok || !errors.Is(err, io.EOF) {
		return nil, false
	}
	return v, true
}

func readJSON(dec *json.Decoder, depth int) (*jsonValue, bool) {
	token, err := dec.Token()
	if err != nil || depth > maxDepth {
		return nil, false
	}
	switch t := token.(type) {
	case json.Delim:
		return readJSONInside(dec, t, depth)
	case string:
		return &jsonValue{text: t}, true
	case json.Number:
		return &jsonValue{text: t.String(), literal: true}, true
	case bool:
		if t {
			return &jsonValue{text: "true", literal: true}, true
		}
		return &jsonValue{text: "false", literal: true}, true
	}
	return &jsonValue{text: "null", literal: true}, true
}

// readJSONInside reads an object or a list after its first bracket.
func readJSONInside(dec *json.Decoder, open json.Delim, depth int) (*jsonValue, bool) {
	v := &jsonValue{list: open == '['}
	if !v.list {
		v.fields = []jsonField{}
	}
	seen := map[string]bool{}
	for dec.More() {
		name := ""
		if !v.list {
			token, err := dec.Token()
			text, isText := token.(string)
			if name = text; err != nil || !isText || seen[name] {
				return nil, false
			}
			seen[name] = true
		}
		inner, ok := readJSON(dec, depth+1)
		if !ok {
			return nil, false
		}
		if v.list {
			v.items = append(v.items, inner)
		} else {
			v.fields = append(v.fields, jsonField{name, inner})
		}
	}
	_, err := dec.Token()
	return v, err == nil
}

// structure writes a JSON value behind a key: objects with a line for each member, lists of simple values in one line.
func (w *writer) structure(indent int, v *jsonValue) {
	switch {
	case len(v.fields) > 0:
		w.WriteByte('\n')
		for _, f := range v.fields {
			w.key(indent+step, f.name)
			w.structure(indent+step, f.value)
		}
	case v.fields != nil:
		w.line("{}")
	case v.list:
		w.line(flowList(v))
	case v.literal:
		w.line(v.text)
	default:
		w.line(scalar(v.text, plainValue))
	}
}

// flowList returns a list in one line: with as few quotes as possible if all its elements are simple, otherwise as JSON,
// which is YAML, too.
func flowList(v *jsonValue) string {
	parts := make([]string, len(v.items))
	for i, item := range v.items {
		switch {
		case item.list || item.fields != nil:
			return v.json()
		case item.literal:
			parts[i] = item.text
		default:
			parts[i] = scalar(item.text, plainFlow)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// json returns the value as JSON in one line, with a space after commas and colons.
func (v *jsonValue) json() string {
	var b bytes.Buffer
	v.append(&b)
	return b.String()
}

func (v *jsonValue) append(b *bytes.Buffer) {
	switch {
	case v.fields != nil:
		b.WriteByte('{')
		for i, f := range v.fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(jsonString(f.name) + ": ")
			f.value.append(b)
		}
		b.WriteByte('}')
	case v.list:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.append(b)
		}
		b.WriteByte(']')
	case v.literal:
		b.WriteString(v.text)
	default:
		b.WriteString(jsonString(v.text))
	}
}

// jsonString returns a string of JSON. Characters that YAML or XML cannot hold are escaped.
func jsonString(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic("internal error: a string has no JSON: " + err.Error())
	}
	quoted := strings.TrimSuffix(b.String(), "\n")
	var out strings.Builder
	for _, r := range quoted {
		if visible(r) {
			out.WriteRune(r)
			continue
		}
		const hex = "0123456789abcdef"
		out.WriteString(`\u` + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]}))
	}
	return out.String()
}

// number matches the numbers of JSON.
var number = pattern.Of(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// isNumber reports whether a text is a number of JSON.
func isNumber(text string) bool { return number.Get().MatchString(text) }

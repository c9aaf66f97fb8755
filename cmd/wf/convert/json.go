package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A jsonNode is a value of a JSON text that knows its line. Its methods accept nil for a missing value.
type jsonNode struct {
	line   int
	fields map[string]*jsonNode // of an object
	items  []*jsonNode          // of a list
	text   string               // of other values; "" of null
}

func (n *jsonNode) field(name string) *jsonNode {
	if n == nil {
		return nil
	}
	return n.fields[name]
}

func (n *jsonNode) string() string {
	if n == nil {
		return ""
	}
	return n.text
}

// A jsonParser counts lines while it reads.
type jsonParser struct {
	data []byte
	dec  *json.Decoder
	pos  int // lines are counted up to here
	line int
}

// parseJSON reads a JSON text with one value.
func parseJSON(data []byte) (*jsonNode, error) {
	p := jsonParser{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	root, err := p.value(0)
	if err == nil {
		if _, err = p.dec.Token(); errors.Is(err, io.EOF) {
			return root, nil
		} else if err == nil {
			err = errors.New("there is more than one value")
		}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, errorAt(lineAt(data, int(syntax.Offset)), "%s", strings.TrimPrefix(err.Error(), "json: "))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errorAt(lineAt(data, len(data)), "the text ends too early")
	}
	return nil, errorAt(p.here(), "%s", err)
}

// lineAt returns the line of an offset in data, from 1.
func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// here returns the line of the latest token.
func (p *jsonParser) here() int {
	to := int(p.dec.InputOffset())
	p.line += bytes.Count(p.data[p.pos:to], []byte("\n"))
	p.pos = to
	return p.line
}

func (p *jsonParser) value(depth int) (*jsonNode, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("values are nested more than %d deep", maxNesting)
	}
	token, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &jsonNode{line: p.here()}
	switch token {
	case json.Delim('{'):
		n.fields = map[string]*jsonNode{}
		for p.dec.More() {
			key, err := p.dec.Token()
			if err != nil {
				return nil, err
			}
			if n.fields[fmt.Sprint(key)], err = p.value(depth + 1); err != nil {
				return nil, err
			}
		}
		_, err = p.dec.Token()
	case json.Delim('['):
		for p.dec.More() {
			item, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
		_, err = p.dec.Token()
	case nil:
	default:
		n.text = fmt.Sprint(token)
	}
	return n, err
}

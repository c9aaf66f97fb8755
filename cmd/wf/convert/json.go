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

func (n *jsonNode) list() []*jsonNode {
	if n == nil {
		return nil
	}
	return n.items
}

// A jsonParser counts lines while it reads.
type jsonParser struct {
	data []byte
	dec  *json.Decoder
	pos  int // lines are counted up to here
	line int
}

// parseJSON reads a JSON text with one value.
func parseJSON(data []byte) *jsonNode {
	p := jsonParser{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	root := p.value(0)
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		p.check(err)
		fail(p.here(), "there is more than one value")
	}
	return root
}

// token returns the next token.
func (p *jsonParser) token() json.Token {
	token, err := p.dec.Token()
	p.check(err)
	return token
}

// check fails if err is an error of the JSON library.
func (p *jsonParser) check(err error) {
	var syntax *json.SyntaxError
	switch {
	case err == nil:
	case errors.As(err, &syntax):
		fail(lineAt(p.data, int(syntax.Offset)), "%s", strings.TrimPrefix(err.Error(), "json: "))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		fail(lineAt(p.data, len(p.data)), "the text ends too early")
	default:
		fail(p.here(), "%s", err)
	}
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

func (p *jsonParser) value(depth int) *jsonNode {
	if depth > maxNesting {
		fail(p.here(), "values are nested more than %d deep", maxNesting)
	}
	token := p.token()
	n := &jsonNode{line: p.here()}
	switch token {
	case json.Delim('{'):
		n.fields = map[string]*jsonNode{}
		for p.dec.More() {
			key := fmt.Sprint(p.token())
			n.fields[key] = p.value(depth + 1)
		}
		p.token()
	case json.Delim('['):
		for p.dec.More() {
			n.items = append(n.items, p.value(depth+1))
		}
		p.token()
	case nil:
	default:
		n.text = fmt.Sprint(token)
	}
	return n
}

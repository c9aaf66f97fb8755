package graphml

import (
	"bytes"
	"unicode/utf8"
)

// plainData reads a value in the most common form, <data key="k">text</data> or <data key="k"/>,
// faster than openData. ok is false when it has any other form.
func (s *scanner) plainData(i int) (next int, ok bool) {
	const head = `<data key="`
	text := s.text
	if len(s.stack) == 0 || !s.scope.plain || len(text)-i < len(head) || string(text[i:i+len(head)]) != head {
		return 0, false
	}
	parent := &s.stack[len(s.stack)-1]
	if parent.kind != nodeKind && parent.kind != edgeKind && parent.kind != graphKind {
		return 0, false
	}
	from := i + len(head)
	j := from
	for j < len(text) && text[j] != '"' {
		if c := text[j]; c == '&' || c == '<' || c < ' ' {
			return 0, false
		}
		j++
	}
	var v slot
	if v.value, v.close, next, ok = plainRest(text, j+1); !ok {
		return 0, false
	}
	v.key = s.keyIDs.intern(text[from:j])
	s.addSlot(parent, v)
	return next, true
}

// plainRest reads the part of a plain <data> after the key, from j on.
func plainRest(text []byte, j int) (value, close int32, end int, ok bool) {
	const tail = "</data>"
	if j < len(text) && text[j] == ' ' {
		j++
	}
	if j+1 < len(text) && text[j] == '/' && text[j+1] == '>' {
		return int32(j + 2), none, j + 2, true
	}
	if j >= len(text) || text[j] != '>' {
		return 0, 0, 0, false
	}
	j++
	n := bytes.IndexByte(text[j:], '<')
	if n < 0 || len(text)-j-n < len(tail) || string(text[j+n:j+n+len(tail)]) != tail {
		return 0, 0, 0, false
	}
	return int32(j), int32(j + n), j + n + len(tail), true
}

// plainEdge reads the start tag of an edge in the most common form, <edge source="a" target="b">, faster than tag and
// openEdge. ok is false when it has any other form.
func (s *scanner) plainEdge(i int) (next int, ok bool) {
	if len(s.stack) == 0 || len(s.stack) >= s.limits.MaxDepth || !s.scope.plain || s.stack[len(s.stack)-1].kind != graphKind {
		return 0, false
	}
	source, j := s.plainValue(i, `<edge source="`)
	target, j := s.plainValue(j, ` target="`)
	if source == "" || target == "" || j >= len(s.text) || s.text[j] != '>' {
		return 0, false
	}
	number := int32(len(s.edges))
	from, _ := s.end(nil, source, number, false) // a plain id has no errors
	to, _ := s.end(nil, target, number, true)
	next = j + 1
	s.addEdge(element{start: int32(i), inner: int32(next), close: none, first: none, graph: s.stack[len(s.stack)-1].number}, ends{from, to})
	s.stack = append(s.stack, openElement{kind: edgeKind, number: number, start: int32(i), nameSize: int32(len("edge")), lastSlot: none, scope: s.scope})
	return next, true
}

// plainValue reads an attribute at j that begins with head, which contains the quote. It returns its value and its end, or ""
// if the text there is not head or the value is not plain ASCII.
func (s *scanner) plainValue(j int, head string) (value string, end int) {
	if len(s.text)-j < len(head) || string(s.text[j:j+len(head)]) != head {
		return "", j
	}
	from := j + len(head)
	for j = from; j < len(s.text) && s.text[j] != '"'; j++ {
		if c := s.text[j]; c == '&' || c == '<' || c < ' ' || c >= utf8.RuneSelf {
			return "", j
		}
	}
	return s.sub(int32(from), int32(j)), j + 1
}

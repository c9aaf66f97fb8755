package graphml

import "bytes"

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

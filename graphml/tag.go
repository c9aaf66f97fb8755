package graphml

import "strings"

// A tag is one start tag. Its attributes are valid until the next tag is read.
type tag struct {
	start, end    int32 // of "<", after ">"
	name          string
	prefix, local string // the two parts of name; prefix is without the colon
	empty         bool   // <a/>
	declares      bool   // has an xmlns attribute
	attrs         []attr
}

// An attr is one attribute in the text, its value without quotes and not decoded.
type attr struct {
	name, value string
	start, end  int32 // of the name, after the closing quote
}

// get returns the raw value of an attribute.
func (t *tag) get(name string) (string, bool) {
	for i := range t.attrs {
		if t.attrs[i].name == name {
			return t.attrs[i].value, true
		}
	}
	return "", false
}

// endsName marks the bytes that cannot be part of a name.
var endsName = byteSet(" \t\r\n/>=<\"'&;!?[](){}*+,@#$%^~`|\\\x7f")

// startsNoName marks ASCII bytes that cannot start a name.
var startsNoName = byteSet(" \t\r\n/>=<\"'&;!?[](){}*+,@#$%^~`|\\\x7f-.0123456789")

func byteSet(members string) (set [256]bool) {
	for c := range 0x20 {
		set[c] = true
	}
	for i := range len(members) {
		set[members[i]] = true
	}
	return set
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// tag reads the start tag at i.
func (s *scanner) tag(i int) (tag, error) {
	text := s.text
	j := i + 1
	if startsNoName[text[j]] {
		return tag{}, s.errorf(i, "%q does not start a tag: write &lt; for the character itself", "<"+string(text[j]))
	}
	for j < len(text) && !endsName[text[j]] {
		j++
	}
	t := tag{start: int32(i), name: s.sub(int32(i+1), int32(j)), attrs: s.attrs[:0]}
	t.local = t.name
	if colon := strings.IndexByte(t.name, ':'); colon >= 0 {
		t.prefix, t.local = t.name[:colon], t.name[colon+1:]
	}
	for {
		for j < len(text) && isSpace(text[j]) {
			j++
		}
		switch {
		case j >= len(text):
			return t, s.endOfFile()
		case text[j] == '>':
			t.end, s.attrs = int32(j+1), t.attrs
			return t, nil
		case text[j] == '/':
			if j+1 >= len(text) {
				return t, s.endOfFile()
			}
			if text[j+1] != '>' {
				return t, s.errorf(j, "\"/\" inside the tag <%s>", t.name)
			}
			t.end, t.empty, s.attrs = int32(j+2), true, t.attrs
			return t, nil
		}
		a, next, err := s.attr(&t, j)
		if err != nil {
			return t, err
		}
		t.attrs = append(t.attrs, a)
		t.declares = t.declares || strings.HasPrefix(a.name, "xmlns")
		j = next
	}
}

// attr reads the attribute at j of the tag t and returns its end.
func (s *scanner) attr(t *tag, j int) (attr, int, error) {
	text, start := s.text, j
	if startsNoName[text[j]] {
		return attr{}, 0, s.errorf(j, "%q inside the tag <%s>", text[j], t.name)
	}
	for j < len(text) && !endsName[text[j]] {
		j++
	}
	name := s.sub(int32(start), int32(j))
	for j < len(text) && isSpace(text[j]) {
		j++
	}
	if j < len(text) && text[j] != '=' {
		return attr{}, 0, s.errorf(start, "attribute %s of <%s> has no value", name, t.name)
	}
	for j++; j < len(text) && isSpace(text[j]); j++ {
	}
	if j >= len(text) {
		return attr{}, 0, s.endOfFile()
	}
	quote := text[j]
	if quote != '"' && quote != '\'' {
		return attr{}, 0, s.errorf(j, "the value of attribute %s of <%s> has no quotes", name, t.name)
	}
	value := j + 1
	for j++; j < len(text) && text[j] != quote; j++ {
		if text[j] == '<' {
			return attr{}, 0, s.errorf(j, "\"<\" in the value of attribute %s of <%s>", name, t.name)
		}
	}
	if j >= len(text) {
		return attr{}, 0, s.endOfFile()
	}
	return attr{name: name, value: s.sub(int32(value), int32(j)), start: int32(start), end: int32(j + 1)}, j + 1, nil
}

// endTag reads the end tag at i and closes the innermost element.
func (s *scanner) endTag(i int) (int, error) {
	text := s.text
	j := i + 2
	for j < len(text) && !endsName[text[j]] {
		j++
	}
	nameEnd := j
	for j < len(text) && isSpace(text[j]) {
		j++
	}
	if j >= len(text) {
		return 0, s.endOfFile()
	}
	name := s.sub(int32(i+2), int32(nameEnd))
	if text[j] != '>' {
		return 0, s.errorf(i, "the end tag </%s> is not closed by \">\"", name)
	}
	if len(s.stack) == 0 {
		return 0, s.errorf(i, "</%s> has no start tag", name)
	}
	f := &s.stack[len(s.stack)-1]
	if s.name(f) != name {
		line, _ := position(text, i)
		return 0, s.errorf(i, "</%s> at line %d closes <%s>", name, line, s.name(f))
	}
	s.closed(f, int32(i), int32(j+1))
	s.scope = f.scope
	s.stack = s.stack[:len(s.stack)-1]
	return j + 1, nil
}

package graphml

import (
	"bytes"
	"fmt"
	"strings"
)

// What is here is read although XML forbids it, because nothing is unclear about it. Other programs refuse
// such files, so that people are told.

var sectionEnd = []byte("]]>")

// strayEnding warns of the end of a section in text outside of any.
func (s *scanner) strayEnding(from, to int) {
	if i := bytes.Index(s.text[from:to], sectionEnd); i >= 0 {
		s.notes.add(note{offset: from + i, code: WarnXML, message: "a text holds ]]>, which XML forbids: write ]]&gt;"})
	}
}

// doubtful warns of what XML forbids in a start tag.
func (s *scanner) doubtful(t *tag) {
	for i := range t.attrs {
		for k := range i {
			if t.attrs[k].name == t.attrs[i].name {
				s.notes.add(note{offset: int(t.start), code: WarnXML,
					message: fmt.Sprintf("<%s> has the attribute %s twice, which XML forbids: the first counts", t.name, t.attrs[i].name)})
			}
		}
	}
	if t.prefix != "" && !s.declared(t, t.prefix) {
		s.notes.add(note{offset: int(t.start), code: WarnXML, message: fmt.Sprintf("<%s> has a prefix that nothing declares", t.name)})
	}
	for i := range t.attrs {
		prefix, _, has := strings.Cut(t.attrs[i].name, ":")
		if has && prefix != "xmlns" && prefix != "xml" && !s.declared(t, prefix) {
			s.notes.add(note{offset: int(t.start), code: WarnXML,
				message: fmt.Sprintf("the attribute %s of <%s> has a prefix that nothing declares", t.attrs[i].name, t.name)})
		}
	}
}

// declared says whether a prefix is declared in a start tag, or outside of it. Within what is not looked at
// nobody keeps account of that: then it counts as declared.
func (s *scanner) declared(t *tag, prefix string) bool {
	if n := len(s.stack); n > 0 && s.stack[n-1].kind == opaque {
		return true
	}
	for b := s.scope.bindings; b != nil; b = b.outer {
		if b.prefix == prefix {
			return true
		}
	}
	_, ok := t.get("xmlns:" + prefix)
	return ok
}

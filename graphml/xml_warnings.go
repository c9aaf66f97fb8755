package graphml

import (
	"bytes"
	"fmt"
	"strings"
)

// The warnings in this file are about markup that XML forbids but whose meaning is clear. It is
// read, with a warning, because other programs refuse such files.

var sectionEnd = []byte("]]>")

// warnSectionEnd warns of a "]]>" that does not end a CDATA section.
func (s *scanner) warnSectionEnd(from, to int) {
	if i := bytes.Index(s.text[from:to], sectionEnd); i >= 0 {
		s.notes.add(note{offset: from + i, code: WarnXML, message: "a text contains ]]>, which XML forbids: write ]]&gt;"})
	}
}

// warnXML warns of errors in a start tag that do not prevent reading it.
func (s *scanner) warnXML(t *tag) {
	for i := range t.attrs {
		for k := range i {
			if t.attrs[k].name == t.attrs[i].name {
				s.notes.add(note{offset: int(t.start), code: WarnXML,
					message: fmt.Sprintf("<%s> has the attribute %s twice, which XML forbids: the first counts", t.name, t.attrs[i].name)})
			}
		}
	}
	if t.prefix != "" && !s.declared(t, t.prefix) {
		s.notes.add(note{offset: int(t.start), code: WarnXML, message: fmt.Sprintf("<%s> has an undeclared prefix", t.name)})
	}
	for i := range t.attrs {
		prefix, _, has := strings.Cut(t.attrs[i].name, ":")
		if has && prefix != "xmlns" && prefix != "xml" && !s.declared(t, prefix) {
			s.notes.add(note{offset: int(t.start), code: WarnXML,
				message: fmt.Sprintf("the attribute %s of <%s> has an undeclared prefix", t.attrs[i].name, t.name)})
		}
	}
}

// declared reports whether a prefix is declared in a start tag or around it. Inside opaque elements
// prefixes are not tracked and count as declared.
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

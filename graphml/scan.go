package graphml

import (
	"bytes"
	"fmt"
	"strings"
)

// A scanner makes the index in one pass over the text. It has its own stack, so that Limits bounds
// the depth of a file and not the stack of a goroutine.
type scanner struct {
	index
	limits Limits
	count  int // elements and values so far
	stack  []openElement
	scope  scope
	attrs  []attr // of the current tag, reused

	ids     []byte // block that contains the ids of nodes
	nodeIDs []string
	folders []bool           // by node: marked as a group
	parents []bool           // by node: contains a graph
	numbers map[string]int32 // of nodes, by id
	ends    []ends           // by edge
	last    ends             // of an earlier edge; most files list the edges of a node one after the other
	early   []earlyEnd
	edgeIDs []edgeID // only of edges that have one
	notes   notes
	endings bool // the text has "]]>" somewhere

	memory  int64 // estimated use for the text and the elements found so far
	allowed int64 // the limit of memory, 0 = none
}

// Memory use of elements until the workflow is built, in bytes, as measured with files of each kind.
const (
	nodeMemory = 500
	edgeMemory = 230
	slotMemory = 40
	textMemory = 2 // per byte
)

// ends are the numbers of the nodes that an edge connects.
type ends struct{ source, target int32 }

// An earlyEnd is an end of an edge that comes before its node in the file.
type earlyEnd struct {
	edge   int32
	target bool
	id     string
}

// An edgeID is the id in the start tag of an edge.
type edgeID struct {
	edge int32
	id   string
}

// An openElement is an element whose end tag is not read yet.
type openElement struct {
	kind     kind
	number   int32 // of the node, edge, graph, slot or key
	start    int32
	nameSize int32
	lastSlot int32 // of the element so far, or none
	scope    scope // outside the element
}

// A kind is the role of an element in a workflow.
type kind uint8

const (
	opaque kind = iota // kept but not interpreted, with everything inside
	root
	graphKind
	nodeKind
	edgeKind
	dataKind
	keyKind
	defaultKind
)

// newScanner estimates the size of the index from the number of tags.
func newScanner(text []byte, limits Limits) *scanner {
	s := &scanner{limits: limits, allowed: limits.allowed(len(text)), memory: textMemory * int64(len(text))}
	s.text = text
	s.root.start = added
	s.numbers = map[string]int32{}
	s.endings = bytes.Contains(text, sectionEnd)
	s.slots = make([]slot, 0, bytes.Count(text, []byte("<"))*2/5) // a value has two tags, or one if it is empty
	return s
}

// scan goes from one "<" to the next. The text between them is only read when a value is needed.
func (s *scanner) scan() error {
	pos := 0
	if bytes.HasPrefix(s.text, utf8BOM) {
		pos = len(utf8BOM)
	}
	for {
		i := bytes.IndexByte(s.text[pos:], '<')
		if i < 0 {
			break
		}
		if len(s.stack) == 0 {
			if err := s.outside(pos, pos+i); err != nil {
				return err
			}
		}
		if s.endings {
			s.warnSectionEnd(pos, pos+i)
		}
		next, err := s.markup(pos + i)
		if err != nil {
			return err
		}
		pos = next
	}
	if len(s.stack) > 0 {
		return s.endOfFile()
	}
	if err := s.outside(pos, len(s.text)); err != nil {
		return err
	}
	return s.complete()
}

// outside checks the text before and after the root element, where only white space is allowed.
func (s *scanner) outside(from, to int) error {
	rest := bytes.TrimLeft(s.text[from:to], " \t\r\n")
	switch {
	case len(rest) == 0:
		return nil
	case s.root.start == added:
		return s.errorf(to-len(rest), "text before <graphml>: this is not a GraphML file")
	}
	return s.errorf(to-len(rest), "text after the end of <graphml>")
}

// complete checks that the file has all required elements.
func (s *scanner) complete() error {
	switch {
	case len(bytes.TrimPrefix(s.text, utf8BOM)) == 0:
		return s.errorf(0, "the file is empty")
	case s.root.start == added:
		return s.errorf(len(s.text), "no <graphml> element")
	case len(s.graphs) == 0:
		return s.errorf(int(s.root.start), "no <graph> element")
	}
	return s.connect()
}

// connect resolves the ends of edges that come before their nodes.
func (s *scanner) connect() error {
	var missing []string
	first := 0
	for _, v := range s.early {
		number, ok := s.numbers[v.id]
		if !ok {
			e := &s.edges[v.edge]
			t, err := s.tag(int(e.start))
			if err != nil {
				return err
			}
			source, _ := t.get("source")
			target, _ := t.get("target")
			if missing = append(missing, fmt.Sprintf("edge %s -> %s: no node %q", source, target, v.id)); len(missing) == 1 {
				first = int(e.start)
			} else {
				line, _ := position(s.text, int(e.start))
				missing[len(missing)-1] = fmt.Sprintf("line %d: %s", line, missing[len(missing)-1])
			}
			if len(missing) > mostMissing {
				break
			}
			continue
		}
		if v.target {
			s.ends[v.edge].target = number
		} else {
			s.ends[v.edge].source = number
		}
	}
	switch {
	case len(missing) == 0:
		return nil
	case len(missing) > mostMissing:
		missing[mostMissing] = "and more"
	}
	return s.errorf(first, "%s", strings.Join(missing, "; "))
}

// mostMissing is the maximum number of missing ends of edges that an error names.
const mostMissing = 20

// markup reads the tag, comment or other markup at i and returns its end.
func (s *scanner) markup(i int) (int, error) {
	if i+1 >= len(s.text) {
		return 0, s.endOfFile()
	}
	switch s.text[i+1] {
	case '/':
		return s.endTag(i)
	case '?':
		return s.skip(i, 2, "?>")
	case '!':
		return s.declaration(i)
	}
	if next, ok := s.plainData(i); ok {
		if s.endings {
			s.warnSectionEnd(i, next)
		}
		return next, s.countElement(i)
	}
	if next, ok := s.plainEdge(i); ok {
		return next, s.countElement(i)
	}
	t, err := s.tag(i)
	if err != nil {
		return 0, err
	}
	s.warnXML(&t)
	return int(t.end), s.open(&t)
}

// skip returns the offset after the next end mark that follows the first head bytes of the markup at i.
func (s *scanner) skip(i, head int, mark string) (int, error) {
	if i+head > len(s.text) {
		return 0, s.endOfFile()
	}
	n := bytes.Index(s.text[i+head:], []byte(mark))
	if n < 0 {
		return 0, s.endOfFile()
	}
	return i + head + n + len(mark), nil
}

// declaration skips comments, CDATA sections and document types.
func (s *scanner) declaration(i int) (int, error) {
	rest := s.text[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		end, err := s.skip(i, 4, "-->")
		if err == nil && (bytes.Contains(s.text[i+4:end-3], []byte("--")) || s.text[end-4] == '-') {
			s.notes.add(note{offset: i, code: WarnXML, message: "a comment contains two hyphens in a row, which XML forbids"})
		}
		return end, err
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		if len(s.stack) == 0 {
			return 0, s.errorf(i, "text outside of <graphml>")
		}
		return s.skip(i, 9, "]]>")
	case bytes.HasPrefix(rest, []byte("<!DOCTYPE")) && s.root.start == added:
		return s.docType(i)
	}
	return 0, s.errorf(i, "\"<!\" starts neither a comment nor a CDATA section")
}

// docType skips a document type with its internal subset. Its content is not used: entities are not
// expanded and no other file is opened.
func (s *scanner) docType(i int) (int, error) {
	inside := false // of [ ]
	for i++; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"' || c == '\'':
			n := bytes.IndexByte(s.text[i+1:], c)
			if n < 0 {
				return 0, s.endOfFile()
			}
			i += n + 1
		case c == '[':
			inside = true
		case c == ']':
			inside = false
		case c == '>' && !inside:
			return i + 1, nil
		case c == '<':
			end, err := s.skipHidden(i)
			if err != nil {
				return 0, err
			}
			i = end - 1
		}
	}
	return 0, s.endOfFile()
}

// skipHidden skips a comment or processing instruction of a document type, in which brackets and
// quotes have no meaning. Of other markup it skips only the first byte.
func (s *scanner) skipHidden(i int) (int, error) {
	switch rest := s.text[i:]; {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return s.skip(i, 4, "-->")
	case bytes.HasPrefix(rest, []byte("<?")):
		return s.skip(i, 2, "?>")
	}
	return i + 1, nil
}

// countElement counts one more element or value and checks the limits.
func (s *scanner) countElement(at int) error {
	if s.count++; s.count > s.limits.MaxElements {
		return s.errorf(at, "more than %d elements", s.limits.MaxElements)
	}
	if s.allowed > 0 && s.memory > s.allowed {
		return &MemoryError{Needed: s.memory, Allowed: s.allowed, Size: int64(len(s.text))}
	}
	return nil
}

// endOfFile returns the error for an unexpected end of the file. It names the innermost open graph,
// which helps most to find the place.
func (s *scanner) endOfFile() error {
	where := ""
	for i := len(s.stack) - 1; i >= 0; i-- {
		f := &s.stack[i]
		if f.kind == graphKind || where == "" {
			line, _ := position(s.text, int(f.start))
			where = fmt.Sprintf(", inside <%s> opened in line %d", s.name(f), line)
		}
		if f.kind == graphKind {
			break
		}
	}
	return s.errorf(len(s.text), "unexpected end of file at byte %d%s", len(s.text), where)
}

// name returns the name of an open element, with its prefix.
func (s *scanner) name(f *openElement) string {
	return s.sub(f.start+1, f.start+1+f.nameSize)
}

func (s *scanner) errorf(offset int, format string, args ...any) error {
	return syntaxError(s.text, offset, fmt.Sprintf(format, args...))
}

package convert

import (
	"strings"
	"unicode/utf8"
)

// The kinds of tokens in DOT, the language of Graphviz.
type dotKind uint8

const (
	dotEnd   dotKind = iota
	dotID            // a name or a number
	dotText          // a quoted string; several joined by + are one
	dotHTML          // <…>
	dotPunct         // one of { } [ ] ; , = : -> --
)

// A dotToken is a token and its text.
type dotToken struct {
	kind dotKind
	text string
	line int
}

// is reports whether the token is the punctuation.
func (t dotToken) is(punct string) bool { return t.kind == dotPunct && t.text == punct }

// word reports whether the token is the keyword: quoted ones are names.
func (t dotToken) word(keyword string) bool {
	return t.kind == dotID && strings.EqualFold(t.text, keyword)
}

func (t dotToken) isID() bool { return t.kind == dotID || t.kind == dotText || t.kind == dotHTML }

// A dotScanner splits DOT into tokens.
type dotScanner struct {
	text string
	pos  int
	line int
}

// skip skips white space, comments, and lines of a preprocessor.
func (s *dotScanner) skip() {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case rest[0] == '\n':
			s.line++
			s.pos++
		case strings.IndexByte(" \t\r\f\v", rest[0]) >= 0, strings.HasPrefix(rest, "\ufeff"):
			_, size := utf8.DecodeRuneInString(rest)
			s.pos += size
		case rest[0] == '#' && (s.pos == 0 || s.text[s.pos-1] == '\n'), strings.HasPrefix(rest, "//"):
			s.pos += lineEnd(rest)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				fail(s.line, "the comment has no end")
			}
			s.line += strings.Count(rest[:end+4], "\n")
			s.pos += end + 4
		default:
			return
		}
	}
}

// lineEnd returns the length of the first line of text, without its end.
func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// next returns the next token.
func (s *dotScanner) next() dotToken {
	s.skip()
	if s.pos == len(s.text) {
		return dotToken{line: s.line}
	}
	rest := s.text[s.pos:]
	token := dotToken{line: s.line}
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "->"), strings.HasPrefix(rest, "--"):
		token.kind, token.text = dotPunct, rest[:2]
		s.pos += 2
	case strings.IndexByte("{}[];,=:+", c) >= 0:
		token.kind, token.text = dotPunct, rest[:1]
		s.pos++
	case c == '"':
		token.kind, token.text = dotText, s.quoted()
	case c == '<':
		token.kind, token.text = dotHTML, s.html()
	default:
		token.kind, token.text = dotID, s.name(rest)
		if token.text == "" {
			r, _ := utf8.DecodeRuneInString(rest)
			fail(s.line, "unexpected character %q", r)
		}
		s.pos += len(token.text)
	}
	return token
}

// name returns the name or number at the start of rest.
func (s *dotScanner) name(rest string) string {
	for i, r := range rest {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf
		if !letter && !(r >= '0' && r <= '9') && r != '.' && !(i == 0 && r == '-') {
			return rest[:i]
		}
	}
	return rest
}

// quoted reads strings joined by +. It resolves only \" and a backslash at the end of a line: the meaning
// of other escapes depends on the attribute.
func (s *dotScanner) quoted() string {
	var b strings.Builder
	for {
		s.quotedOne(&b)
		before, line := s.pos, s.line
		s.skip()
		if !strings.HasPrefix(s.text[s.pos:], "+") {
			s.pos, s.line = before, line
			return b.String()
		}
		s.pos++
		s.skip()
		if !strings.HasPrefix(s.text[s.pos:], `"`) {
			fail(s.line, "+ joins quoted strings only")
		}
	}
}

func (s *dotScanner) quotedOne(b *strings.Builder) {
	begin := s.line
	for s.pos++; s.pos < len(s.text); s.pos++ {
		c := s.text[s.pos]
		rest := s.text[s.pos:]
		switch {
		case c == '"':
			s.pos++
			return
		case strings.HasPrefix(rest, `\"`):
			b.WriteByte('"')
			s.pos++
		case strings.HasPrefix(rest, `\\`):
			b.WriteString(`\\`)
			s.pos++
		case strings.HasPrefix(rest, "\\\n"):
			s.line++
			s.pos++
		default:
			if c == '\n' {
				s.line++
			}
			b.WriteByte(c)
		}
	}
	fail(begin, "the string has no end")
}

// html reads a string in angle brackets, which may contain such brackets in pairs.
func (s *dotScanner) html() (text string) {
	begin, from, depth := s.line, s.pos+1, 0
	for ; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '<':
			depth++
		case '\n':
			s.line++
		case '>':
			if depth--; depth == 0 {
				s.pos++
				return s.text[from : s.pos-1]
			}
		}
	}
	fail(begin, "the string has no end")
	return ""
}

// dotLabel resolves the escapes of a label: line ends, and the names of the node and the graph.
func dotLabel(text, node, graph string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 'n', 'l', 'r':
			b.WriteByte('\n')
		case 'N':
			b.WriteString(node)
		case 'G':
			b.WriteString(graph)
		default:
			b.WriteByte(text[i])
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

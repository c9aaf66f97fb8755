package shell

import "strings"

// A hole is a place in a wrapper where the label goes, as the shell that reads the wrapper sees it.
type hole struct {
	at       int       // offset of {} in the wrapper
	contexts []quoting // innermost last

	bad    string // the construct that contains it, if no quoting is safe there
	nested bool   // it is in quotes that belong to the text of its word

	// If a label that is a word of its own would be misread: how, and by what to replace which part of the wrapper.
	// In correct, SHELL stands for the shell.
	mistaken   mistake
	program    string // that starts it, for startedBy
	start, end int
	correct    string
}

// A mistake is how a label would be misread.
type mistake byte

const (
	notMistaken mistake = iota
	asProgram           // it stands where a command begins, so it would be the name of a program
	startedBy           // a program starts it, so it would be the name of a program
	takenApart          // ssh joins its words, and the shell on the other side splits them again
)

// A shellWord is a word of a command line without its quotes; label stands for {}.
type shellWord struct {
	text  string
	bare  bool // no part of it is quoted
	start int
	end   int
	holes []int // indexes of the holes in it
}

// label stands for {} in the text of a word.
const label = '\x00'

// A shellReader reads a wrapper as a shell reads commands, as far as is needed to know how {} would be read. It
// understands POSIX shells and bash.
type shellReader struct {
	text     string
	pos      int
	holes    []hole
	contexts []quoting
	here     []hereDocument // whose text begins after the end of the line
	open     string         // what is not closed at the end (a quote, brackets, a here-document), or ""
	settings bool           // an earlier command has changed settings of the shell
	depth    int
}

type hereDocument struct {
	word string
	tabs bool
}

// readShell finds the holes of a wrapper.
func readShell(wrapper string) *shellReader {
	r := &shellReader{text: wrapper, contexts: []quoting{unquoted}}
	for r.pos < len(r.text) {
		r.commands(0)
		if r.pos < len(r.text) {
			r.pos++ // a closing bracket without an opening one
		}
	}
	return r
}

func (r *shellReader) has(prefix string) bool { return strings.HasPrefix(r.text[r.pos:], prefix) }

// commands reads up to closing, which it does not consume; 0 = up to the end.
func (r *shellReader) commands(closing byte) {
	if r.depth++; r.depth > 100 {
		r.pos, r.open = len(r.text), "brackets"
		return
	}
	defer func() { r.depth-- }()
	var command []shellWord
	done := func() {
		r.judge(command)
		command = nil
	}
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		switch {
		case closing != 0 && c == closing:
			done()
			return
		case c == ' ' || c == '\t':
			r.pos++
		case r.has("\\\n"):
			r.pos += 2
		case c == '\n':
			done()
			r.pos++
			r.hereDocuments()
		case c == '#':
			r.skipTo("\n", "a comment")
		case r.has("((") && len(command) == 0:
			r.pos += 2
			r.skipTo("))", "an arithmetic expression")
			r.pos = min(r.pos+2, len(r.text))
		case c == '(':
			done()
			r.pos++
			r.within(substitution, ')', "(")
		case c == ')':
			done()
			return
		case c == '<' || c == '>':
			r.redirection()
		case r.has("&>"):
			r.pos++
		case c == ';' || c == '&' || c == '|':
			done()
			r.pos++
		default:
			w := r.word()
			if isDigits(w.text) && w.bare && r.pos < len(r.text) && strings.IndexByte("<>", r.text[r.pos]) >= 0 {
				continue // 2> is a redirection
			}
			command = append(command, w)
		}
	}
	done()
	if closing != 0 {
		r.open = string(closing)
	}
}

// within reads commands in brackets or backquotes, including the closing character.
func (r *shellReader) within(q quoting, closing byte, opened string) {
	r.contexts = append(r.contexts, q)
	r.commands(closing)
	r.contexts = r.contexts[:len(r.contexts)-1]
	if r.pos >= len(r.text) {
		r.open = opened
		return
	}
	r.pos++
}

// skipTo moves to the text end, without consuming it. It marks the holes before it as bad, because a label cannot be quoted
// there.
func (r *shellReader) skipTo(end, what string) {
	rest := r.text[r.pos:]
	if i := strings.Index(rest, end); i >= 0 {
		rest = rest[:i]
	} else if end != "\n" {
		r.open = what
	}
	for at := 0; ; {
		i := strings.Index(rest[at:], placeholder)
		if i < 0 {
			break
		}
		at += i
		r.hole(r.pos + at).bad = what
		at += len(placeholder)
	}
	r.pos += len(rest)
}

// hole adds a hole.
func (r *shellReader) hole(at int) *hole {
	r.holes = append(r.holes, hole{at: at, contexts: append([]quoting(nil), r.contexts...)})
	return &r.holes[len(r.holes)-1]
}

// hereDocuments skips the here-documents that belong to the line that has just ended.
func (r *shellReader) hereDocuments() {
	for _, d := range r.here {
		for {
			if r.pos >= len(r.text) {
				r.open = "a here-document"
				break
			}
			line, _, _ := strings.Cut(r.text[r.pos:], "\n")
			word := line
			if d.tabs {
				word = strings.TrimLeft(line, "\t")
			}
			if word == d.word {
				r.pos = min(r.pos+len(line)+1, len(r.text))
				break
			}
			end := r.pos + len(line)
			r.skipTo("\n", "a here-document")
			r.pos = min(end+1, len(r.text))
		}
	}
	r.here = nil
}

// redirection skips a redirection and its file.
func (r *shellReader) redirection() {
	if r.has("<<") && !r.has("<<<") {
		r.pos += 2
		d := hereDocument{}
		if d.tabs = r.has("-"); d.tabs {
			r.pos++
		}
		r.blanks()
		d.word = r.word().text
		r.here = append(r.here, d)
		return
	}
	if r.has("<(") || r.has(">(") {
		r.pos += 2
		r.within(substitution, ')', "(")
		return
	}
	for r.pos < len(r.text) && strings.IndexByte("<>&|", r.text[r.pos]) >= 0 {
		r.pos++
	}
	if r.blanks(); r.pos < len(r.text) && strings.IndexByte("\n;&|()", r.text[r.pos]) < 0 {
		r.word()
	}
}

func (r *shellReader) blanks() {
	for r.pos < len(r.text) && (r.text[r.pos] == ' ' || r.text[r.pos] == '\t') {
		r.pos++
	}
}

// word reads a word up to a blank or an operator.
func (r *shellReader) word() shellWord {
	w := shellWord{bare: true, start: r.pos}
	var text strings.Builder
	first := len(r.holes)
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		switch {
		case r.has(placeholder):
			r.hole(r.pos)
			text.WriteByte(label)
			r.pos += len(placeholder)
			continue
		case strings.IndexByte(" \t\n;&|()<>", c) >= 0:
			return r.ended(w, text.String(), first)
		case c == '`' && r.contexts[len(r.contexts)-1] == backquoted:
			return r.ended(w, text.String(), first)
		}
		w.bare = w.bare && strings.IndexByte("'\"\\$`", c) < 0
		r.part(&text)
	}
	return r.ended(w, text.String(), first)
}

func (r *shellReader) ended(w shellWord, text string, first int) shellWord {
	w.text, w.end = text, r.pos
	for i := first; i < len(r.holes); i++ {
		w.holes = append(w.holes, i)
	}
	return w
}

// part reads the next character of a word, or a whole quoted or expanded part of it.
func (r *shellReader) part(text *strings.Builder) {
	switch c := r.text[r.pos]; {
	case c == '\\':
		if r.pos++; r.pos < len(r.text) {
			text.WriteByte(r.text[r.pos])
			r.pos++
		}
	case c == '\'':
		r.single(text)
	case r.has("$'"):
		r.ansi()
	case c == '"':
		r.double(text)
	case c == '$' || c == '`':
		r.expansion(text)
	default:
		text.WriteByte(c)
		r.pos++
	}
}

// single reads a single-quoted text.
func (r *shellReader) single(text *strings.Builder) {
	r.contexts = append(r.contexts, single)
	defer func() { r.contexts = r.contexts[:len(r.contexts)-1] }()
	for r.pos++; r.pos < len(r.text); {
		switch {
		case r.text[r.pos] == '\'':
			r.pos++
			return
		case r.has(placeholder):
			r.hole(r.pos)
			text.WriteByte(label)
			r.pos += len(placeholder)
		default:
			text.WriteByte(r.text[r.pos])
			r.pos++
		}
	}
	r.open = "'"
}

// ansi skips $'…', in which a backslash has a meaning.
func (r *shellReader) ansi() {
	for r.pos += 2; r.pos < len(r.text); {
		switch {
		case r.text[r.pos] == '\'':
			r.pos++
			return
		case r.text[r.pos] == '\\':
			r.pos = min(r.pos+2, len(r.text))
		case r.has(placeholder):
			r.hole(r.pos).bad = "$'…'"
			r.pos += len(placeholder)
		default:
			r.pos++
		}
	}
	r.open = "'"
}

// double reads a double-quoted text.
func (r *shellReader) double(text *strings.Builder) {
	r.contexts = append(r.contexts, double)
	defer func() { r.contexts = r.contexts[:len(r.contexts)-1] }()
	for r.pos++; r.pos < len(r.text); {
		switch c := r.text[r.pos]; {
		case c == '"':
			r.pos++
			return
		case c == '\\' && r.pos+1 < len(r.text):
			if strings.IndexByte("\\\"$`\n", r.text[r.pos+1]) < 0 {
				text.WriteByte('\\')
			}
			text.WriteByte(r.text[r.pos+1])
			r.pos += 2
		case c == '$' || c == '`':
			r.expansion(text)
		case r.has(placeholder):
			r.hole(r.pos)
			text.WriteByte(label)
			r.pos += len(placeholder)
		default:
			text.WriteByte(c)
			r.pos++
		}
	}
	r.open = `"`
}

// expansion skips a dollar or backquote and what it begins. The value of the expansion is not part of text.
func (r *shellReader) expansion(text *strings.Builder) {
	switch {
	case r.has("$(("):
		r.pos += 3
		r.skipTo("))", "$(( ))")
		r.pos = min(r.pos+2, len(r.text))
	case r.has("$("):
		r.pos += 2
		r.within(substitution, ')', "$(")
	case r.has("${") && !r.has("$"+placeholder):
		r.pos += 2
		r.skipTo("}", "${ }")
		if r.has("}") && strings.HasSuffix(r.text[:r.pos], "{") { // ${x:-{}}: the bracket belongs to the placeholder
			r.hole(r.pos - 1).bad = "${ }"
			r.pos++
			r.skipTo("}", "${ }")
		}
		r.pos = min(r.pos+1, len(r.text))
	case r.text[r.pos] == '`':
		r.pos++
		r.within(backquoted, '`', "`")
	default:
		text.WriteByte('$')
		r.pos++
	}
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

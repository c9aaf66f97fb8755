package shell

import (
	"slices"
	"strings"
	"sync/atomic"
)

// placeholder marks where a wrapper gets the label.
const placeholder = "{}"

// Line inserts a label into a wrapper, so that the shell which reads the line gets the label's text in the place of {}: the
// label is escaped for the quotes around {}, or becomes one quoted word if there are none. If the wrapper is blank or only
// {}, Line returns the label itself. If it contains no {}, the label is appended.
//
// As in the shell, a backslash outside single quotes removes the special meaning of the next character: \{} is not a
// placeholder.
func Line(wrapper, label string) string {
	if isNoWrapper(wrapper) {
		return label
	}
	t := readTemplate(wrapper)
	var line strings.Builder
	from := 0
	for _, h := range t.holes {
		line.WriteString(t.text[from:h.at])
		line.WriteString(quoteFor(h.contexts, label))
		from = h.at + len(placeholder)
	}
	line.WriteString(t.text[from:])
	return line.String()
}

func isNoWrapper(wrapper string) bool {
	trimmed := strings.TrimSpace(wrapper)
	return trimmed == "" || trimmed == placeholder
}

// A template is a wrapper with {} and the places of these.
type template struct {
	wrapper, text string
	holes         []hole
	open          string // the quote or bracket that is never closed, or ""
}

// latestTemplate caches the latest template: all nodes of a run usually have the same wrapper.
var latestTemplate atomic.Pointer[template]

func readTemplate(wrapper string) *template {
	if t := latestTemplate.Load(); t != nil && t.wrapper == wrapper {
		return t
	}
	t := &template{wrapper: wrapper, text: wrapper}
	r := readShell(t.text)
	if len(r.holes) == 0 {
		t.text = strings.TrimRight(wrapper, " \t") + " " + placeholder
		r = readShell(t.text)
	}
	t.holes, t.open = r.holes, r.open
	slices.SortFunc(t.holes, func(a, b hole) int { return a.at - b.at })
	latestTemplate.Store(t)
	return t
}

// A quoting is the context in which a shell reads characters of a line. Contexts nest: a command substitution within
// double quotes can contain quotes.
type quoting byte

const (
	unquoted quoting = iota
	single
	double
	substitution // $( ) or ( )
	backquoted
)

// quoteFor quotes the label for a place within contexts. Within backquotes a shell first removes one layer of backslashes.
func quoteFor(contexts []quoting, label string) string {
	var text string
	switch contexts[len(contexts)-1] {
	case single:
		text = strings.ReplaceAll(label, "'", `'\''`)
	case double:
		text = escape(label, "\\\"$`")
	default:
		text = quoteWord(label)
	}
	for i, c := range contexts {
		if c != backquoted {
			continue
		}
		special := "\\$`"
		if i > 0 && contexts[i-1] == double {
			special += `"`
		}
		text = escape(text, special)
	}
	return text
}

// escape puts a backslash before every special character.
func escape(text, special string) string {
	var out strings.Builder
	for i := range len(text) {
		if strings.IndexByte(special, text[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// Quote quotes text so that a shell reads it as one word.
func Quote(text string) string { return quoteWord(text) }

// quoteWord quotes text as one word, unless isBareWord returns true.
func quoteWord(text string) string {
	if isBareWord(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// isBareWord reports whether a shell reads text as one ordinary word everywhere, even as the first word of a command.
func isBareWord(text string) bool {
	for i := range len(text) {
		if !isPlain(text[i]) || text[i] == '=' {
			return false
		}
	}
	return text != "" && !shellWords()[text]
}

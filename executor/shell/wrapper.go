package shell

import (
	"slices"
	"strings"
	"sync/atomic"
)

// placeholder is where a wrapper takes the label.
const placeholder = "{}"

// Line puts a label into a wrapper, so that the shell which reads the line sees the label's text
// where the wrapper has {}: escaped for the quotes around it, or as one quoted word where there are
// none. A wrapper that is blank or only {} is the label as it is; one without {} gets it at its end.
//
// As for the shell, a backslash outside single quotes takes the next character's meaning away: \{}
// is no placeholder.
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

// A template is a wrapper with {}, and where these are.
type template struct {
	wrapper, text string
	holes         []hole
	open          string // what is never closed, "" = nothing
}

// latestTemplate is the one that was read last: all nodes of a run have the same.
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

// A quoting is what a shell makes of characters at some place of a line. Quotings nest: a command
// substitution within double quotes has quotes of its own.
type quoting byte

const (
	unquoted quoting = iota
	single
	double
	substitution // $( ) or ( )
	backquoted
)

// quoteFor writes the label for a place within the contexts. Within backquotes a shell takes one
// layer of backslashes away before it looks at the rest.
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

// Quote makes one word of text for a shell.
func Quote(text string) string { return quoteWord(text) }

// quoteWord makes one word of text. Only what no shell could take for anything else stays bare.
func quoteWord(text string) string {
	if isBareWord(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// isBareWord reports whether a shell reads text as one word wherever it stands, also as the first
// of a command.
func isBareWord(text string) bool {
	for i := range len(text) {
		if !isPlain(text[i]) || text[i] == '=' {
			return false
		}
	}
	return text != "" && !shellWords[text]
}

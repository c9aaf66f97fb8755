package executor

import (
	"slices"
	"strings"
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
	if trimmed := strings.TrimSpace(wrapper); trimmed == "" || trimmed == placeholder {
		return label
	}
	line, found := insert(wrapper, label)
	if !found {
		line, _ = insert(wrapper+" "+placeholder, label)
	}
	return line
}

// insert replaces every placeholder of the wrapper.
func insert(wrapper, label string) (line string, found bool) {
	var out strings.Builder
	contexts := []quoting{unquoted}
	for i := 0; i < len(wrapper); {
		in := contexts[len(contexts)-1]
		if strings.HasPrefix(wrapper[i:], placeholder) {
			out.WriteString(quoteFor(contexts, label))
			i += len(placeholder)
			found = true
			continue
		}
		length := 1
		if wrapper[i] == '\\' && in != single && i+1 < len(wrapper) {
			length = 2
		} else {
			contexts, length = step(contexts, wrapper[i:])
		}
		out.WriteString(wrapper[i : i+length])
		i += length
	}
	return out.String(), found
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

// step returns the contexts after the token that text begins with, and the token's length.
func step(contexts []quoting, text string) ([]quoting, int) {
	in := contexts[len(contexts)-1]
	outer := contexts[:len(contexts)-1]
	c := text[0]
	switch {
	case in == single:
		if c == '\'' {
			return outer, 1
		}
	case c == '`':
		if i := slices.Index(contexts, backquoted); i >= 0 {
			return contexts[:i], 1 // it always ends the one there is: they do not nest unescaped
		}
		return append(contexts, backquoted), 1
	case strings.HasPrefix(text, "$("):
		return append(contexts, substitution), 2
	case c == '"' && in == double:
		return outer, 1
	case c == '"':
		return append(contexts, double), 1
	case in == double:
	case c == '\'':
		return append(contexts, single), 1
	case c == '(':
		return append(contexts, substitution), 1
	case c == ')' && in == substitution:
		return outer, 1
	}
	return contexts, 1
}

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

package text

import (
	"strings"

	"wf/graph"
	"wf/graph/attribute"
	"wf/graph/pattern"
)

// A form is how the text shows the value of an attribute.
type form uint8

const (
	formText      form = iota // the value itself
	formJSON                  // the structure of the JSON text that it is
	formList                  // the structure if it is a list in JSON
	formVariables             // NAME: value for lines NAME=value
	formLines                 // an entry for each line; "word: rest" is a pair
)

// formOf returns the form of the values of an attribute.
func formOf(a *attribute.Attribute) form {
	switch {
	case a.Kind == attribute.JSON:
		return formJSON
	case a.Name == graph.AttrForeach:
		return formList
	case a.Name == "env" || a.Name == "with" || a.Name == "returns":
		return formVariables
	case a.Name == "on" || a.Name == "notify":
		return formLines
	}
	return formText
}

// listsWords reports whether the value of an attribute is words, which people may also write as a list.
func listsWords(a *attribute.Attribute) bool { return a.Name == "retry_on" || a.Name == "secrets" }

// attribute writes an attribute. A value that does not have the usual form of its attribute is written as a text.
func (w *writer) attribute(indent int, a *attribute.Attribute, value string) {
	w.key(indent, a.Name)
	switch f := formOf(a); f {
	case formJSON, formList:
		if v, ok := parseJSON(value); ok && (v.fields != nil && f == formJSON || v.list) {
			w.structure(indent, v)
			return
		}
	case formVariables:
		if names, values, ok := variables(value); ok {
			w.WriteByte('\n')
			for i, name := range names {
				w.key(indent+step, name)
				w.variable(values[i])
			}
			return
		}
	case formLines:
		if w.lines(indent, value) {
			return
		}
	}
	if a.Kind == attribute.Truth && (value == "true" || value == "false") || a.Kind == attribute.Factor && isNumber(value) {
		w.line(value)
		return
	}
	w.value(indent, value)
}

// value writes the value of an attribute as a text.
func (w *writer) value(indent int, text string) {
	switch {
	case isCount(text):
		w.line(text)
	case strings.Contains(text, "\n"):
		w.block(indent, text)
	default:
		w.line(scalar(text, plainValue))
	}
}

// variable writes the value of a variable of the environment.
func (w *writer) variable(text string) {
	if isCount(text) {
		w.line(text)
		return
	}
	w.line(scalar(text, plainValue))
}

// variableName matches the names of variables that the text shows as such.
var variableName = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variables splits lines NAME=VALUE. ok is false if joining them again would not give the same text.
func variables(text string) (names, values []string, ok bool) {
	seen := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		name, value, found := strings.Cut(line, "=")
		if !found || seen[name] || !variableName.Get().MatchString(name) || strings.Contains(value, "\r") {
			return nil, nil, false
		}
		seen[name] = true
		names, values = append(names, name), append(values, value)
	}
	return names, values, true
}

// wordBefore matches a line like cron: 0 2 * * *.
var wordBefore = pattern.Of(`^([a-z][a-z_-]*): ([^ ].*)$`)

// lines writes the lines of an attribute: as pairs, or as a list. It writes nothing and returns false if reading that would
// not give the same text.
func (w *writer) lines(indent int, text string) bool {
	lines := strings.Split(text, "\n")
	pairs, words := true, map[string]bool{}
	for _, line := range lines {
		if line == "" || strings.TrimSpace(line) != line || !quotable(line) {
			return false
		}
		m := wordBefore.Get().FindStringSubmatch(line)
		if pairs = pairs && m != nil && !words[m[1]]; pairs {
			words[m[1]] = true
		}
	}
	if !pairs && len(lines) == 1 {
		return false
	}
	w.WriteByte('\n')
	for _, line := range lines {
		m := wordBefore.Get().FindStringSubmatch(line)
		switch {
		case pairs:
			w.key(indent+step, m[1])
			w.line(scalar(m[2], plainValue))
		case m != nil:
			w.indent(indent + step)
			w.WriteString("- ")
			w.key(0, m[1])
			w.line(scalar(m[2], plainValue))
		default:
			w.indent(indent + step)
			w.WriteString("- " + scalar(line, plainValue) + "\n")
		}
	}
	return true
}

package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wf/executor/login"
	"wf/graph/pattern"
)

// A command is a template for a shell: a text with placeholders such as {name}.
type command struct {
	pieces []piece
}

// A piece is a literal text or a placeholder.
type piece struct {
	text        string
	placeholder bool
}

// A value is what replaces a placeholder: words, which are quoted, or code of a shell, which is not.
type value struct {
	words []string
	code  string
}

func word(text string) value { return value{words: []string{text}} }
func number(n int64) value   { return word(fmt.Sprint(n)) }
func (v value) shell() string {
	if v.code != "" {
		return v.code
	}
	quoted := make([]string, len(v.words))
	for i, w := range v.words {
		if quoted[i] = w; !plain.Get().MatchString(w) {
			quoted[i] = login.Quote(w)
		}
	}
	return strings.Join(quoted, " ")
}

// plain are words that a shell takes as they are.
var plain = pattern.Of(`^[A-Za-z0-9_./:,=@%+-]+$`)

// placeholderForm is what a placeholder looks like.
var placeholderForm = pattern.Of(`^\{([a-z_]+)\}`)

// parseCommand reads a template. Each {word} that stands outside of quotes is a placeholder, whose value is quoted where it is
// inserted, and must be one of known. ${word} belongs to the shell. Inside of quotes braces are literal, but a known placeholder
// there is an error, since its value would be quoted twice.
func parseCommand(text string, known []string) (*command, error) {
	c := &command{}
	var literal strings.Builder
	var quote byte
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\\' && quote != '\'' && i+1 < len(text):
			literal.WriteByte(ch)
			i++
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote = ch
		case quote != 0 && ch == quote:
			quote = 0
		case ch == '{' && (i == 0 || text[i-1] != '$'):
			m := placeholderForm.Get().FindStringSubmatch(text[i:])
			switch {
			case m == nil:
			case slices.Contains(known, m[1]) && quote != 0:
				return nil, fmt.Errorf("%s is inside of quotes: write it outside of them, it is quoted where it is inserted", m[0])
			case slices.Contains(known, m[1]):
				c.pieces = append(c.pieces, piece{text: literal.String()}, piece{m[1], true})
				literal.Reset()
				i += len(m[0]) - 1
				continue
			case quote == 0:
				return nil, fmt.Errorf("there is no placeholder %s here: %s", m[0], "{"+strings.Join(known, "}, {")+"}")
			}
		}
		literal.WriteByte(text[i])
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", quote)
	}
	c.pieces = append(c.pieces, piece{text: literal.String()})
	return c, nil
}

// has reports whether the template contains a placeholder.
func (c *command) has(placeholder string) bool {
	return slices.Contains(c.pieces, piece{placeholder, true})
}

// expand returns the command with values for all placeholders.
func (c *command) expand(values map[string]value) string {
	var b strings.Builder
	for _, p := range c.pieces {
		if p.placeholder {
			b.WriteString(values[p.text].shell())
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// text returns the text of the template with values for all placeholders, for a template that is no code of a shell.
func (c *command) text(values map[string]string) string {
	var b strings.Builder
	for _, p := range c.pieces {
		if p.placeholder {
			b.WriteString(values[p.text])
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// A flag is a part of submit_cmd that is there only if a job asks for something.
type flag struct {
	key     string
	what    string // the attribute of the node
	command *command
	ignored bool
}

// parseFlag reads a flag whose placeholders are the keys of a table of values.
func parseFlag(key, what, text string, values map[string]value) (*flag, error) {
	f := &flag{key: key, what: what}
	if f.ignored = text == ignored; f.ignored || text == "" {
		return f, nil
	}
	var err error
	if f.command, err = parseCommand(text, slices.Sorted(maps.Keys(values))); err != nil {
		return nil, &KeyError{key, err}
	}
	return f, nil
}

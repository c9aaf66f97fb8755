package expression

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Text is a text that may contain expressions: ${{ EXPR }}. Several goroutines may render it at once.
type Text struct {
	text  string
	parts []part
}

// part is a piece of a text as it is, or an expression.
type part struct {
	plain string
	expr  *Expr
	at    int // in text, of the expression, in bytes
}

const (
	opening = "${{"
	closing = "}}"
)

// maxParts is the highest number of expressions in one text, maxRendered the greatest length of the result in bytes.
const (
	maxParts    = 1000
	maxRendered = 16 << 20
)

// Secret reports that the text contains a value that only a command may see.
func (t *Text) Secret() bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.expr != nil && p.expr.Secret() })
}

// HasTemplate reports whether a text contains the beginning of an expression.
func HasTemplate(text string) bool { return strings.Contains(text, opening) }

// CompileText compiles a text. The error is an *Error, with its place counted from the beginning of the
// whole text.
func CompileText(text string, s Scope) (*Text, error) {
	t := &Text{text: text}
	expressions := 0
	for rest := 0; rest < len(text); {
		begin := strings.Index(text[rest:], opening)
		if begin < 0 {
			t.parts = append(t.parts, part{plain: text[rest:]})
			break
		}
		if begin > 0 {
			t.parts = append(t.parts, part{plain: text[rest : rest+begin]})
		}
		from := rest + begin + len(opening)
		end := endOf(text[from:])
		if end < 0 {
			return nil, placed(&Error{Line: 1, Column: 1, Problem: "${{ is never closed", Remedy: "write }} after the expression"}, text, from-len(opening))
		}
		if expressions++; expressions > maxParts {
			return nil, placed(&Error{Line: 1, Column: 1, Problem: fmt.Sprintf("there are more than %d expressions in one text", maxParts)}, text, from)
		}
		e, err := Compile(text[from:from+end], s)
		if err != nil {
			return nil, placed(err.(*Error), text, from)
		}
		t.parts = append(t.parts, part{expr: e, at: from})
		rest = from + end + len(closing)
	}
	return t, nil
}

// endOf returns where }} closes an expression, -1 if nowhere. It skips quotes and open braces of maps.
func endOf(text string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}' && strings.HasPrefix(text[i:], closing):
			return i
		}
	}
	return -1
}

// placed moves the place of an error by the text before the expression.
func placed(e *Error, text string, from int) *Error {
	before := text[:from]
	moved := *e
	if e.Line == 1 {
		moved.Column += utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	}
	moved.Line += strings.Count(before, "\n")
	return &moved
}

// String returns the text as it was written.
func (t *Text) String() string { return t.text }

// Plain reports that the text has no expression.
func (t *Text) Plain() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return p.expr != nil })
}

// Nodes returns the names of nodes in the expressions, each once.
func (t *Text) Nodes() []string {
	return t.Names().Nodes
}

// Names returns the names in the expressions that the run has to know values of.
func (t *Text) Names() *Names {
	all := &Names{}
	for _, p := range t.parts {
		if p.expr != nil {
			all.merge(p.expr.Names())
		}
	}
	return all
}

// Render returns the text with the values of its expressions, each as Format writes it. The error is an
// *Error.
func (t *Text) Render(env Env) (string, error) {
	out := &strings.Builder{}
	for _, p := range t.parts {
		piece := p.plain
		if p.expr != nil {
			value, err := p.expr.Eval(env)
			if err != nil {
				return "", placed(err.(*Error), t.text, p.at)
			}
			piece = Format(value)
		}
		if out.Len()+len(piece) > maxRendered {
			return "", placed(&Error{Line: 1, Column: 1, Problem: "the text becomes longer than 16 MiB"}, t.text, p.at)
		}
		out.WriteString(piece)
	}
	return out.String(), nil
}

// Only returns the expression of a text that is exactly one (blanks around it do not count), otherwise nil.
func (t *Text) Only() *Expr {
	var only *Expr
	for _, p := range t.parts {
		switch {
		case p.expr == nil && strings.TrimSpace(p.plain) == "":
		case p.expr != nil && only == nil:
			only = p.expr
		default:
			return nil
		}
	}
	return only
}

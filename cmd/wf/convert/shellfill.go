package convert

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fillShell replaces a mark in a command by the value of a shell variable, whatever the quotes around it. ok is false if
// a shell would not expand the variable there, or if it would split a value of several words that belong together.
func fillShell(command, mark, variable string, severalWords bool) (filled string, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return "", false
	}
	f := shellFiller{command: command, mark: mark, variable: variable, words: severalWords, ok: true}
	f.walk(file)
	if !f.ok {
		return "", false
	}
	slices.SortFunc(f.edits, func(a, b shellEdit) int { return b.start - a.start })
	filled = command
	for _, e := range f.edits {
		filled = filled[:e.start] + f.insert(filled[e.start:e.end], e.quoted, filled[e.end:]) + filled[e.end:]
	}
	if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(filled), ""); err != nil {
		return "", false
	}
	return filled, !strings.Contains(filled, mark)
}

// A shellEdit replaces the mark in a part of a command.
type shellEdit struct {
	start, end int
	quoted     bool // the part is in single quotes
}

type shellFiller struct {
	command, mark, variable string
	words                   bool // the value has several words
	ok                      bool
	edits                   []shellEdit
}

// walk finds the marks in the texts of a command.
func (f *shellFiller) walk(file *syntax.File) {
	var around []syntax.Node
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		switch n := n.(type) {
		case *syntax.Lit:
			f.replace(n, false, f.expands(around, n))
		case *syntax.SglQuoted:
			f.replace(n, true, !n.Dollar && !f.literal(around))
		}
		around = append(around, n)
		return true
	})
}

// insert replaces the marks in a part of a command.
func (f *shellFiller) insert(part string, quoted bool, next string) string {
	pieces := strings.Split(part, f.mark)
	var b strings.Builder
	for i, piece := range pieces {
		b.WriteString(piece)
		after := next
		if i+1 < len(pieces) && (i+2 < len(pieces) || pieces[i+1] != "") {
			after = pieces[i+1]
		}
		switch {
		case i+1 == len(pieces):
		case quoted:
			b.WriteString(`'"$` + f.variable + `"'`)
		case after != "" && (isWordByte(after[0]) || after[0] == '['):
			b.WriteString("${" + f.variable + "}")
		default:
			b.WriteString("$" + f.variable)
		}
	}
	if text := b.String(); quoted { // without empty quotes
		return strings.TrimSuffix(strings.TrimPrefix(text, `''`), `''`)
	}
	return b.String()
}

// replace notes that the mark in a node is to be replaced, if the node contains it. can says whether that is possible.
func (f *shellFiller) replace(n syntax.Node, quoted, can bool) {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if start < 0 || end > len(f.command) || start > end || !strings.Contains(f.command[start:end], f.mark) {
		return
	}
	f.ok = f.ok && can
	f.edits = append(f.edits, shellEdit{start, end, quoted})
}

// expands reports whether a shell expands a variable in a text without quotes of its own: it is part of a word, and a
// value of several words is wherever it is an argument, or within double quotes.
func (f *shellFiller) expands(around []syntax.Node, lit *syntax.Lit) bool {
	if len(around) < 2 || f.literal(around) {
		return false
	}
	switch parent := around[len(around)-1].(type) {
	case *syntax.DblQuoted:
		return true
	case *syntax.Word:
		if !f.words {
			return true
		}
		call, isCall := around[len(around)-2].(*syntax.CallExpr)
		return isCall && slices.Contains(call.Args, parent)
	}
	return false
}

// literal reports whether the text is in a here-document that is not expanded.
func (f *shellFiller) literal(around []syntax.Node) bool {
	for i, n := range around {
		redirect, ok := n.(*syntax.Redirect)
		if !ok || redirect.Hdoc == nil || i+1 >= len(around) {
			continue
		}
		if around[i+1] == syntax.Node(redirect.Word) {
			return true // the mark at its end
		}
		for _, part := range redirect.Word.Parts {
			if _, plain := part.(*syntax.Lit); !plain && around[i+1] == syntax.Node(redirect.Hdoc) {
				return true
			}
		}
	}
	return false
}

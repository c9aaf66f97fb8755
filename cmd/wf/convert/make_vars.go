package convert

import (
	"path"
	"strings"
)

// A makeVar is a variable of a makefile.
type makeVar struct {
	text   string
	simple bool // expanded when it was set
	line   int
}

type makeVars map[string]makeVar

// newMakeVars returns the variables that make sets itself, including empty ones for compilers, since rules
// use them.
func newMakeVars() makeVars {
	vars := makeVars{}
	for name, text := range map[string]string{
		"MAKE": "make", "SHELL": "/bin/sh", "RM": "rm -f", "AR": "ar", "ARFLAGS": "rv", "AS": "as", "CC": "cc", "CXX": "g++", "CPP": "cc -E",
		"FC": "f77", "LEX": "lex", "YACC": "yacc", "LD": "ld", "MAKEFLAGS": "",
	} {
		vars[name] = makeVar{text: text}
	}
	for _, name := range strings.Fields("CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS LOADLIBES ASFLAGS FFLAGS LFLAGS YFLAGS TARGET_ARCH") {
		vars[name] = makeVar{}
	}
	return vars
}

// Limits of expansion: the depth of references, the length of a text, and the number of references in a
// text, since each may lead to more even if all are empty.
const (
	maxExpansion  = 100
	maxExpanded   = 1 << 20
	maxReferences = 1 << 20
)

// assign sets a variable.
func (v makeVars) assign(name, op, text string, line int) {
	old, known := v[name]
	switch op {
	case "!=":
		fail(line, "%s is the output of a command: nothing is run to read a makefile", name)
	case "?=":
		if !known || old.line == 0 && old.text == "" { // variables that make sets count as set
			v[name] = makeVar{text, false, line}
		}
	case "=":
		v[name] = makeVar{text, false, line}
	case "+=":
		if old.simple {
			text = v.expand(text, nil, line)
		}
		if old.text != "" {
			text = old.text + " " + text
		}
		if len(text) > maxExpanded {
			fail(line, "%s becomes too long", name)
		}
		v[name] = makeVar{text, old.simple, line}
	default:
		v[name] = makeVar{v.expand(text, nil, line), true, line}
	}
}

// words expands text and splits it.
func (v makeVars) words(text string, line int) []string {
	return strings.Fields(v.expand(text, nil, line))
}

// expand replaces variables in text. own are the variables of a recipe, like @.
func (v makeVars) expand(text string, own map[string]string, line int) string {
	e := makeExpansion{vars: v, own: own, line: line, steps: new(int)}
	e.text(text, 0)
	return e.out.String()
}

type makeExpansion struct {
	vars makeVars
	own  map[string]string
	line int
	out  strings.Builder

	steps *int // references so far, including nested ones
}

func (e *makeExpansion) text(text string, depth int) {
	if depth > maxExpansion {
		fail(e.line, "a variable refers to itself")
	}
	for text != "" {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			e.out.WriteString(text)
			break
		}
		e.out.WriteString(text[:i])
		name := text[i+1 : i+2]
		rest := text[i+2:]
		switch name {
		case "$":
			e.out.WriteByte('$')
			text = rest
			continue
		case "(", "{":
			var ok bool
			if name, rest, ok = reference(text[i+1:]); !ok {
				fail(e.line, "$%s has no end", clip(text[i+1:]))
			}
		}
		if *e.steps++; *e.steps > maxReferences {
			fail(e.line, "the variables refer to each other too often")
		}
		e.variable(name, depth)
		if e.out.Len() > maxExpanded {
			fail(e.line, "the text becomes too long")
		}
		text = rest
	}
}

// reference splits "(NAME)rest" into name and rest.
func reference(text string) (name, rest string, ok bool) {
	open, shut := text[0], byte(')')
	if open == '{' {
		shut = '}'
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return text[1:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// variable writes the value of a reference.
func (e *makeExpansion) variable(name string, depth int) {
	if strings.Contains(name, "$") {
		inner := makeExpansion{vars: e.vars, own: e.own, line: e.line, steps: e.steps}
		inner.text(name, depth+1)
		name = inner.out.String()
	}
	name, change, changed := strings.Cut(name, ":")
	if !changed {
		e.value(name, depth)
		return
	}
	from, to, ok := strings.Cut(change, "=")
	if !ok {
		fail(e.line, "$(%s:%s) is not understood", name, clip(change))
	}
	inner := makeExpansion{vars: e.vars, own: e.own, line: e.line, steps: e.steps}
	inner.value(name, depth)
	if !strings.Contains(from, "%") {
		from, to = "%"+from, "%"+to
	}
	words := strings.Fields(inner.out.String())
	for i, word := range words {
		if stem, ok := matchPattern(from, word); ok {
			words[i] = strings.Replace(to, "%", stem, 1)
		}
	}
	e.out.WriteString(strings.Join(words, " "))
}

// value writes the value of a variable.
func (e *makeExpansion) value(name string, depth int) {
	if value, ok := e.ownValue(name); ok {
		e.out.WriteString(value)
		return
	}
	if function, _, call := strings.Cut(name, " "); call || strings.Contains(name, ",") {
		panic(&Error{Line: e.line, Msg: "the function $(" + clip(function) + " …) is not understood: only variables are", Fix: "write its value"})
	}
	v, ok := e.vars[name]
	switch {
	case !ok && len(name) == 1 && strings.Contains("@<^+?*|%", name):
		fail(e.line, "$%s has no value here", name)
	case !ok:
		panic(&Error{Line: e.line, Msg: "the variable " + clip(name) + " is set nowhere in the makefile",
			Fix: "set it there, or write $$" + clip(name) + " for a variable of the shell"})
	case v.simple:
		e.out.WriteString(v.text)
		return
	}
	used := e.line
	e.line = v.line // errors name the line of the variable
	e.text(v.text, depth+1)
	e.line = used
}

// ownValue returns a variable of the recipe: @, <, ^ and the like, and their folders and files, as @D.
func (e *makeExpansion) ownValue(name string) (string, bool) {
	if value, ok := e.own[name]; ok {
		return value, true
	}
	if len(name) != 2 || name[1] != 'D' && name[1] != 'F' {
		return "", false
	}
	value, ok := e.own[name[:1]]
	if !ok {
		return "", false
	}
	words := strings.Fields(value)
	for i, word := range words {
		if name[1] == 'D' {
			words[i] = path.Dir(word)
		} else {
			words[i] = path.Base(word)
		}
	}
	return strings.Join(words, " "), true
}

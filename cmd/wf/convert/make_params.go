package convert

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wf/graph/pattern"
)

// A makeOption is a variable that the makefile sets with ?=, so that users can set it.
type makeOption struct {
	name  string
	file  string
	line  int
	value string
	mark  string // a word that stands for the value in another dry run
	fixed bool   // it is no parameter
}

// at returns the variable, its value and its place, for messages.
func (o *makeOption) at(a *MakeAnswers) string {
	return fmt.Sprintf("%s=%s (%s:%d)", o.name, o.value, a.sourceName(o.file), o.line)
}

var (
	makeOptional = pattern.Of(`(?m)^[ ]*(?:export[ \t]+|override[ \t]+)*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\?=[ \t]*(.*?)[ \t]*(?:#.*)?$`)
	// plainValue matches values that mean the same as text and as the value of a variable without quotes.
	plainValue = pattern.Of(`^[A-Za-z0-9_./,:@%+=^ -]*$`)
)

// maxMakeOptions limits the parameters of a makefile, since each may need a dry run of its own.
const maxMakeOptions = 40

// parameters makes parameters of the variables that users can set. Another dry run, with a mark as the value, shows
// where each ends up; a variable by which make decides something stays as it is.
func (r *makeReader) parameters() {
	options := r.options()
	if len(options) == 0 || r.a.Again == nil || !r.shell.posix {
		return
	}
	for _, o := range options {
		if !plainValue.Get().MatchString(o.value) {
			o.fixed = true
		}
	}
	if !r.check(free(options)) {
		for _, o := range free(options) {
			if !r.check([]*makeOption{o}) {
				o.fixed = true
			}
		}
		if !r.check(free(options)) {
			for _, o := range options {
				o.fixed = true
			}
		}
	}
	r.declare(free(options))
	var fixed []string
	for _, o := range options {
		if o.fixed {
			fixed = append(fixed, o.at(&r.a))
		}
	}
	if len(fixed) > 0 {
		r.b.note("variables that keep these values, because make itself decides by them, or commands do not contain them as words: %s. For another value: NAME=VALUE wf new …", listed(fixed))
	}
}

// free returns the options that can still become parameters.
func free(options []*makeOption) (list []*makeOption) {
	for _, o := range options {
		if !o.fixed {
			list = append(list, o)
		}
	}
	return list
}

// options returns the variables that a makefile sets with ?=, with their values.
func (r *makeReader) options() (options []*makeOption) {
	seen := map[string]bool{"SHELL": true}
	for _, file := range slices.Sorted(maps.Keys(r.a.Sources)) {
		text := string(r.a.Sources[file])
		for _, m := range makeOptional.Get().FindAllStringSubmatchIndex(text, -1) {
			name := text[m[2]:m[3]]
			if seen[strings.ToUpper(name)] || len(options) == maxMakeOptions {
				continue
			}
			seen[strings.ToUpper(name)] = true // two parameters may not differ in case only
			o := &makeOption{name: name, file: file, line: 1 + strings.Count(text[:m[0]], "\n"), mark: fmt.Sprintf("wfParam%dMark", len(options))}
			known, defined := r.db.vars[name]
			value, ok := text[m[4]:m[5]], true
			if defined && known.origin == "default" {
				value = known.value
			}
			if value, ok = r.db.expand(value, 0); !ok {
				o.fixed, value = true, "…"
			}
			if r.a.Environment != nil {
				if given, set := r.a.Environment(name); set {
					value = given
				}
			}
			o.value = strings.TrimSpace(value)
			options = append(options, o)
		}
	}
	return options
}

// check reports whether make executes the same with marks as the values of options, up to the marks. It then puts
// variables into the commands of nodes in which only marks were.
func (r *makeReader) check(options []*makeOption) bool {
	if len(options) == 0 {
		return true
	}
	var variables []string
	for _, o := range options {
		variables = append(variables, o.name+"="+o.mark)
	}
	output, err := r.a.Again(variables)
	if err != nil {
		return false
	}
	other := &makeReader{b: newBuilder(r.b.opt), a: r.a, opt: r.opt}
	trace, database := splitMake(string(output))
	other.db = readMakeDatabase(database)
	other.shell = other.readShell()
	other.jobs = readMakeTrace(other.plainShell(trace), other.db)
	withoutDeletions(other.jobs, other.db)
	withoutInfo(other.jobs, other.db)
	if err := catch(other.makeNodes); err != nil || len(other.jobs) != len(r.jobs) {
		return false
	}
	other.joinNodes()
	if catch(func() { other.dropIncluded() }) != nil {
		return false
	}
	return r.sameAs(other, options)
}

// sameAs compares nodes and edges with those of a dry run with marks.
func (r *makeReader) sameAs(other *makeReader, options []*makeOption) bool {
	if len(r.nodes) != len(other.nodes) {
		return false
	}
	var pairs []string
	for _, o := range options {
		pairs = append(pairs, o.mark, o.value)
	}
	values := strings.NewReplacer(pairs...)
	ids := func(nodes []*makeNode) (list []string) {
		for _, n := range nodes {
			list = append(list, n.id)
		}
		return list
	}
	filled := make([]string, len(r.nodes))
	for i, n := range r.nodes {
		m := other.nodes[i]
		if n.id != m.id || !slices.Equal(ids(n.after), ids(m.after)) || sameWords(values.Replace(m.command)) != sameWords(n.command) {
			return false
		}
		filled[i] = m.command
		for _, o := range options {
			if !strings.Contains(filled[i], o.mark) {
				continue
			}
			ok := false
			if filled[i], ok = fillShell(filled[i], o.mark, "WF_PARAM_"+strings.ToUpper(o.name), !plainWord.Get().MatchString(o.value)); !ok {
				return false
			}
		}
	}
	r.marked(other, options, filled)
	return true
}

// marked takes over commands with variables. An option that no command contains is fixed: make decides by it, or it is
// not used.
func (r *makeReader) marked(other *makeReader, options []*makeOption, filled []string) {
	for _, o := range options {
		if !slices.ContainsFunc(other.nodes, func(n *makeNode) bool { return strings.Contains(n.command, o.mark) }) {
			o.fixed = true
		}
	}
	for i, n := range r.nodes {
		n.filled = filled[i]
	}
}

// sameWords returns a command without the differences in blanks that an empty value leaves.
func sameWords(command string) string { return strings.Join(strings.Fields(command), " ") }

// declare declares parameters, and puts their variables into the commands.
func (r *makeReader) declare(options []*makeOption) {
	if len(options) == 0 {
		return
	}
	declared := map[string]map[string]string{}
	var names []string
	for _, o := range options {
		declared[o.name] = map[string]string{"type": "string", "default": o.value}
		names = append(names, fmt.Sprintf("%s (%s:%d)", o.name, r.a.sourceName(o.file), o.line))
	}
	for _, n := range r.nodes {
		if n.filled != "" {
			n.command = n.filled
		}
	}
	text, _ := json.Marshal(declared) // texts only
	r.b.attr("params", string(text))
	r.b.note("variables that the makefile sets with ?= are parameters (wf run -p NAME=VALUE): %s", listed(names))
}

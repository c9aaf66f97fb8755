package convert

import (
	"slices"
	"strings"

	"wf/graph/pattern"
)

// readMake reads a makefile without running make or any command: its rules, pattern rules and variables.
// The targets that the goals need become nodes, in the order in which make would make them. wf ignores
// file times: every node runs. Features that need make itself are errors, and so are targets that only a
// built-in rule of make could make: see make_builtin.go.
func readMake(b *builder, data []byte) {
	m := scanMake(string(data))
	goals, line := m.goals(b.opt.Goals)
	r := &makeReader{b: b, m: m, opt: b.opt, state: map[string]makeState{}, exports: m.exported()}
	for _, goal := range goals {
		r.target(makeNeed{name: goal, line: line}, true)
	}
	r.shell()
	r.noteUnused()
}

// goals returns the requested targets.
func (m *makefile) goals(wanted []string) (goals []string, line int) {
	if len(wanted) > 0 {
		return wanted, 0
	}
	if v, ok := m.vars[".DEFAULT_GOAL"]; ok {
		return m.vars.words(v.text, v.line), v.line
	}
	if m.first == "" {
		fail(1, "it contains no rule")
	}
	return []string{m.first}, m.rules[m.first].line
}

// exported returns the variables for the environment, as lines for the shell.
func (m *makefile) exported() (lines []string) {
	for _, e := range m.exports {
		if !variable.Get().MatchString(e.text) {
			fail(e.line, "%q is not a valid name of a variable", clip(e.text))
		}
		lines = append(lines, "export "+e.text+"="+shellWord(m.vars.expand("$("+e.text+")", nil, e.line)))
	}
	return lines
}

type makeState uint8

const (
	makeOpen   makeState = iota + 1 // its prerequisites are being read
	makeNode                        // it is a node
	makeSource                      // a file that no rule makes
)

// A makeReader turns targets into nodes.
type makeReader struct {
	b       *builder
	m       *makefile
	opt     Options
	exports []string
	state   map[string]makeState
	depth   int
	tried   int // number of pattern rules tried for a chain
}

// target makes a node for a target, after those of its prerequisites. It returns the id of the node; ""
// for an existing file.
func (r *makeReader) target(need makeNeed, goal bool) string {
	name := need.name
	if leader, ok := r.m.alias[name]; ok {
		name = leader
	}
	switch r.state[name] {
	case makeNode:
		return name
	case makeSource:
		return ""
	case makeOpen:
		fail(need.line, "%s needs itself", name)
	}
	if r.depth++; r.depth > 100_000 {
		fail(need.line, "more than 100000 targets need one another in a row")
	}
	defer func() { r.depth-- }()
	rule := r.find(name, need.line)
	if rule == nil {
		if goal {
			fail(need.line, "there is no rule for the target %s", clip(name))
		}
		r.state[name] = makeSource
		r.checkSource(need)
		return ""
	}
	r.checkBuiltin(rule)
	r.state[name] = makeOpen
	var before []string
	for _, need := range rule.needs {
		if id := r.target(need, false); id != "" {
			before = append(before, id)
		}
	}
	r.state[name] = makeNode
	setCommand(r.b.node(rule.target, rule.line), r.command(rule))
	for _, id := range before {
		r.b.edge(id, rule.target, link{}, rule.line)
	}
	return name
}

// find returns the rule for a target: the explicit one, completed by a pattern rule if it has no recipe.
// It returns nil if there is none, so that the file must exist.
func (r *makeReader) find(name string, line int) *makeRule {
	rule := r.m.rules[name]
	if rule != nil && (rule.hasBody || r.m.phony[name]) {
		return rule // make searches no other recipe for a phony target
	}
	implied := r.implied(name, line)
	if implied == nil {
		return rule
	}
	if rule != nil {
		implied.needs = append(implied.needs, rule.needs...)
	}
	return implied
}

// implied returns the pattern rule for a target. Of several that match, make uses one whose prerequisites
// exist or can be made. If there are still several, it is an error.
func (r *makeReader) implied(name string, line int) (found *makeRule) {
	for _, p := range r.m.patterns {
		stem, ok := matchPattern(p.target, name)
		if !ok || stem == "" || !p.hasBody || !r.possible(fillPattern(p.needs, stem), 0) {
			continue
		}
		if found != nil {
			fail(line, "two pattern rules could make %s, those in lines %d and %d: which one depends on the files that are there", clip(name), found.line, p.line)
		}
		if p.target == "%" {
			fail(p.line, "the rule for %% could make anything")
		}
		found = &makeRule{target: name, line: p.line, needs: fillPattern(p.needs, stem), recipe: p.recipe, hasBody: true, stem: stem}
	}
	return found
}

// command returns the recipe as one text for a shell. Make runs each line in its own shell and stops at
// the first failure.
func (r *makeReader) command(rule *makeRule) string {
	own := ownVariables(rule)
	var lines []string
	for i, l := range rule.recipe {
		text := r.m.vars.expand(l.text, own, l.line)
		ignore := false
		if i == 0 || !r.m.oneShell {
			text, ignore = withoutPrefix(text)
		}
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if ignore {
			text = apart(text) + " || :"
		}
		lines = append(lines, text)
	}
	if len(lines) == 0 {
		return ""
	}
	if len(lines) > 1 && !r.m.oneShell {
		for i, line := range lines {
			if !simpleLine.Get().MatchString(line) || changesShell.Get().MatchString(line) {
				lines[i] = apart(line)
			}
		}
		return strings.Join(slices.Concat(r.exports, []string{strings.Join(lines, " &&\n")}), "\n")
	}
	return strings.Join(slices.Concat(r.exports, lines), "\n")
}

// ownVariables returns the variables that make sets for a recipe.
func ownVariables(rule *makeRule) map[string]string {
	var all, unique, orderOnly []string
	for _, need := range rule.needs {
		if need.orderOnly {
			orderOnly = append(orderOnly, need.name)
			continue
		}
		all = append(all, need.name)
	}
	unique = distinct(slices.Clone(all))
	own := map[string]string{"@": rule.target, "^": strings.Join(unique, " "), "+": strings.Join(all, " "),
		"?": strings.Join(unique, " "), "|": strings.Join(distinct(orderOnly), " "), "<": "", "*": rule.stem}
	if len(all) > 0 {
		own["<"] = all[0]
	}
	return own
}

// withoutPrefix removes the prefix of a recipe line: @ prints nothing, - ignores a failure, + runs even if
// make runs nothing.
func withoutPrefix(text string) (rest string, ignore bool) {
	rest = strings.TrimLeft(text, "@-+ \t")
	return rest, strings.Contains(text[:len(text)-len(rest)], "-")
}

var (
	// simpleLine matches lines that can be joined with others.
	simpleLine = pattern.Of(`^[A-Za-z0-9_./,:@%+ \t"$<>-]+$`)
	// changesShell matches lines that would affect the next line in a common shell.
	changesShell = pattern.Of(`(^|\s)(cd|export|set|unset|umask|exec|exit|return|trap|\.|if|for|while|case|until)\s|^[A-Za-z_][A-Za-z0-9_]*=|<<`)
)

// apart gives a line its own shell.
func apart(line string) string {
	if strings.ContainsAny(line, "#\n") {
		return "(\n" + line + "\n)"
	}
	return "( " + line + " )"
}

// shell sets the shell of the makefile. One that cannot be expanded is left out.
func (r *makeReader) shell() {
	if shell := r.m.vars["SHELL"]; shell.line > 0 {
		_ = catch(func() {
			if text := r.m.vars.expand(shell.text, nil, shell.line); text != "/bin/sh" {
				r.b.attr("shell", text)
			}
		})
	}
}

// noteUnused adds a note with the targets that the goals do not need.
func (r *makeReader) noteUnused() {
	var left []string
	for name, rule := range r.m.rules {
		if r.state[name] == 0 && r.m.alias[name] == "" && rule.hasBody {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	if len(left) > 0 {
		r.b.note("left out, since nothing that was asked for needs them: %s", strings.Join(left, ", "))
	}
}

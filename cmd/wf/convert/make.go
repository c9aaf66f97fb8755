package convert

import (
	"regexp"
	"slices"
	"strings"
)

// readMake reads a makefile without running make or any command: its rules, pattern rules and
// variables. The targets that the goals need become nodes, in the order in which make would make
// them. wf does not look at file times: every node runs. What needs more of make to be understood
// is an error, and so is what only a built-in rule of make could make: see make_builtin.go.
func readMake(b *builder, data []byte) error {
	m, err := scanMake(string(data))
	if err != nil {
		return err
	}
	goals, line, err := m.goals(b.opt.Goals)
	if err != nil {
		return err
	}
	r := &makeReader{b: b, m: m, opt: b.opt, state: map[string]makeState{}}
	if r.exports, err = m.exported(); err != nil {
		return err
	}
	for _, goal := range goals {
		if _, err := r.target(makeNeed{name: goal, line: line}, true); err != nil {
			return err
		}
	}
	r.attrs()
	return r.tellLeft()
}

// goals are the targets that are wanted.
func (m *makefile) goals(wanted []string) (goals []string, line int, err error) {
	if len(wanted) > 0 {
		return wanted, 0, nil
	}
	if v, ok := m.vars[".DEFAULT_GOAL"]; ok {
		goals, err = m.vars.words(v.text, v.line)
		return goals, v.line, err
	}
	if m.first == "" {
		return nil, 0, errorAt(1, "there is no rule in it")
	}
	return []string{m.first}, m.rules[m.first].line, nil
}

// exported are the variables for the environment, as lines for the shell.
func (m *makefile) exported() ([]string, error) {
	var lines []string
	for _, e := range m.exports {
		if !variable.MatchString(e.text) {
			return nil, errorAt(e.line, "%q is no name for the environment", clip(e.text))
		}
		value, err := m.vars.expand("$("+e.text+")", nil, e.line)
		if err != nil {
			return nil, err
		}
		lines = append(lines, "export "+e.text+"="+shellWord(value))
	}
	return lines, nil
}

type makeState uint8

const (
	makeOpen   makeState = iota + 1 // its prerequisites are looked at
	makeNode                        // it has become a node
	makeSource                      // a file that nothing makes
)

// A makeReader turns targets into nodes.
type makeReader struct {
	b       *builder
	m       *makefile
	opt     Options
	exports []string
	state   map[string]makeState
	depth   int
	tried   int // pattern rules that were looked at for a chain
}

// target makes a node of a target, after those of everything it needs. It returns the id of the
// node; "" for a file that is there already.
func (r *makeReader) target(need makeNeed, goal bool) (string, error) {
	name := need.name
	if leader, ok := r.m.alias[name]; ok {
		name = leader
	}
	switch r.state[name] {
	case makeNode:
		return name, nil
	case makeSource:
		return "", nil
	case makeOpen:
		return "", errorAt(need.line, "%s needs itself", name)
	}
	if r.depth++; r.depth > 100_000 {
		return "", errorAt(need.line, "more than 100000 targets need one another in a row")
	}
	defer func() { r.depth-- }()
	rule, err := r.find(name, need.line)
	if err != nil {
		return "", err
	}
	if rule == nil {
		if goal {
			return "", errorAt(need.line, "there is no rule for the target %s", clip(name))
		}
		r.state[name] = makeSource
		return "", r.source(need)
	}
	if err := r.builtin(rule); err != nil {
		return "", err
	}
	r.state[name] = makeOpen
	var before []string
	for _, need := range rule.needs {
		id, err := r.target(need, false)
		if err != nil {
			return "", err
		}
		if id != "" {
			before = append(before, id)
		}
	}
	r.state[name] = makeNode
	return name, r.node(rule, before)
}

// find returns the rule for a target: the explicit one, completed by a pattern rule if it has no
// recipe. It returns nil for what nothing makes, which must be a file that is there.
func (r *makeReader) find(name string, line int) (*makeRule, error) {
	rule := r.m.rules[name]
	if rule != nil && (rule.hasBody || r.m.phony[name]) {
		return rule, nil // make looks for no other recipe of a phony target
	}
	implied, err := r.implied(name, line)
	if err != nil || implied == nil {
		return rule, err
	}
	if rule != nil {
		implied.needs = append(implied.needs, rule.needs...)
	}
	return implied, nil
}

// implied is what a pattern rule says about a target. Of several that match, make takes one whose
// prerequisites are there or can be made. Where that leaves several, which one is not decided here.
func (r *makeReader) implied(name string, line int) (*makeRule, error) {
	var found *makeRule
	for _, p := range r.m.patterns {
		stem, ok := matchPattern(p.target, name)
		if !ok || stem == "" || !p.hasBody || !r.possible(fillPattern(p.needs, stem), 0) {
			continue
		}
		if found != nil {
			return nil, errorAt(line, "two pattern rules could make %s, those in lines %d and %d: which one depends on the files that are there", clip(name), found.line, p.line)
		}
		if p.target == "%" {
			return nil, errorAt(p.line, "the rule for %% could make anything")
		}
		found = &makeRule{target: name, line: p.line, needs: fillPattern(p.needs, stem), recipe: p.recipe, hasBody: true, stem: stem}
	}
	return found, nil
}

func (r *makeReader) node(rule *makeRule, before []string) error {
	command, err := r.command(rule)
	if err != nil {
		return err
	}
	setCommand(r.b.node(rule.target, rule.line), command)
	for _, id := range before {
		if err := r.b.edge(id, rule.target, link{}, rule.line); err != nil {
			return err
		}
	}
	return nil
}

// command is the recipe as one text for a shell. Make gives each line to a shell of its own and
// ends with the first that fails.
func (r *makeReader) command(rule *makeRule) (string, error) {
	own := ownVariables(rule)
	var lines []string
	for i, l := range rule.recipe {
		text, err := r.m.vars.expand(l.text, own, l.line)
		if err != nil {
			return "", err
		}
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
		return "", nil
	}
	if len(lines) > 1 && !r.m.oneShell {
		for i, line := range lines {
			if !simpleLine.MatchString(line) || changesShell.MatchString(line) {
				lines[i] = apart(line)
			}
		}
		return strings.Join(slices.Concat(r.exports, []string{strings.Join(lines, " &&\n")}), "\n"), nil
	}
	return strings.Join(slices.Concat(r.exports, lines), "\n"), nil
}

// ownVariables are the variables that make sets for a recipe.
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

// withoutPrefix takes off what a recipe line begins with for make: @ prints nothing, - ignores a
// failure, + runs even when nothing shall be run.
func withoutPrefix(text string) (rest string, ignore bool) {
	rest = strings.TrimLeft(text, "@-+ \t")
	return rest, strings.Contains(text[:len(text)-len(rest)], "-")
}

var (
	// simpleLine can be joined with others as it stands.
	simpleLine = regexp.MustCompile(`^[A-Za-z0-9_./,:@%+ \t"$<>-]+$`)
	// changesShell finds what would still hold in the next line if both had one shell.
	changesShell = regexp.MustCompile(`(^|\s)(cd|export|set|unset|umask|exec|exit|return|trap|\.|if|for|while|case|until)\s|^[A-Za-z_][A-Za-z0-9_]*=|<<`)
)

// apart gives a line a shell of its own.
func apart(line string) string {
	if strings.ContainsAny(line, "#\n") {
		return "(\n" + line + "\n)"
	}
	return "( " + line + " )"
}

// attrs takes over how make runs commands.
func (r *makeReader) attrs() {
	if shell := r.m.vars["SHELL"]; shell.line > 0 {
		if text, err := r.m.vars.expand(shell.text, nil, shell.line); err == nil && text != "/bin/sh" {
			r.b.attr("shell", text)
		}
	}
}

// tellLeft names the targets that the goals do not need.
func (r *makeReader) tellLeft() error {
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
	return nil
}

package convert

import (
	"regexp"
	"slices"
	"strings"
)

// A makeRule is the rule for a target in a makefile.
type makeRule struct {
	target  string
	line    int
	needs   []makeNeed
	recipe  []makeLine
	hasBody bool   // has a recipe, which may be empty
	bodyAt  int    // line of its rule
	stem    string // value of % in its pattern rule
}

// A makeNeed is a prerequisite.
type makeNeed struct {
	name      string
	orderOnly bool
	line      int
}

// A makeLine is a line of a recipe.
type makeLine struct {
	text string
	line int
}

// A makefile is the result of scanMake.
type makefile struct {
	vars     makeVars
	rules    map[string]*makeRule
	first    string // the default goal, unless .DEFAULT_GOAL is set
	patterns []*makeRule
	alias    map[string]string // targets that one recipe makes together, by target: the first of them
	phony    map[string]bool   // targets that are not files
	exports  []makeLine        // names of variables for the environment
	oneShell bool

	open   []*makeRule // rules that the next recipe lines belong to
	openAt int         // their line
}

var (
	makeDirective = regexp.MustCompile(`^(-?include|sinclude|ifeq|ifneq|ifdef|ifndef|else|endif|define|endef|undefine|unexport|vpath|-?load|private|override)\b`)
	makeAssign    = regexp.MustCompile(`^([^\s:#=+?!$]+)\s*(:::=|::=|:=|\?=|\+=|!=|=)\s*(.*)$`)
	makeExport    = regexp.MustCompile(`^export(?:\s+(.*))?$`)
)

// scanMake reads all lines.
func scanMake(text string) (*makefile, error) {
	m := &makefile{vars: newMakeVars(), rules: map[string]*makeRule{}, alias: map[string]string{}, phony: map[string]bool{}}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); {
		begin := i
		inRecipe := strings.HasPrefix(lines[i], "\t") && m.open != nil
		logical := lines[i]
		for i++; i < len(lines) && continues(lines[i-1]); i++ {
			if inRecipe {
				logical += "\n" + strings.TrimPrefix(lines[i], "\t")
			} else {
				logical = strings.TrimRight(strings.TrimSuffix(logical, `\`), " \t") + " " + strings.TrimLeft(lines[i], " \t")
			}
		}
		var err error
		if inRecipe {
			err = m.addRecipe(makeLine{logical[1:], begin + 1})
		} else {
			err = m.scanLine(logical, begin+1)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// continues reports whether the next line belongs to this one, which ends with an odd number of
// backslashes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

func (m *makefile) addRecipe(l makeLine) error {
	for _, r := range m.open {
		if r.hasBody && r.bodyAt != m.openAt {
			return errorAt(l.line, "a second recipe for %s: the first one belongs to line %d", clip(r.target), r.bodyAt)
		}
		r.recipe = append(r.recipe, l)
		r.hasBody, r.bodyAt = true, m.openAt
	}
	return nil
}

// scanLine reads a line that is not a recipe line.
func (m *makefile) scanLine(text string, line int) error {
	text = strings.TrimSpace(withoutComment(text))
	if text == "" {
		return nil
	}
	if name := makeDirective.FindString(text); name != "" {
		return &Error{Line: line, Msg: name + " is not understood: only rules and variables are read", Fix: "resolve it by hand in a copy of the makefile"}
	}
	if found := makeExport.FindStringSubmatch(text); found != nil {
		return m.export(found[1], line)
	}
	if found := makeAssign.FindStringSubmatch(text); found != nil {
		m.open = nil
		switch found[1] {
		case ".SHELLFLAGS", "VPATH", ".RECIPEPREFIX", ".EXTRA_PREREQS":
			return errorAt(line, "%s is not understood", found[1])
		}
		return m.vars.assign(found[1], found[2], found[3], line)
	}
	return m.rule(text, line)
}

// withoutComment removes a comment; \# does not start one.
func withoutComment(text string) string {
	for i := 0; i < len(text); i++ {
		if text[i] == '#' && (i == 0 || text[i-1] != '\\') {
			return text[:i]
		}
	}
	return text
}

// export reads "export NAME" or "export NAME = value".
func (m *makefile) export(rest string, line int) error {
	m.open = nil
	if rest == "" {
		return errorAt(line, "export of all variables is not understood: name them")
	}
	if found := makeAssign.FindStringSubmatch(rest); found != nil {
		m.exports = append(m.exports, makeLine{found[1], line})
		return m.vars.assign(found[1], found[2], found[3], line)
	}
	for _, name := range strings.Fields(rest) {
		m.exports = append(m.exports, makeLine{name, line})
	}
	return nil
}

// rule reads "targets : prerequisites ; recipe" and its variants.
func (m *makefile) rule(text string, line int) error {
	head, recipe, inline := cutOutside(text, ';')
	left, right, ok := cutOutside(head, ':')
	if !ok {
		return errorAt(line, "%q is neither a rule nor a variable", clip(text))
	}
	left, grouped := strings.CutSuffix(strings.TrimSpace(left), "&")
	switch {
	case strings.HasPrefix(right, ":"):
		return errorAt(line, "a double-colon rule is not understood: its recipes may or may not be needed")
	case makeAssign.MatchString(strings.TrimSpace(right)):
		return errorAt(line, "a variable for one target is not understood: set it for all, or write its value")
	}
	targets, err := m.vars.words(left, line)
	if err != nil {
		return err
	}
	rules, err := m.makeRules(targets, right, line)
	if err != nil {
		return err
	}
	m.open, m.openAt = rules, line
	if inline {
		if err := m.addRecipe(makeLine{strings.TrimLeft(recipe, " \t"), line}); err != nil {
			return err
		}
	}
	if grouped {
		for _, r := range rules[1:] {
			m.alias[r.target] = rules[0].target
		}
	}
	return nil
}

// makeRules makes a rule for each target, also for "targets : %.o : %.c".
func (m *makefile) makeRules(targets []string, right string, line int) ([]*makeRule, error) {
	pattern, needs, static := cutOutside(right, ':')
	if !static {
		needs = right
	}
	normal, orderOnly, _ := cutOutside(needs, '|')
	var list []makeNeed
	for i, part := range []string{normal, orderOnly} {
		names, err := m.vars.words(part, line)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			list = append(list, makeNeed{name, i == 1, line})
		}
	}
	if strings.ContainsAny(right, "*?[") {
		return nil, errorAt(line, "a pattern of file names in a rule is not understood: name the files")
	}
	if static {
		var err error
		if pattern, err = m.vars.expand(strings.TrimSpace(pattern), nil, line); err != nil {
			return nil, err
		}
	}
	var rules []*makeRule
	for _, target := range targets {
		if len(targets) > 1 && special(target) {
			return nil, errorAt(line, "%s stands among other targets", target)
		}
		if len(targets) > 1 && strings.Contains(target, "%") {
			return nil, errorAt(line, "a pattern rule for several targets is not understood")
		}
		r, err := m.oneRule(target, pattern, static, list, line)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, errorAt(line, "a rule without targets")
	}
	return rules, nil
}

func (m *makefile) oneRule(target, pattern string, static bool, needs []makeNeed, line int) (*makeRule, error) {
	r := &makeRule{target: target, line: line}
	if static {
		stem, ok := matchPattern(pattern, target)
		if !ok {
			return nil, errorAt(line, "target %s does not match %s", target, pattern)
		}
		r.stem = stem
		needs = fillPattern(needs, stem)
	}
	switch {
	case special(target):
		return r, m.special(target, needs, line)
	case strings.HasPrefix(target, ".") && strings.Count(target, ".") == 2 && !strings.Contains(target, "/"):
		return nil, errorAt(line, "the suffix rule %s is not understood: write %%%s: %%%s", target, target[strings.LastIndexByte(target, '.'):], target[:strings.LastIndexByte(target, '.')])
	case strings.Contains(target, "%"):
		r.needs = needs
		m.patterns = append(m.patterns, r)
		return r, nil
	}
	known := m.rules[target]
	if known == nil {
		m.rules[target] = r
		known = r
		if m.first == "" && (!strings.HasPrefix(target, ".") || strings.Contains(target, "/")) {
			m.first = target
		}
	}
	known.needs = append(known.needs, needs...)
	if r.stem != "" {
		known.stem = r.stem
	}
	return known, nil
}

// special reports whether a target only changes how make works.
func special(target string) bool {
	return len(target) > 1 && target[0] == '.' && strings.Trim(target[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

func (m *makefile) special(target string, needs []makeNeed, line int) error {
	switch target {
	case ".PHONY":
		for _, need := range needs {
			m.phony[need.name] = true
		}
		return nil
	case ".SUFFIXES", ".SECONDARY", ".INTERMEDIATE", ".PRECIOUS", ".DELETE_ON_ERROR", ".SILENT", ".NOTINTERMEDIATE":
		return nil // only about files and echo
	case ".ONESHELL":
		m.oneShell = true
		return nil
	case ".NOTPARALLEL":
		return errorAt(line, ".NOTPARALLEL orders what no edge says: write the order as prerequisites")
	}
	return errorAt(line, "%s is not understood", target)
}

// matchPattern returns the value of % of a pattern in a name.
func matchPattern(pattern, name string) (stem string, ok bool) {
	before, after, ok := strings.Cut(pattern, "%")
	if !ok {
		return "", pattern == name
	}
	if len(name) < len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return name[len(before) : len(name)-len(after)], true
}

func fillPattern(needs []makeNeed, stem string) []makeNeed {
	filled := slices.Clone(needs)
	for i := range filled {
		filled[i].name = strings.Replace(filled[i].name, "%", stem, 1)
	}
	return filled
}

// cutOutside cuts text at the first mark outside $( ) and ${ }.
func cutOutside(text string, mark byte) (before, after string, found bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '$' && i+1 < len(text) && (text[i+1] == '(' || text[i+1] == '{'):
			depth++
			i++
		case depth > 0 && (c == '(' || c == '{'):
			depth++
		case depth > 0 && (c == ')' || c == '}'):
			depth--
		case depth == 0 && c == mark:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

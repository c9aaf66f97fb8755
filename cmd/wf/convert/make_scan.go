package convert

import (
	"slices"
	"strings"

	"wf/graph/pattern"
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
	makeDirective = pattern.Of(`^(-?include|sinclude|ifeq|ifneq|ifdef|ifndef|else|endif|define|endef|undefine|unexport|vpath|-?load|private|override)\b`)
	makeAssign    = pattern.Of(`^([^\s:#=+?!$]+)\s*(:::=|::=|:=|\?=|\+=|!=|=)\s*(.*)$`)
	makeExport    = pattern.Of(`^export(?:\s+(.*))?$`)
)

// scanMake reads all lines.
func scanMake(text string) *makefile {
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
		if inRecipe {
			m.addRecipe(makeLine{logical[1:], begin + 1})
		} else {
			m.scanLine(logical, begin+1)
		}
	}
	return m
}

// continues reports whether the next line belongs to this one, which ends with an odd number of
// backslashes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

func (m *makefile) addRecipe(l makeLine) {
	for _, r := range m.open {
		if r.hasBody && r.bodyAt != m.openAt {
			fail(l.line, "a second recipe for %s: the first one belongs to line %d", clip(r.target), r.bodyAt)
		}
		r.recipe = append(r.recipe, l)
		r.hasBody, r.bodyAt = true, m.openAt
	}
}

// scanLine reads a line that is not a recipe line.
func (m *makefile) scanLine(text string, line int) {
	text = strings.TrimSpace(withoutComment(text))
	if name := makeDirective.Get().FindString(text); name != "" {
		panic(&Error{Line: line, Msg: name + " is not understood: only rules and variables are read", Fix: "resolve it by hand in a copy of the makefile"})
	}
	switch exported, assigned := makeExport.Get().FindStringSubmatch(text), makeAssign.Get().FindStringSubmatch(text); {
	case text == "":
	case exported != nil:
		m.export(exported[1], line)
	case assigned != nil:
		m.open = nil
		switch assigned[1] {
		case ".SHELLFLAGS", "VPATH", ".RECIPEPREFIX", ".EXTRA_PREREQS":
			fail(line, "%s is not understood", assigned[1])
		}
		m.vars.assign(assigned[1], assigned[2], assigned[3], line)
	default:
		m.rule(text, line)
	}
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
func (m *makefile) export(rest string, line int) {
	m.open = nil
	if rest == "" {
		fail(line, "export of all variables is not understood: name them")
	}
	if found := makeAssign.Get().FindStringSubmatch(rest); found != nil {
		m.exports = append(m.exports, makeLine{found[1], line})
		m.vars.assign(found[1], found[2], found[3], line)
		return
	}
	for _, name := range strings.Fields(rest) {
		m.exports = append(m.exports, makeLine{name, line})
	}
}

// rule reads "targets : prerequisites ; recipe" and its variants.
func (m *makefile) rule(text string, line int) {
	head, recipe, inline := cutOutside(text, ';')
	left, right, ok := cutOutside(head, ':')
	if !ok {
		fail(line, "%q is neither a rule nor a variable", clip(text))
	}
	left, grouped := strings.CutSuffix(strings.TrimSpace(left), "&")
	switch {
	case strings.HasPrefix(right, ":"):
		fail(line, "a double-colon rule is not understood: its recipes may or may not be needed")
	case makeAssign.Get().MatchString(strings.TrimSpace(right)):
		fail(line, "a variable for one target is not understood: set it for all, or write its value")
	}
	rules := m.makeRules(m.vars.words(left, line), right, line)
	m.open, m.openAt = rules, line
	if inline {
		m.addRecipe(makeLine{strings.TrimLeft(recipe, " \t"), line})
	}
	if grouped {
		for _, r := range rules[1:] {
			m.alias[r.target] = rules[0].target
		}
	}
}

// makeRules makes a rule for each target, also for "targets : %.o : %.c".
func (m *makefile) makeRules(targets []string, right string, line int) (rules []*makeRule) {
	pattern, needs, static := cutOutside(right, ':')
	if !static {
		needs = right
	}
	normal, orderOnly, _ := cutOutside(needs, '|')
	var list []makeNeed
	for i, part := range []string{normal, orderOnly} {
		for _, name := range m.vars.words(part, line) {
			list = append(list, makeNeed{name, i == 1, line})
		}
	}
	if strings.ContainsAny(right, "*?[") {
		fail(line, "a pattern of file names in a rule is not understood: name the files")
	}
	if static {
		pattern = m.vars.expand(strings.TrimSpace(pattern), nil, line)
	}
	for _, target := range targets {
		if len(targets) > 1 && special(target) {
			fail(line, "%s stands among other targets", target)
		}
		if len(targets) > 1 && strings.Contains(target, "%") {
			fail(line, "a pattern rule for several targets is not understood")
		}
		rules = append(rules, m.oneRule(target, pattern, static, list, line))
	}
	if len(rules) == 0 {
		fail(line, "a rule without targets")
	}
	return rules
}

func (m *makefile) oneRule(target, pattern string, static bool, needs []makeNeed, line int) *makeRule {
	r := &makeRule{target: target, line: line}
	if static {
		stem, ok := matchPattern(pattern, target)
		if !ok {
			fail(line, "target %s does not match %s", target, pattern)
		}
		r.stem = stem
		needs = fillPattern(needs, stem)
	}
	switch {
	case special(target):
		m.special(target, needs, line)
		return r
	case strings.HasPrefix(target, ".") && strings.Count(target, ".") == 2 && !strings.Contains(target, "/"):
		fail(line, "the suffix rule %s is not understood: write %%%s: %%%s", target, target[strings.LastIndexByte(target, '.'):], target[:strings.LastIndexByte(target, '.')])
	case strings.Contains(target, "%"):
		r.needs = needs
		m.patterns = append(m.patterns, r)
		return r
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
	return known
}

// special reports whether a target only changes how make works.
func special(target string) bool {
	return len(target) > 1 && target[0] == '.' && strings.Trim(target[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

func (m *makefile) special(target string, needs []makeNeed, line int) {
	switch target {
	case ".PHONY":
		for _, need := range needs {
			m.phony[need.name] = true
		}
	case ".SUFFIXES", ".SECONDARY", ".INTERMEDIATE", ".PRECIOUS", ".DELETE_ON_ERROR", ".SILENT", ".NOTINTERMEDIATE": // only about files and echo
	case ".ONESHELL":
		m.oneShell = true
	case ".NOTPARALLEL":
		fail(line, ".NOTPARALLEL orders what no edge says: write the order as prerequisites")
	default:
		fail(line, "%s is not understood", target)
	}
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

package convert

import (
	"slices"
	"strconv"
	"strings"

	"wf/graph/pattern"
)

// A makeDatabase is what make -p prints: variables and targets, after make has considered the goals.
type makeDatabase struct {
	vars    map[string]makeVariable
	targets map[string][]*makeTarget // several if a target has rules with double colons
}

// A makeVariable is the definition of a variable, not expanded unless its value was determined at once.
type makeVariable struct {
	value  string
	origin string // what defines it, such as "makefile", "default" or "environment"
}

// A makeTarget is a rule or a file, as it is after the search for implicit rules.
type makeTarget struct {
	name         string
	needs        []string // prerequisites, also order-only ones
	also         []string // other targets that the recipe makes
	declared     bool     // it is the target of a rule
	intermediate bool
	file         string // of the recipe; "" if it is built in
	line         int
	recipe       []string // its lines before expansion; nil if there is none
}

var (
	makeOrigin    = pattern.Of(`^# (default|environment|environment under -e|makefile|command line|automatic|'override' directive|undefined)( private)?( \(from '.*', line \d+\))?$`)
	makeRecipeAt  = pattern.Of(`^#  recipe to execute \((?:from '(.*)', line (\d+)|built-in)\):$`)
	makeAlso      = pattern.Of(`^#  Also makes:((?: \S+)+)$`)
	makeAssign    = pattern.Of(`^(\S+) :?:?:?= ?(.*)$`)
	makeSingleRef = pattern.Of(`\$(?:\(([^()$:=, ]+)\)|\{([^{}$:=, ]+)\}|([A-Za-z0-9_]))`)
)

// readMakeDatabase reads the output of make -p. Parts of it that it does not know are skipped.
func readMakeDatabase(text string) *makeDatabase {
	db := &makeDatabase{vars: map[string]makeVariable{}, targets: map[string][]*makeTarget{}}
	vars, files, _ := strings.Cut(text, "\n# Files\n")
	db.readVariables(strings.Split(vars, "\n"))
	r := makeEntryReader{lines: strings.Split(files, "\n")}
	for r.at < len(r.lines) {
		if t := r.entry(); t != nil {
			db.targets[t.name] = append(db.targets[t.name], t)
		}
	}
	for _, rules := range db.targets {
		slices.SortStableFunc(rules, func(a, b *makeTarget) int { return a.line - b.line })
	}
	return db
}

// readVariables reads the definitions, each of which follows a comment about its origin.
func (db *makeDatabase) readVariables(lines []string) {
	for i := 0; i+1 < len(lines); i++ {
		m := makeOrigin.Get().FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		i++
		if name, ok := strings.CutPrefix(lines[i], "define "); ok {
			var body []string
			for i++; i < len(lines) && lines[i] != "endef"; i++ {
				body = append(body, lines[i])
			}
			db.vars[strings.TrimSuffix(name, " =")] = makeVariable{value: strings.Join(body, "\n"), origin: m[1]}
			continue
		}
		if d := makeAssign.Get().FindStringSubmatch(lines[i]); d != nil {
			db.vars[d[1]] = makeVariable{value: d[2], origin: m[1]}
		}
	}
}

// expand replaces references to variables in a text. ok is false if it contains a function or refers to itself.
func (db *makeDatabase) expand(text string, depth int) (_ string, ok bool) {
	if depth > 20 || len(text) > 1<<16 {
		return "", false
	}
	ok = true
	text = makeSingleRef.Get().ReplaceAllStringFunc(strings.ReplaceAll(text, "$$", "\x00"), func(ref string) string {
		value, fine := db.expand(db.vars[strings.Trim(ref, "${}()")].value, depth+1)
		ok = ok && fine
		return value
	})
	return strings.ReplaceAll(text, "\x00", "$"), ok && !strings.Contains(text, "$")
}

// special reports whether a special target such as .ONESHELL is in force, and returns its prerequisites.
func (db *makeDatabase) special(name string) (needs []string, ok bool) {
	for _, t := range db.targets[name] {
		if t.declared {
			needs, ok = append(needs, t.needs...), true
		}
	}
	return needs, ok
}

// A makeEntryReader reads the entries of files, which are separated by empty lines.
type makeEntryReader struct {
	lines []string
	at    int
}

// next returns the next line of an entry; ok is false at its end.
func (r *makeEntryReader) next() (line string, ok bool) {
	if r.at >= len(r.lines) {
		return "", false
	}
	line = r.lines[r.at]
	r.at++
	return line, line != ""
}

// entry reads one entry. It returns nil if it is none of a file.
func (r *makeEntryReader) entry() *makeTarget {
	t := &makeTarget{declared: true}
	for {
		line, ok := r.next()
		switch {
		case !ok:
			return nil
		case line == "# Not a target:":
			t.declared = false
		case makeOrigin.Get().MatchString(line):
			r.skipVariable()
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, ".RECIPEPREFIX = "):
		default:
			if !t.head(line) {
				r.skip()
				return nil
			}
			r.facts(t)
			return t
		}
	}
}

// skipVariable skips the value of a variable of a target.
func (r *makeEntryReader) skipVariable() {
	line, _ := r.next()
	if !strings.Contains(line, "define ") {
		return
	}
	for r.at < len(r.lines) && r.lines[r.at] != "endef" {
		r.at++
	}
	r.at++
}

// skip moves behind the end of the entry.
func (r *makeEntryReader) skip() {
	for {
		if _, ok := r.next(); !ok {
			return
		}
	}
}

// head reads "TARGET: PREREQUISITE … | ORDER-ONLY …".
func (t *makeTarget) head(line string) bool {
	at := strings.Index(line+" ", ": ")
	if at <= 0 {
		return false
	}
	t.name = strings.TrimSuffix(line[:at], ":")
	for _, word := range strings.Fields(line[at+1:]) {
		if word != "|" {
			t.needs = append(t.needs, word)
		}
	}
	return t.name != ""
}

// facts reads the comments about a target, and its recipe, which ends the entry.
func (r *makeEntryReader) facts(t *makeTarget) {
	for {
		line, ok := r.next()
		if !ok {
			return
		}
		if line == "#  File is an intermediate prerequisite." {
			t.intermediate = true
		}
		if m := makeAlso.Get().FindStringSubmatch(line); m != nil {
			t.also = strings.Fields(m[1])
		}
		if m := makeRecipeAt.Get().FindStringSubmatch(line); m != nil {
			t.file = m[1]
			t.line, _ = strconv.Atoi(m[2])
			r.recipe(t)
			return
		}
	}
}

// recipe reads the lines of a recipe, of which each begins with a character that is not part of it. A line that ends
// with a backslash continues in the next one.
func (r *makeEntryReader) recipe(t *makeTarget) {
	t.recipe = []string{}
	for r.at < len(r.lines) && r.lines[r.at] != "" {
		line := r.lines[r.at]
		for r.at++; isContinued(line) && r.at < len(r.lines); r.at++ {
			line += "\n" + r.lines[r.at]
		}
		t.recipe = append(t.recipe, line[1:])
	}
	r.at++
}

// isContinued reports whether a line ends with a backslash that stands for itself.
func isContinued(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

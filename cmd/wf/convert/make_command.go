package convert

import (
	"path"
	"regexp"
	"strings"

	"wf/graph/pattern"
)

// A makeShell says how make executes recipes.
type makeShell struct {
	program string
	options string // arguments of set for the commands, such as "-eu -o pipefail"
	stops   bool   // -e is among them
	posix   bool   // the program understands the language of sh
	whole   bool   // .ONESHELL: a recipe is one text
	ignore  bool   // .IGNORE: failures are ignored
}

// posixShells are the programs that understand the language of sh.
const posixShells = "sh dash bash ash ksh mksh zsh busybox"

func (r *makeReader) readShell() makeShell {
	s := makeShell{program: "/bin/sh"}
	if text, ok := r.db.expand(r.db.vars["SHELL"].value, 0); ok && strings.TrimSpace(text) != "" {
		s.program = text
	} else if !ok {
		r.b.note("the SHELL of the makefile cannot be told: its commands get /bin/sh. To change that: wf edit set-graph shell PROGRAM")
	}
	words := strings.Fields(s.program)
	if path.Base(words[0]) == "env" && len(words) > 1 {
		words = append([]string{words[0] + " " + words[1]}, words[2:]...)
	}
	s.posix = hasWord(posixShells, path.Base(words[0][strings.LastIndexByte(words[0], ' ')+1:]))
	if s.posix { // SHELL = bash -o pipefail
		s.program = words[0]
	} else {
		words = words[:1]
	}
	_, s.whole = r.db.special(".ONESHELL")
	if needs, on := r.db.special(".IGNORE"); on && len(needs) == 0 {
		s.ignore = true
	}
	r.readShellFlags(&s, strings.Join(words[1:], " "))
	return s
}

// shellFlag matches options that set understands, too.
var shellFlag = pattern.Of(`^(-[abefhkmnuvxBCEHPT]*o?|-o [a-z]+)$`)

// readShellFlags turns the options of the shell, and more of them, into a command set, since the shells of the nodes get no options.
func (r *makeReader) readShellFlags(s *makeShell, more string) {
	flags, ok := r.db.expand(r.db.vars[".SHELLFLAGS"].value, 0)
	if _, posix := r.db.special(".POSIX"); posix && flags == "-c" {
		flags = "-ec"
	}
	if !ok || !s.posix && flags != "-c" && flags != "" {
		r.b.note(".SHELLFLAGS is left out: %s. Write its meaning into the commands", flags)
		return
	}
	var options, lost []string
	words := strings.Fields(more + " " + flags)
	for i := 0; i < len(words); i++ {
		word := strings.Trim(words[i], `'"`)
		if strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") {
			word = strings.Replace(word, "c", "", 1)
		}
		switch {
		case word == "-" || word == "--":
			continue
		case word == "-o" && i+1 < len(words), strings.HasSuffix(word, "o") && shellFlag.Get().MatchString(word) && i+1 < len(words):
			i++
			word += " " + strings.Trim(words[i], `'"`)
		case !shellFlag.Get().MatchString(word):
			lost = append(lost, word)
			continue
		}
		options = append(options, word)
		s.stops = s.stops || strings.Contains(strings.Fields(word)[0], "e") || strings.HasSuffix(word, " errexit")
	}
	s.options = strings.Join(options, " ")
	if len(lost) > 0 {
		r.b.note("options of .SHELLFLAGS are left out: %s. Write their meaning into the commands", listed(lost))
	}
}

// shellAttrs sets the shell of the workfile.
func (r *makeReader) shellAttrs() {
	if r.shell.program != "/bin/sh" && r.shell.program != "sh" {
		r.b.attr("shell", r.shell.program)
	}
}

// command returns the recipe of a job as one text for a shell, "" if it does nothing. Make runs each line in its own
// shell and stops at the first failure.
func (r *makeReader) command(j *makeJob) string {
	rule := r.db.rule(j)
	if r.shell.whole {
		text := strings.Join(j.output, "\n")
		if doesNothing(text) {
			return ""
		}
		if r.shell.posix && (r.shell.ignore || rule != nil && len(rule.recipe) > 0 && r.prefix(rule.recipe[0], j)) {
			text = "(\n" + text + "\n) || :"
		}
		return r.withOptions(text)
	}
	lines := logicalLines(j.output)
	ignored := r.ignored(j, rule, lines)
	var parts []string
	for i, line := range lines {
		if doesNothing(line) || r.shell.posix && strings.HasPrefix(line, "#") {
			continue
		}
		if ignored[i] && len(lines) > 1 {
			line = "( " + apart(line) + " || : )"
		} else if ignored[i] {
			line = apart(line) + " || :"
		}
		parts = append(parts, line)
	}
	if len(parts) == 0 {
		return ""
	}
	if len(parts) == 1 {
		return r.withOptions(parts[0])
	}
	if !r.shell.posix {
		panic(&Error{Line: r.line(j), Msg: "the recipe of " + clip(j.target) + " has several lines for " + clip(r.shell.program) + ", which execute one after the other",
			Fix: "write .ONESHELL: into the makefile, or import with another --goal"})
	}
	for i, line := range parts {
		if !strings.HasPrefix(line, "( ( ") && !simpleLine.Get().MatchString(line) || changesShell.Get().MatchString(line) {
			parts[i] = apart(line)
		}
	}
	if r.shell.stops { // in a list with && the shell would ignore -e
		return r.withOptions(strings.Join(parts, "\n"))
	}
	return r.withOptions(strings.Join(parts, " &&\n"))
}

// withOptions puts the options of the shell before a command.
func (r *makeReader) withOptions(command string) string {
	if r.shell.options == "" {
		return command
	}
	return "set " + r.shell.options + "\n" + command
}

// doesNothing reports whether a line of a recipe has no effect.
func doesNothing(line string) bool {
	switch strings.TrimSpace(line) {
	case "", ":", "true":
		return true
	}
	return false
}

// ignored says of each line whether make ignores its failure. Make prints lines without their prefix, so it is taken
// from the line of the recipe that a line comes from.
func (r *makeReader) ignored(j *makeJob, rule *makeTarget, lines []string) []bool {
	ignored := make([]bool, len(lines))
	if needs, _ := r.db.special(".IGNORE"); r.shell.ignore || hasWord(strings.Join(needs, " "), j.target) {
		for i := range ignored {
			ignored[i] = true
		}
		return ignored
	}
	if rule == nil {
		return ignored
	}
	var sources []string // lines of the recipe that print something
	any := false
	for _, line := range rule.recipe {
		if strings.TrimSpace(line) != "" {
			sources = append(sources, line)
			any = any || r.prefix(line, j)
		}
	}
	if !any {
		return ignored
	}
	if len(sources) == len(lines) {
		for i := range lines {
			ignored[i] = r.prefix(sources[i], j)
		}
		return ignored
	}
	at := 0 // every line comes from the same line of the recipe as the line before, or from a later one
	for i, line := range lines {
		best := -1
		for k := at; k < len(sources); k++ {
			form, literal := recipeForm(sources[k])
			if literal > best && form.MatchString(line) {
				best, at, ignored[i] = literal, k, r.prefix(sources[k], j)
			}
		}
	}
	return ignored
}

var (
	makeReference = pattern.Of(`\$(\([^()]*\)|\{[^{}]*\}|.)`)
	// simpleLine matches lines that can be joined with others.
	simpleLine = pattern.Of(`^[A-Za-z0-9_./,:@%+ \t"$<>-]+$`)
	// changesShell matches lines that would affect the next line in a common shell.
	changesShell = pattern.Of(`(^|\s)(cd|export|set|unset|umask|exec|exit|return|trap|\.|if|for|while|case|until)(\s|$)|^[A-Za-z_][A-Za-z0-9_]*=|<<`)
)

// recipeForm returns an expression for what a line of a recipe can become, and how much of it is literal.
func recipeForm(line string) (form *regexp.Regexp, literal int) {
	line = strings.TrimLeft(line, "@-+ \t")
	for range 20 { // nested references, from the inside
		inner := makeReference.Get().ReplaceAllStringFunc(line, func(ref string) string {
			if ref == "$$" {
				return "\x01"
			}
			return "\x00"
		})
		if inner == line {
			break
		}
		line = inner
	}
	literal = len(line) - strings.Count(line, "\x00")
	text := strings.NewReplacer("\x00", "(?s:.*)", "\x01", `\$`).Replace(regexp.QuoteMeta(line))
	form, err := regexp.Compile(`^\s*` + text + `$`)
	if err != nil { // too many references
		return regexp.MustCompile(`.`), 0
	}
	return form, literal
}

// prefix reports whether the prefix of a line contains -. It may come from a variable: $(Q)rm.
func (r *makeReader) prefix(line string, j *makeJob) bool {
	for {
		line = strings.TrimLeft(line, "@+ \t")
		if strings.HasPrefix(line, "-") {
			return true
		}
		ref := makeSingleRef.Get().FindString(line)
		if ref == "" || !strings.HasPrefix(line, ref) {
			return false
		}
		value, ok := r.db.expand(ref, 0)
		if !ok || strings.TrimLeft(value, "@-+ \t") != "" {
			return strings.HasPrefix(strings.TrimLeft(value, "@+ \t"), "-") && ok
		}
		if strings.Contains(value, "-") {
			return true
		}
		line = line[len(ref):]
	}
}

// apart gives a line its own shell.
func apart(line string) string {
	if strings.ContainsAny(line, "#\n") {
		return "(\n" + line + "\n)"
	}
	return "( " + line + " )"
}

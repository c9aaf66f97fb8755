package convert

import (
	"strconv"
	"strings"

	"wf/graph/pattern"
)

// A makeJob is one execution of a recipe.
type makeJob struct {
	target string
	file   string // where the recipe is; "" if it is built in
	line   int
	output []string // the lines that make would execute, as it prints them
}

var (
	makeHeader = pattern.Of(`^(?:<builtin>|(.+?):(\d+)): (?:update )?target '(.*)' (?:does not exist|due to: .*)$`)
	makeSays   = pattern.Of(`^g?make(?:\[\d+\])?: (?:Nothing to be done for '.*'\.|'.*' is up to date\.)$`)
)

// readMakeTrace reads what make -n --trace prints: a line about each target that it would make, then the lines of its
// recipe. Lines before the first target are texts that the makefile prints.
func readMakeTrace(text string, db *makeDatabase) (jobs []*makeJob) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if m := makeHeader.Get().FindStringSubmatch(line); m != nil && db.targets[m[3]] != nil {
			at, _ := strconv.Atoi(m[2])
			jobs = append(jobs, &makeJob{target: m[3], file: m[1], line: at})
			continue
		}
		if len(jobs) > 0 && !makeSays.Get().MatchString(line) {
			last := jobs[len(jobs)-1]
			last.output = append(last.output, line)
		}
	}
	return jobs
}

// rule returns the rule that a job carries out. It may be nil.
func (db *makeDatabase) rule(j *makeJob) *makeTarget {
	for _, t := range db.targets[j.target] {
		if t.recipe != nil && t.file == j.file && t.line == j.line {
			return t
		}
	}
	return nil
}

// withoutDeletions removes the last line of all, with which make deletes intermediate files, and returns these files.
func withoutDeletions(jobs []*makeJob, db *makeDatabase) (deleted []string) {
	if len(jobs) == 0 {
		return nil
	}
	last := jobs[len(jobs)-1]
	if len(last.output) == 0 {
		return nil
	}
	names, ok := strings.CutPrefix(last.output[len(last.output)-1], "rm ")
	deleted = strings.Fields(names)
	for _, name := range deleted {
		rules := db.targets[name]
		ok = ok && len(rules) > 0 && rules[0].intermediate
	}
	if !ok || len(deleted) == 0 {
		return nil
	}
	last.output = last.output[:len(last.output)-1]
	return deleted
}

// makeInfo matches calls that print a text while make expands a recipe.
var makeInfo = pattern.Of(`\$[({]info[ \t]`)

// withoutInfo removes texts that $(info …) in a recipe prints: make expands the recipe before it announces the target, so
// they stand at the end of the recipe before. It returns the jobs with such texts.
func withoutInfo(jobs []*makeJob, db *makeDatabase) (talking []*makeJob) {
	for i, j := range jobs {
		rule := db.rule(j)
		if rule == nil {
			continue
		}
		texts := len(makeInfo.Get().FindAllString(strings.Join(rule.recipe, "\n"), -1))
		if texts == 0 {
			continue
		}
		talking = append(talking, j)
		if i > 0 {
			before := jobs[i-1]
			before.output = before.output[:max(0, len(before.output)-texts)]
		}
	}
	return talking
}

// logicalLines joins lines that end with a backslash with their next ones.
func logicalLines(output []string) (lines []string) {
	continued := false
	for _, line := range output {
		if continued {
			lines[len(lines)-1] += "\n" + line
		} else {
			lines = append(lines, line)
		}
		continued = isContinued(line)
	}
	for i, line := range lines { // an empty value at the end leaves a backslash that continues nothing
		for body, last, more := cutLast(line); more && strings.TrimSpace(last) == ""; body, last, more = cutLast(line) {
			line = strings.TrimRight(strings.TrimSuffix(body, `\`), " \t")
		}
		lines[i] = line
	}
	return lines
}

// cutLast cuts a text before its last line. more is false if it has one line only.
func cutLast(text string) (body, last string, more bool) {
	at := strings.LastIndexByte(text, '\n')
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

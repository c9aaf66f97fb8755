// Package alike groups failures that look the same: they ended for the same reason, and the ends of their outputs differ
// only in what names one of them, such as numbers, times, paths, identifiers and the name of the node. The functions are
// pure. They do not change texts, so a display must make them safe to print.
package alike

import (
	"cmp"
	"slices"
	"strings"
)

// A Failure is a failed execution.
type Failure struct {
	Name    string   // of the node
	Cause   string   // how it ended, such as "exit 1"
	Command string   // decides only if there is no output
	Tail    []string // the last lines of its output
}

// A Group contains the failures that look the same.
type Group struct {
	Members []int  // numbers of the failures, in ascending order; never empty
	Reason  string // the last line that the first member wrote, or "" if none wrote anything
}

// lines is the number of lines at the end of an output that decide. One line is often a summary that many different
// failures share ("make: *** [all] Error 1"); earlier lines are about the progress until the failure.
const lines = 3

// Groups divides failures into groups, the largest first, and among equal ones the one that begins first.
func Groups(failures []Failure) []Group {
	at := map[string]int{}
	var groups []Group
	for i := range failures {
		k := key(&failures[i])
		g, known := at[k]
		if !known {
			g = len(groups)
			at[k] = g
			groups = append(groups, Group{Reason: failures[i].reason()})
		}
		groups[g].Members = append(groups[g].Members, i)
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(len(b.Members), len(a.Members)) })
	return groups
}

// reason returns the last line that is not blank, or "".
func (f *Failure) reason() string {
	if end := f.end(); len(end) > 0 {
		return end[len(end)-1]
	}
	return ""
}

// end returns the last lines that are not blank, without the blanks around them.
func (f *Failure) end() []string {
	var out []string
	for _, line := range slices.Backward(f.Tail) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
		if len(out) == lines {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// key returns a text that is the same for failures of one group.
func key(f *Failure) string {
	end := f.end()
	if len(end) == 0 { // without an output the command is all that says what happened
		end = []string{"", f.Command}
	}
	parts := []string{f.Cause}
	for _, line := range end {
		parts = append(parts, Mask(without(line, f.Name)))
	}
	return strings.Join(parts, "\n")
}

// without replaces the name of a node in a line. A name of one or two letters is left alone, because it may be a part of any word.
func without(line, name string) string {
	if len(name) < 3 {
		return line
	}
	return strings.ReplaceAll(line, name, node)
}

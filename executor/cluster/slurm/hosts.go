package slurm

import (
	"strconv"
	"strings"
)

// includes reports whether a list of machines as Slurm prints it, such as "login,n[1-3,07]", contains a machine. A list that is not
// understood contains all.
func includes(list, machine string) bool {
	for list != "" {
		item, rest, ok := cutItem(list)
		if !ok || matches(item, machine) {
			return true
		}
		list = rest
	}
	return false
}

// cutItem splits a list at its first comma that is outside of brackets; ok = the brackets are closed.
func cutItem(list string) (item, rest string, ok bool) {
	inside := false
	for i, c := range list {
		switch {
		case c == '[' && !inside, c == ']' && inside:
			inside = !inside
		case c == '[' || c == ']':
			return "", "", false
		case c == ',' && !inside:
			return list[:i], list[i+1:], true
		}
	}
	return list, "", !inside
}

// matches reports whether a machine is one of a pattern, whose brackets are closed: r[1-2]n[001-100].
func matches(pattern, machine string) bool {
	literal, rest, numbers := strings.Cut(pattern, "[")
	machine, ok := strings.CutPrefix(machine, literal)
	if !ok || !numbers {
		return ok && machine == ""
	}
	set, rest, _ := strings.Cut(rest, "]")
	for n := 1; n <= len(machine) && machine[n-1] >= '0' && machine[n-1] <= '9'; n++ {
		if contains(set, machine[:n]) && matches(rest, machine[n:]) {
			return true
		}
	}
	return false
}

// contains reports whether a set such as 1-3,07 contains a number, of which the leading zeros count.
func contains(set, number string) bool {
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return false
	}
	for part := range strings.SplitSeq(set, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		low, err1 := strconv.ParseUint(first, 10, 64)
		high, err2 := strconv.ParseUint(last, 10, 64)
		if err1 != nil || err2 != nil || n < low || n > high {
			continue
		}
		if len(number) == len(first) || len(number) > len(first) && number[0] != '0' {
			return true
		}
	}
	return false
}

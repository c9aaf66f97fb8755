package words

import (
	"strconv"
)

// Survivors lists the processes of a run that survived KILL.
func Survivors(pids []int) string {
	names := make([]string, len(pids))
	for i, pid := range pids {
		names[i] = strconv.Itoa(pid)
	}
	return "processes that could not be killed: " + NameList(names, ShownNames)
}

func ItOrThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// Jobs describes the limit on commands that a run executes at once, or returns "" if only the slots of the machine
// limit it.
func Jobs(jobs int, noLimit bool) string {
	switch {
	case noLimit:
		return "any number of jobs"
	case jobs > 0:
		return Plural(jobs, "job")
	}
	return ""
}

// RunName returns the name of a run for a sentence, or "" if the run is unknown, as after a resume of a run that
// another program did.
func RunName(run string) string {
	if run == "" {
		return ""
	}
	return " run " + run
}

// ShownNames is the maximum number of names in a displayed list of nodes.
const ShownNames = 12

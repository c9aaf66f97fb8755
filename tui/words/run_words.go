package words

import (
	"strconv"
)

// Survivors names the processes of a run that KILL did not end.
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

// Jobs returns how many commands a run executes at once, or "" if the slots of the machine are the only limit.
func Jobs(jobs int, noLimit bool) string {
	switch {
	case noLimit:
		return "any number of jobs"
	case jobs > 0:
		return Plural(jobs, "job")
	}
	return ""
}

// RunName returns the name of a run in a sentence, or "" if the run is not known, as after a
// resume of what another program did.
func RunName(run string) string {
	if run == "" {
		return ""
	}
	return " run " + run
}

// ShownNames is the most names that a list of nodes shows.
const ShownNames = 12

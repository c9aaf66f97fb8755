package words

import (
	"strconv"
)

// Survivors names the processes of a run that are still there in spite of KILL.
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

// Jobs is how many commands a run has at once; "" where the machine's slots are the only limit.
func Jobs(jobs int, noLimit bool) string {
	switch {
	case noLimit:
		return "any number of jobs"
	case jobs > 0:
		return Plural(jobs, "job")
	}
	return ""
}

// RunName is the name of a run in a sentence; nothing for a run that nobody knows, as after a
// resume of what another program did.
func RunName(run string) string {
	if run == "" {
		return ""
	}
	return " run " + run
}

// ShownNames is how many names a list of nodes shows.
const ShownNames = 12

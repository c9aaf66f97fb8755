package runstate

import (
	"fmt"

	"wf/api"
	"wf/workspace/history"
)

// LeftoverText returns a sentence such as "2 processes that it had left behind were ended with the run: sleep (pid 7), sh
// (pid 8)".
func LeftoverText(left []history.Leftover) string {
	names := make([]string, len(left))
	for i, l := range left {
		program := l.Program
		if program == "" {
			program = "a process"
		}
		names[i] = fmt.Sprintf("%s (pid %d)", program, l.PID)
	}
	return fmt.Sprintf("%s that it had left behind %s ended with the run: %s",
		api.Counted(len(left), "process", "processes"), verb(len(left)), api.Several(names, 8))
}

func verb(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// LeftoversOf returns the leftover processes of one node.
func LeftoversOf(left []history.Leftover, node string) (own []history.Leftover) {
	for _, l := range left {
		if l.Node == node {
			own = append(own, l)
		}
	}
	return own
}

// LeftoverNotes returns a note for each node that has left processes behind. name converts an id to the name that people
// use.
func LeftoverNotes(left []history.Leftover, count int, name func(id string) string) (notes []string) {
	seen := map[string]bool{}
	for _, l := range left {
		if seen[l.Node] {
			continue
		}
		seen[l.Node] = true
		if len(notes) == MostNotes {
			break
		}
		who := name(l.Node)
		if l.Node == "" {
			who = "a node"
		}
		notes = append(notes, who+": "+LeftoverText(LeftoversOf(left, l.Node)))
	}
	if more := count - len(left); more > 0 {
		notes = append(notes, fmt.Sprintf("%d more processes that nodes had left behind were ended with the run", more))
	}
	if len(notes) > 0 {
		notes = append(notes, "to keep such a process going: wf help background")
	}
	return notes
}

package inquiry

import (
	"fmt"

	"wf/api"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// leftoverText is, for example, "2 processes that it had left behind were ended with the run: sleep (pid 7), sh (pid 8)".
func leftoverText(left []history.Leftover) string {
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

// leftoversOf returns those of one node.
func leftoversOf(left []history.Leftover, node string) (own []history.Leftover) {
	for _, l := range left {
		if l.Node == node {
			own = append(own, l)
		}
	}
	return own
}

// LeftoverNotes returns a note for each node that has left processes behind. name returns what people call an id.
func LeftoverNotes(left []history.Leftover, count int, name func(id string) string) (notes []string) {
	seen := map[string]bool{}
	for _, l := range left {
		if seen[l.Node] {
			continue
		}
		seen[l.Node] = true
		if len(notes) == runstate.MostNotes {
			break
		}
		who := name(l.Node)
		if l.Node == "" {
			who = "a node"
		}
		notes = append(notes, who+": "+leftoverText(leftoversOf(left, l.Node)))
	}
	if more := count - len(left); more > 0 {
		notes = append(notes, fmt.Sprintf("%d more processes that nodes had left behind were ended with the run", more))
	}
	if len(notes) > 0 {
		notes = append(notes, "to keep such a process going: wf help background")
	}
	return notes
}

// pastLeftovers adds them to the description of a run that is over.
func pastLeftovers(d *api.RunDetail, res *history.Result) {
	if res == nil {
		return
	}
	names := map[string]string{}
	for k := range d.Execs {
		x := &d.Execs[k]
		names[x.Node] = x.Name
		for _, l := range res.Left {
			if l.Node == x.Node && l.Execution == x.Execution {
				x.LeftPIDs = append(x.LeftPIDs, l.PID)
			}
		}
	}
	d.Notes = append(d.Notes, LeftoverNotes(res.Left, res.LeftCount, func(id string) string {
		if name := names[id]; name != "" {
			return name
		}
		return id
	})...)
}

// leftIn finds them in the records of a run that is over.
func leftIn(records []history.Record) []history.Leftover {
	for _, rec := range records {
		if rec.Result != nil {
			return rec.Result.Left
		}
	}
	return nil
}

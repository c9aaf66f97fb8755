package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// shownCycle is how many nodes of a cycle are named. Of a longer cycle these are the nodes around the closing edge.
const shownCycle = 6

// drawCycle adds a drawing of the cycle to f, which describes err, if err is about a cycle.
func drawCycle(p console.Paint, err error, f exit.Failure) exit.Failure {
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeCycle || len(refused.Nodes) == 0 {
		return f
	}
	f.What += "\n" + strings.Join(cycleLines(p, refused.Nodes), "\n")
	if dir, name := filepath.Split(f.Where); dir != "" {
		f.Why = strings.Replace(f.Why, " closes it", fmt.Sprintf(" (%s) closes it", name), 1)
		f.Where = ""
	}
	return f
}

// cycleLines draws nodes in a row, with a line from the last one back to the first.
func cycleLines(p console.Paint, nodes []string) []string {
	names := make([]string, 0, shownCycle+1)
	for _, name := range nodes {
		names = append(names, plain.Line(name))
	}
	if rest := len(names) - shownCycle; rest > 0 {
		half := shownCycle / 2
		more := fmt.Sprintf("%s %d more %[1]s", p.Ellipsis(), rest)
		names = append(append(names[:half:half], more), names[len(names)-half:]...)
	}
	row := strings.Join(names, p.Either(" ──▸ ", " --> "))
	line := p.Either("─", "-")
	return []string{
		p.Either("┌─▸ ", "+-> ") + row + p.Either(" ─┐", " -+"),
		p.Either("└", "+") + strings.Repeat(line, console.Columns(row)+5) + p.Either("┘", "+"),
	}
}

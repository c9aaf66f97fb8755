package executor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Leftover is a process that an execution has left behind, and that was ended with the run.
type Leftover struct {
	Node      string `json:"node,omitempty"` // WF_NODE_ID of the execution; "" = its environment does not tell
	Execution int    `json:"execution,omitempty"`
	PID       int    `json:"pid"`
	Program   string `json:"program,omitempty"` // the name of its program, "" where the system does not tell
}

// mostLeftovers bounds how many are described one by one.
const mostLeftovers = 50

// noteLeftovers describes what the commands of the run have left behind, before the first of them is killed.
func (r *runner) noteLeftovers(left []process) {
	r.leftCount = len(left)
	for _, p := range left[:min(len(left), mostLeftovers)] {
		l := Leftover{PID: p.pid, Program: programOf(p.pid)}
		node, execution, _ := strings.Cut(markerOf(environmentOf(p.pid)).node, "\x00")
		l.Node = node
		l.Execution, _ = strconv.Atoi(execution)
		r.left = append(r.left, l)
	}
	slices.SortFunc(r.left, func(a, b Leftover) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Execution, b.Execution), cmp.Compare(a.PID, b.PID))
	})
}

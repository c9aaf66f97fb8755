package runner

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// mostLeftovers is how many leftover processes are described one by one.
const mostLeftovers = 50

// noteLeftovers describes the processes that the commands of the run have left, before the first of them is killed.
func (c *closing) noteLeftovers(left []proc.Process) {
	c.leftCount = len(left)
	for _, p := range left[:min(len(left), mostLeftovers)] {
		l := wire.Leftover{PID: p.PID, Program: proc.Program(p.PID)}
		node, execution, _ := strings.Cut(rundir.MarkerOf(proc.Environment(p.PID)).Node, "\x00")
		l.Node = node
		l.Execution, _ = strconv.Atoi(execution)
		c.left = append(c.left, l)
	}
	slices.SortFunc(c.left, func(a, b wire.Leftover) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Execution, b.Execution), cmp.Compare(a.PID, b.PID))
	})
}

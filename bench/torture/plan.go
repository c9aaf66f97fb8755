package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"wf/bench/dag"
)

// A plan is a workflow with a known result: the output and exit code of each node, and therefore which
// nodes are executed.
type plan []planNode

type planNode struct {
	id    string
	code  int    // exit code
	sleep string // seconds, for sleep(1); "0" = none
	leave string // life in seconds of a child that the node leaves behind; "0" = no child
	after []int  // all of them earlier in the plan
}

// Chances in a plan, one in n.
const (
	failChance  = 9
	sleepChance = 3
	leaveChance = 5
	anyChance   = 3 // that a node follows one that may fail
	maxSleepMS  = 300
)

// newPlan makes n nodes. Most follow nodes that succeed, so that failures leave much to run. near > 0
// makes chains and joins: each node follows one or two of the near latest that succeed.
func newPlan(n, near int, chance *rand.Rand) plan {
	p := make(plan, n)
	good := []int{} // nodes that are executed and succeed
	reached := make([]bool, n)
	for i := range p {
		node := planNode{id: fmt.Sprintf("n%04d", i), sleep: "0", leave: "0"}
		if chance.IntN(failChance) == 0 {
			node.code = 1 + chance.IntN(99)
		}
		if chance.IntN(sleepChance) == 0 {
			node.sleep = fmt.Sprintf("0.%03d", 1+chance.IntN(maxSleepMS))
		}
		if chance.IntN(leaveChance) == 0 {
			node.leave = fmt.Sprintf("0.%03d", 1+chance.IntN(maxSleepMS))
		}
		reached[i] = true
		follows, latest := chance.IntN(3), len(good)
		if near > 0 {
			follows, latest = 1+chance.IntN(2), min(near, len(good))
		}
		for range follows {
			if len(good) == 0 {
				break
			}
			from := good[len(good)-latest+chance.IntN(latest)]
			if near == 0 && chance.IntN(anyChance) == 0 {
				from = chance.IntN(i)
			}
			node.after = append(node.after, from)
			reached[i] = reached[i] && reached[from] && p[from].code == 0
		}
		if p[i] = node; reached[i] && node.code == 0 {
			good = append(good, i)
		}
	}
	return p
}

// outputLines is the number of lines that a node prints after its sleep.
const outputLines = 25

// output returns what a node writes to standard output and standard error, in this order.
func (n *planNode) output() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s begins\n%s complains\n", n.id, n.id)
	for i := range outputLines {
		fmt.Fprintf(&b, "%s line %d of its output\n", n.id, i)
	}
	return b.Bytes()
}

// nodeScript is executed by every node: ID CODE SLEEP LEAVE. The child that it leaves behind has its own
// session and no process waits for it. Each line of the trace is one write with O_APPEND, so lines of
// different nodes do not mix.
const nodeScript = `#!/bin/sh
echo "begin $1 $WF_EXECUTION $$" >> trace
echo "$1 begins"
echo "$1 complains" >&2
test "$4" = 0 || setsid sleep "$4" &
test "$3" = 0 || sleep "$3"
i=0
while test $i -lt 25; do
	echo "$1 line $i of its output"
	i=$((i + 1))
done
echo "end $1 $WF_EXECUTION $$" >> trace
exit $2
`

// command executes the script in one of two ways: wf starts plain words directly and passes other commands
// to a shell.
func (n *planNode) command(i int) string {
	if i%2 == 0 {
		return fmt.Sprintf("./node %s %d %s %s", n.id, n.code, n.sleep, n.leave)
	}
	return fmt.Sprintf("set -- %s %d %s %s; . ./node", n.id, n.code, n.sleep, n.leave)
}

// write makes dir the folder of the workflow.
func (p plan) write(dir string) error {
	g := &dag.Graph{Nodes: make([]dag.Node, len(p))}
	for i := range p {
		g.Nodes[i] = dag.Node{ID: p[i].id, Command: p[i].command(i), After: unique(p[i].after)}
	}
	if err := os.WriteFile(filepath.Join(dir, "node"), []byte(nodeScript), 0o700); err != nil {
		return err
	}
	return writeWorkfile(dir, g)
}

func writeWorkfile(dir string, g *dag.Graph) error {
	var text bytes.Buffer
	if err := g.Write(&text, "workfile"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "Workfile"), text.Bytes(), 0o600)
}

func unique(list []int) []int {
	var out []int
	seen := map[int]bool{}
	for _, i := range list {
		if !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
	}
	return out
}

// The results of a node, as statuses in the workfile.
const (
	fateIdle   = "" // not reached
	fateRan    = "ran"
	fateFailed = "fail"
)

// fates returns the expected result of every node if those in lost were lost.
func (p plan) fates(lost map[string]bool) map[string]string {
	fates := make(map[string]string, len(p))
	for i := range p {
		fate := fateRan
		if p[i].code != 0 || lost[p[i].id] {
			fate = fateFailed
		}
		for _, before := range p[i].after {
			if fates[p[before].id] != fateRan {
				fate = fateIdle
			}
		}
		fates[p[i].id] = fate
	}
	return fates
}

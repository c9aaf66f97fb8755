package main

import (
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A flow is a random workfile with control flow. Ids and names of its nodes are n0, n1 …
type flow struct {
	text  string
	nodes []string // of its highest level
}

// Chances in a flow, one in n.
const (
	conditionChance = 3
	breaksChance    = 9 // that a command fails until the file mended exists
	choosesChance   = 4 // that it outputs a case
	personChance    = 12
	mistakeChance   = 25 // that a workfile contains a mistake which wf check must report
	maxDepth        = 2
)

// flowMaker writes a flow.
type flowMaker struct {
	chance *rand.Rand
	flow   flow
	keys   map[string]string // used attributes, with their element
	body   strings.Builder
	count  int
}

// newFlow makes a flow of 2 to 12 nodes on its highest level.
func newFlow(chance *rand.Rand) flow {
	m := &flowMaker{chance: chance, keys: map[string]string{}}
	m.graph("", 2+chance.IntN(11), 0)
	var b strings.Builder
	b.WriteString("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n")
	for _, name := range slices.Sorted(maps.Keys(m.keys)) {
		fmt.Fprintf(&b, "<key id=%q for=%q attr.name=%q attr.type=\"string\"/>\n", name, m.keys[name], name)
	}
	m.flow.text = b.String() + m.body.String() + "</graphml>\n"
	return m.flow
}

func (m *flowMaker) one(in int) bool { return m.chance.IntN(in) == 0 }

func (m *flowMaker) pick(words ...string) string { return words[m.chance.IntN(len(words))] }

func (m *flowMaker) data(element, key, value string) {
	m.keys[key] = element
	fmt.Fprintf(&m.body, "<data key=%q>%s</data>", key, html.EscapeString(value))
}

// graph writes a graph with size nodes below the sub-flow at path, and edges from earlier to later nodes.
func (m *flowMaker) graph(path string, size, depth int) {
	m.body.WriteString("<graph edgedefault=\"directed\">\n")
	type made struct {
		name    string
		subFlow bool
	}
	var all []made
	edges := map[string]int{}
	for range size {
		n := made{name: fmt.Sprintf("n%d", m.count)}
		m.count++
		fmt.Fprintf(&m.body, "<node id=%q>", n.name)
		m.data("node", "name", n.name)
		if depth == 0 {
			m.flow.nodes = append(m.flow.nodes, n.name)
		}
		if n.subFlow = depth < maxDepth && m.one(6); n.subFlow {
			m.container(path, n.name, depth)
		} else {
			m.command()
		}
		before := min(m.chance.IntN(4), len(all))
		for range before {
			edges[all[m.chance.IntN(len(all))].name+" "+n.name]++
		}
		if before > 0 && m.one(5) {
			m.data("node", "join", m.pick("any", "1"))
			if m.one(2) {
				m.data("node", "join_losers", "cancel")
			}
			if m.one(4) {
				m.data("node", "join_timeout", "20ms")
			}
		}
		m.body.WriteString("</node>\n")
		all = append(all, n)
	}
	for _, n := range all {
		for _, to := range all {
			for range edges[n.name+" "+to.name] {
				m.edge(n.name, to.name, n.subFlow)
			}
		}
	}
	if m.one(mistakeChance) {
		m.edge(all[len(all)-1].name, all[0].name, true) // a cycle, if a path leads to the last node
	}
	m.body.WriteString("</graph>\n")
}

// command writes the attributes of a node with a command.
func (m *flowMaker) command() {
	does := `echo "begin $WF_NODE_ID $WF_EXECUTION $$" >> trace`
	if m.one(choosesChance) {
		does += fmt.Sprintf("; echo case=%s >> \"$WF_OUTPUT\"", m.pick("x", "y", "z"))
	}
	switch {
	case m.one(breaksChance):
		does += fmt.Sprintf("; test -e mended || exit %d", 1+m.chance.IntN(3))
	case m.one(breaksChance):
		does += "; test $WF_EXECUTION -ge 2 || exit 3"
		m.data("node", "retries", "1")
	}
	m.data("node", "label", does)
	if m.one(personChance) {
		m.data("node", "approve", "Go on?")
		m.data("node", "approve_timeout", "5ms")
		m.data("node", "approve_default", m.pick("approve", "approve", "reject"))
	}
	if m.one(personChance) {
		m.data("node", "wait", "2ms")
	}
}

// container writes the attributes and the nodes of a container.
func (m *flowMaker) container(path, name string, depth int) {
	word := m.pick("foreach", "lines", "times", "while", "until", "group")
	switch word {
	case "foreach":
		m.data("node", "foreach", m.pick(`["a","b","c"]`, `["a"]`, `[]`, "${{ 1..2 }}"))
	case "lines":
		m.data("node", "foreach", "lines:printf '%s\\n' p q")
	case "times":
		m.data("node", "times", m.pick("0", "1", "3", "${{ 1 + 1 }}"))
	case "while":
		m.data("node", "while", m.pick("iteration < 2", "iteration == 0", "false"))
	case "until":
		m.data("node", "until", m.pick("iteration == 1", "true", fmt.Sprintf("nodes.n%d.status == previous.n%d.status", m.count, m.count)))
	case "group": // its nodes belong to the flow around it
		m.graph(path, 1+m.chance.IntN(4), depth+1)
		return
	}
	if m.one(3) {
		m.data("node", "on_failure", m.pick("continue", "continue", "cancel"))
	}
	if counted := word != "while" && word != "until"; counted && m.one(4) {
		m.data("node", "parallel", "1")
		if m.one(2) {
			m.data("node", "stop_when", m.pick("index == 1", "true", "false"))
		}
	}
	m.graph(path+name+"[*]/", 1+m.chance.IntN(4), depth+1)
}

func (m *flowMaker) edge(from, to string, fromSubFlow bool) {
	fmt.Fprintf(&m.body, "<edge source=%q target=%q>", from, to)
	switch {
	case m.one(12):
		m.data("edge", "edge_type", "non-blocking")
	case m.one(conditionChance) && fromSubFlow:
		m.data("edge", "when", m.pick("success", "failure", "done", "else"))
	case m.one(conditionChance):
		m.data("edge", "when", m.pick("success", "failure", "done", "else", "exit:1,2", "case:x", "case:y",
			fmt.Sprintf("if:nodes.%s.outputs.case == \"x\"", from)))
	}
	m.body.WriteString("</edge>\n")
}

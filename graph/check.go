package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Severity is how serious a problem is.
type Severity uint8

// The severities. A graph with an error cannot run.
const (
	Warning Severity = iota
	Error
)

// String returns the word that people and programs see.
func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// A Problem is an error in a graph, or something that its author probably did not intend.
type Problem struct {
	Severity Severity
	Code     string   // for programs; one of the Code constants
	Message  string   // for people; it names nodes by their handles
	Nodes    []string // ids of the nodes it is about
	Edge     int      // key of the edge it is about, -1 = none
	Attr     string   // attribute of the edge, the first node, or the graph; "" = none in particular
	Line     int      // in the text of Attr, from 0
}

// The codes of problems.
const (
	CodeCycle         = "cycle"             // error
	CodeControl       = "control-character" // error
	CodeMarkup        = "markup-label"      // error
	CodeAttribute     = "bad-attribute"     // error
	CodeConflict      = "merge-conflict"    // error
	CodeDuplicateName = "duplicate-name"    // warning, as all below
	CodeNameIsID      = "name-is-id"
	CodeNameSelects   = "name-selects"
	CodeNoCommand     = "no-command"
	CodeStatus        = "unknown-status"
	CodeEdgeType      = "unknown-edge-type"
	CodeOutput        = "unknown-output"
)

// Check returns the problems of a graph, errors first, otherwise in file order. The time is linear.
func Check(g *Graph) []Problem {
	c := checker{g: g}
	c.attributes()
	c.conflicts()
	for _, n := range g.nodes.list {
		c.label(n)
	}
	c.withoutCommand()
	for _, n := range g.nodes.list {
		c.nodeStatus(n)
		c.output(n)
	}
	c.names()
	for _, e := range g.edges.list {
		c.edge(e)
	}
	c.cycle()
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return cmp.Compare(b.Severity, a.Severity) })
	return c.problems
}

type checker struct {
	g        *Graph
	problems []Problem

	noCommand []*Node
}

// handle returns the handle of a node for a message. Handles take longer to make than all checks, and most graphs
// have no problems.
func (c *checker) handle(n *Node) string { return Handles(c.g).Of(n) }

func (c *checker) add(s Severity, code string, edge int, nodes []*Node, format string, args ...any) {
	p := Problem{Severity: s, Code: code, Message: fmt.Sprintf(format, args...), Edge: edge}
	for _, n := range nodes {
		p.Nodes = append(p.Nodes, n.ID)
	}
	c.problems = append(c.problems, p)
}

func (c *checker) addEdge(s Severity, code string, e *Edge, format string, args ...any) {
	c.add(s, code, e.Key, []*Node{e.Source, e.Target}, "edge %s -> %s: "+format,
		append([]any{c.handle(e.Source), c.handle(e.Target)}, args...)...)
}

// conflicts reports what a merge left to people.
func (c *checker) conflicts() {
	report := func(text, where, remedy string, nodes ...*Node) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		first, _, _ := strings.Cut(text, "\n")
		c.add(Error, CodeConflict, -1, nodes, "%sa merge left a conflict: %s; settle it, then: %s", where, first, remedy)
		c.problems[len(c.problems)-1].Attr = AttrConflict
	}
	text, _ := c.g.Attr(AttrConflict)
	report(text, "", "wf edit unset-graph "+AttrConflict)
	for _, n := range c.g.nodes.list {
		if text := n.Extra[AttrConflict]; text != "" {
			report(text, "node "+c.handle(n)+": ", "wf edit unset "+c.handle(n)+" "+AttrConflict, n)
		}
	}
}

// attributes checks the graph attributes that are numbers or words.
func (c *checker) attributes() {
	for _, a := range []struct {
		name string
		min  int
	}{{"jobs", 0}, {"max_activations", 1}, {"max_instances", 1}} {
		text, present := c.g.Attr(a.name)
		if text = strings.TrimSpace(text); !present || text == "" {
			continue
		}
		if number, err := strconv.Atoi(text); err != nil || number < a.min {
			c.add(Error, CodeAttribute, -1, nil, "graph attribute %s is %q, not a whole number from %d", a.name, text, a.min)
			c.problems[len(c.problems)-1].Attr = a.name
		}
	}
	text, _ := c.g.Attr(AttrResults)
	if _, correct := ParseResults(text); correct != "" {
		c.add(Error, CodeAttribute, -1, nil, "graph attribute %s is %q; did you mean %s?", AttrResults, text, correct)
		c.problems[len(c.problems)-1].Attr = AttrResults
	}
	text, _ = c.g.Attr(attrOutput)
	c.outputWord(text, nil)
}

// output checks the attribute output of a node.
func (c *checker) output(n *Node) {
	if n.Extra != nil {
		c.outputWord(n.Extra[attrOutput], n)
	}
}

// outputWord reports a misspelt value of the attribute output of a node, or of the graph if n is nil.
func (c *checker) outputWord(text string, n *Node) {
	_, known := parseOutput(text)
	word := meant(text, outputWords[1:]...)
	if known || word == "" {
		return
	}
	where, nodes := "graph attribute ", []*Node(nil)
	if n != nil {
		where, nodes = "node "+c.handle(n)+": ", []*Node{n}
	}
	c.add(Warning, CodeOutput, -1, nodes, "%s%s is %q; did you mean %s?", where, attrOutput, text, word)
	c.problems[len(c.problems)-1].Attr = attrOutput
}

func (c *checker) label(n *Node) {
	if n.NoCommand && !needsNone(n) {
		c.noCommand = append(c.noCommand, n)
	}
	if label := strings.TrimSpace(n.Label); len(label) >= 6 && strings.EqualFold(label[:6], "<html>") {
		c.add(Error, CodeMarkup, -1, []*Node{n}, "the command of node %s is HTML, the label of a drawing, not a command", c.handle(n))
	}
	if what, octal := unwritable(n.Label); what != "" {
		severity := Error
		if strings.HasPrefix(what, "U+00") && strings.IndexByte(n.Label, 0) < 0 {
			severity = Warning // it can be executed, but other programs refuse the file
		}
		c.add(severity, CodeControl, -1, []*Node{n},
			"the command of node %s contains %s, which XML cannot represent; let the shell make it: printf '%s'", c.handle(n), what, octal)
	}
}

// withoutCommand reports nodes without commands: a few one by one, many (as in a graph that is not a
// workflow) as one problem.
func (c *checker) withoutCommand() {
	const few = 3
	if len(c.noCommand) > few {
		var shown []string
		for _, n := range c.noCommand[:few] {
			shown = append(shown, c.handle(n))
		}
		c.add(Warning, CodeNoCommand, -1, c.noCommand, "%d nodes have no command: %s, ...", len(c.noCommand), strings.Join(shown, ", "))
		return
	}
	for _, n := range c.noCommand {
		c.add(Warning, CodeNoCommand, -1, []*Node{n}, "node %s has no command", c.handle(n))
	}
}

// needsNone reports whether a node needs no command, because it waits or asks a person.
func needsNone(n *Node) bool {
	return slices.ContainsFunc([]string{"approve", "wait", "wait_until", AttrWorkfile}, func(attr string) bool {
		text, _ := n.Attr(attr)
		return strings.TrimSpace(text) != ""
	})
}

// unwritable describes the first character in a text that XML 1.0 cannot represent, and its form for
// printf; what is "" if there is none.
func unwritable(text string) (what, octal string) {
	for i, r := range text {
		switch {
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0xFFFE, r == 0xFFFF:
			what = fmt.Sprintf("U+%04X", r)
			for _, b := range []byte(string(r)) {
				octal += fmt.Sprintf("\\%03o", b)
			}
			return what, octal
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			return fmt.Sprintf("a byte that is not UTF-8 (0x%02X)", text[i]), fmt.Sprintf("\\%03o", text[i])
		}
	}
	return "", ""
}

func (c *checker) nodeStatus(n *Node) {
	if n.uncommon == nil {
		return // neither an odd status nor an inherited one
	}
	text, _ := n.Attr(attrStatus)
	if _, known := ParseStatus(text); !known {
		c.add(Warning, CodeStatus, -1, []*Node{n}, "node %s has the unknown status %q; it counts as not run", c.handle(n), text)
	}
}

// names reports names that are ambiguous.
func (c *checker) names() {
	byName := map[string][]*Node{}
	var order []string
	for _, n := range c.g.nodes.list {
		name := strings.TrimSpace(n.Name)
		if name == "" || n.Included() {
			continue
		}
		if byName[name] == nil {
			order = append(order, name)
		}
		byName[name] = append(byName[name], n)
		if sign := SelectorSyntax(name); sign != "" {
			c.add(Warning, CodeNameSelects, -1, []*Node{n}, "the name %q of node %s contains %q, which has another meaning in a selector", name, c.handle(n), sign)
		}
		if other := c.g.Node(name); other != nil && other != n {
			c.add(Warning, CodeNameIsID, -1, []*Node{n, other}, "the name of node %s is the id of another node", name)
		}
	}
	for _, name := range order {
		if nodes := byName[name]; len(nodes) > 1 {
			c.add(Warning, CodeDuplicateName, -1, nodes, "%d nodes have the name %q", len(nodes), name)
		}
	}
}

func (c *checker) edge(e *Edge) {
	if e.uncommon == nil {
		return // neither an odd type or status nor an inherited one
	}
	text, _ := e.Attr(attrType)
	if _, known := ParseEdgeType(text); !known {
		c.addEdge(Warning, CodeEdgeType, e, "its type %q is unknown; it counts as blocking", text)
	}
	text, _ = e.Attr(attrStatus)
	if _, known := ParseMark(text); !known {
		c.addEdge(Warning, CodeStatus, e, "its status %q is unknown; it counts as empty", text)
	}
}

func (c *checker) cycle() {
	cycle := FindCycle(c.g.nodes.list)
	if cycle == nil {
		return
	}
	var nodes []*Node
	path := &strings.Builder{}
	for _, e := range cycle {
		nodes = append(nodes, e.Source)
		path.WriteString(c.handle(e.Source) + " -> ")
	}
	path.WriteString(c.handle(cycle[0].Source))
	c.add(Error, CodeCycle, cycle[0].Key, nodes, "blocking cycle: %s; make one of its edges non-blocking if it is a loop", path)
}

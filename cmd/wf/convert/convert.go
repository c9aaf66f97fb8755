// Package convert converts workflows of other programs into workfiles, and shows workfiles in the formats
// of other programs. It only reads and writes bytes: callers handle files, the daemon and the terminal. A
// part of the input that a workfile cannot express is an error that names the line; it is never left out
// silently.
package convert

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"wf/api"
	"wf/graph/layered"
	"wf/graph/pattern"
)

// A Workflow is the result of Import.
type Workflow struct {
	Nodes []api.NewNode
	Edges []api.NewEdge
	Attrs map[string]string // of the graph
	Notes []string          // sentences for display: differences from the source
}

// Options are the options of Import.
type Options struct {
	// Command is the command of nodes without a command; {} is replaced by their name. "" leaves them
	// without.
	Command string
}

// An Error is a part of the input that a workfile cannot express. Line counts from 1; 0 is the input as a
// whole, and a Column of 0 the line as a whole.
type Error struct {
	Line, Column int
	Msg          string
	Fix          string // what to write instead; may be empty
	Others       int    // how many more mistakes were found
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// fail ends the reading of the input with an Error. Like the parsers of the standard library, a reader panics with
// its *Error, and the exported function that called it returns that; see catch.
func fail(line int, format string, args ...any) {
	panic(&Error{Line: line, Msg: fmt.Sprintf(format, args...)})
}

// catch calls read and returns the *Error with which it ended, or nil. It passes on every other panic.
func catch(read func()) (err error) {
	defer func() {
		switch found := recover().(type) {
		case nil:
		case *Error:
			err = found
		default:
			panic(found)
		}
	}()
	read()
	return nil
}

// maxInput is the maximum size of the input, in bytes; maxEdges the maximum number of edges, since a few
// lines may stand for many.
const (
	maxInput = 32 << 20
	maxEdges = 1_000_000
)

// readers are the supported formats.
var readers = map[string]func(*builder, []byte){
	"dagu":      readDagu,
	"dot":       readDot,
	"mermaid":   readMermaid,
	"nextflow":  readNextflow,
	"script":    readScript,
	"snakemake": readSnakemake,
	"wfcommons": readWfCommons,
	"yaml":      readText,
}

// Formats returns the formats that Import supports, sorted.
func Formats() []string { return slices.Sorted(maps.Keys(readers)) }

// Import reads a workflow. Errors in the input are an *Error.
func Import(format string, data []byte, o Options) (*Workflow, error) {
	read, ok := readers[format]
	if !ok {
		return nil, fmt.Errorf("unknown format %q: one of %s", format, strings.Join(Formats(), ", "))
	}
	b := newBuilder(o)
	err := catch(func() {
		checkText(data, "")
		read(b, data)
		b.finish()
	})
	if err != nil {
		return nil, withinText(err, data)
	}
	return b.wf, nil
}

// withinText limits the line of an error to the lines of the input: the YAML reader reports missing parts
// at a line after the end.
func withinText(err error, data []byte) error {
	var at *Error
	if errors.As(err, &at) {
		lines := 1
		for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} { // all line ends of YAML
			lines += bytes.Count(data, []byte(end))
		}
		at.Line = min(at.Line, lines)
	}
	return err
}

// checkText refuses an input that is too large or not UTF-8.
func checkText(data []byte, fix string) {
	if len(data) > maxInput {
		fail(0, "it has %d bytes: at most %d can be read", len(data), maxInput)
	}
	line := 0
	for text := range bytes.Lines(data) {
		if line++; !utf8.Valid(text) {
			panic(&Error{Line: line, Msg: "the text is not UTF-8, and a workfile can hold nothing else", Fix: fix})
		}
	}
}

// A builder collects a workflow while its source is read.
type builder struct {
	opt   Options
	wf    *Workflow
	at    map[string]int      // nodes by id
	lines []int               // of nodes
	edges map[builderEdge]int // their numbers
	ends  []layered.Edge      // of edges, by number
	where []int               // lines of edges
	when  []string            // conditions of edges
	// labels are texts of edges that are not conditions, and decisions the nodes drawn as decisions.
	labels    []string
	decisions map[int]bool
	shapes    map[string]string // of nodes by id: the shape in DOT, the brackets in Mermaid
	tried     int               // number of edges that were named, with repetitions
}

// A builderEdge identifies an edge: edges with the same values are merged.
type builderEdge struct {
	from, to    int
	when, label string
}

// A link is the data of an edge besides its ends.
type link struct {
	weak  bool   // non-blocking
	when  string // its condition
	label string // a text that is not a condition
}

func newBuilder(o Options) *builder {
	return &builder{opt: o, wf: &Workflow{}, at: map[string]int{}, edges: map[builderEdge]int{}, decisions: map[int]bool{}, shapes: map[string]string{}}
}

// node returns the node with the id, which is also its name, and creates it if necessary. The pointer is
// valid until the next call.
func (b *builder) node(id string, line int) *api.NewNode {
	i, ok := b.at[id]
	if !ok {
		i = len(b.wf.Nodes)
		b.at[id] = i
		b.lines = append(b.lines, line)
		b.wf.Nodes = append(b.wf.Nodes, api.NewNode{ID: id, Name: id, NoCommand: true})
	}
	return &b.wf.Nodes[i]
}

// setCommand sets the command of a node.
func setCommand(n *api.NewNode, command string) { n.Command, n.NoCommand = command, false }

// edge joins two existing nodes. Of several edges between them that fire together it keeps one: a blocking
// one if there is any, since it already makes the target wait.
func (b *builder) edge(from, to string, l link, line int) {
	if b.tried++; b.tried > maxEdges {
		fail(line, "more than %d edges", maxEdges)
	}
	if l.when == "success" {
		l.when = "" // an edge without a condition
	}
	e := builderEdge{b.at[from], b.at[to], l.when, l.label}
	if i, ok := b.edges[e]; ok {
		b.ends[i].Weak = b.ends[i].Weak && l.weak
		return
	}
	b.edges[e] = len(b.ends)
	b.addEdge(e, l.weak, line)
}

// addEdge adds an edge, even if there is an equal one.
func (b *builder) addEdge(e builderEdge, weak bool, line int) {
	b.ends = append(b.ends, layered.Edge{From: e.from, To: e.to, Weak: weak})
	b.where = append(b.where, line)
	b.when = append(b.when, e.when)
	b.labels = append(b.labels, e.label)
}

// setAttr sets an attribute of a node.
func setAttr(n *api.NewNode, name, value string) {
	if n.Attrs == nil {
		n.Attrs = map[string]string{}
	}
	n.Attrs[name] = value
}

// describe sets an attribute of a node that a drawing contains.
func (b *builder) describe(id string, line int, name, value string) {
	n := b.node(id, line)
	if name == "name" {
		n.Name = value
		return
	}
	setAttr(n, name, value)
}

// contain makes a node the container of others.
func (b *builder) contain(container string, members []string, line int) {
	n := b.node(container, line)
	n.Container, n.NoCommand, n.Command = true, false, ""
	for _, id := range members {
		if inner := b.node(id, line); inner.ID != container && inner.Parent == "" {
			inner.Parent = container
		}
	}
}

// attr sets an attribute of the graph.
func (b *builder) attr(name, value string) {
	if b.wf.Attrs == nil {
		b.wf.Attrs = map[string]string{}
	}
	b.wf.Attrs[name] = value
}

func (b *builder) note(format string, args ...any) {
	b.wf.Notes = append(b.wf.Notes, fmt.Sprintf(format, args...))
}

// finish completes the workflow: commands for nodes without one, edges, positions.
func (b *builder) finish() {
	for i := range b.wf.Nodes {
		n := &b.wf.Nodes[i]
		if n.NoCommand && !n.Container && b.opt.Command != "" {
			setCommand(n, strings.ReplaceAll(b.opt.Command, "{}", n.Name))
		}
		texts := []string{n.ID, n.Name, n.Command, n.Group}
		for _, name := range slices.Sorted(maps.Keys(n.Attrs)) {
			texts = append(texts, n.Attrs[name])
		}
		checkWritable(b.lines[i], texts...)
	}
	b.choices()
	b.checkCycle()
	for i, e := range b.ends {
		checkWritable(b.where[i], b.when[i])
		edge := api.NewEdge{Source: b.wf.Nodes[e.From].ID, Target: b.wf.Nodes[e.To].ID, Type: "blocking", When: b.when[i]}
		if e.Weak {
			edge.Type = "non-blocking"
		}
		b.wf.Edges = append(b.wf.Edges, edge)
	}
	b.place()
	b.nest()
}

// nest puts containers before the nodes inside them.
func (b *builder) nest() {
	depth := make(map[string]int, len(b.wf.Nodes))
	for i := range b.wf.Nodes {
		n := &b.wf.Nodes[i]
		for p := n.Parent; p != ""; p = b.wf.Nodes[b.at[p]].Parent {
			if depth[n.ID]++; depth[n.ID] > maxNesting {
				fail(b.lines[i], "containers lie in one another, or are nested more than %d deep", maxNesting)
			}
		}
	}
	slices.SortStableFunc(b.wf.Nodes, func(x, y api.NewNode) int { return depth[x.ID] - depth[y.ID] })
}

// checkWritable refuses characters that XML cannot represent.
func checkWritable(line int, texts ...string) {
	for _, text := range texts {
		for _, r := range text {
			if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
				panic(&Error{Line: line, Msg: fmt.Sprintf("the character U+%04X cannot be kept in a workfile", r),
					Fix: `let the shell make it, for example "$(printf '\033')"`})
			}
		}
	}
}

// checkCycle refuses a cycle of blocking edges, whose nodes could never start.
func (b *builder) checkCycle() {
	out := make([][]int, len(b.wf.Nodes))
	for i, e := range b.ends {
		if !e.Weak {
			out[e.From] = append(out[e.From], i)
		}
	}
	const unseen, open, closed = 0, 1, 2
	state := make([]int, len(out))
	next := make([]int, len(out)) // next index in out
	for root := range out {
		stack := []int{root}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			if state[v] = max(state[v], open); state[v] == closed || next[v] == len(out[v]) {
				state[v] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			i := out[v][next[v]]
			next[v]++
			switch to := b.ends[i].To; state[to] {
			case open:
				fail(b.where[i], "the edge %s -> %s closes a cycle of edges that wait for each other: nothing in it could ever start",
					b.wf.Nodes[v].Name, b.wf.Nodes[to].Name)
			case unseen:
				stack = append(stack, to)
			}
		}
	}
}

// Distances in drawings, in the pixels of programs that show workfiles.
var spread = layered.Options{Length: 160, Width: 40, Gap: 60, Space: 40}

// place puts the nodes into layers from left to right.
func (b *builder) place() {
	if len(b.ends) == 0 {
		return
	}
	d := layered.Draw(len(b.wf.Nodes), b.ends, spread)
	for i, p := range d.Nodes {
		x, y := round(p.Along), round(p.Across)
		b.wf.Nodes[i].X, b.wf.Nodes[i].Y = &x, &y
	}
}

// round shortens coordinates.
func round(f float64) float64 { return float64(int(f*10+0.5)) / 10 }

// plainWord matches words that a shell does not change.
var plainWord = pattern.Of(`^[A-Za-z0-9_./,:=@%+-]+$`)

// shellWord quotes text so that a shell reads it as one word.
func shellWord(text string) string {
	if plainWord.Get().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

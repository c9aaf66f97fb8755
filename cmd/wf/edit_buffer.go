package main

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"wf/api"
	"wf/plain"
)

// A buffer is the commands of nodes as one text that people edit.
type buffer struct {
	nodes []api.NodeStatus
	bare  bool   // one node without a heading: the text is its command
	mark  string // what headings begin with; no line of a command does
}

// newBuffer makes the buffer of these nodes.
func newBuffer(nodes []api.NodeStatus, bare bool) *buffer {
	b := &buffer{nodes: nodes, bare: bare, mark: "%%"}
	for again := true; again; {
		again = false
		for i := range nodes {
			for line := range strings.Lines(nodes[i].Command) {
				again = again || b.isHeading(line)
			}
		}
		if again {
			b.mark += "%"
		}
	}
	return b
}

// isHeading says whether a line looks like one.
func (b *buffer) isHeading(line string) bool {
	line = strings.TrimRight(line, " \t\n")
	return line == b.mark || strings.HasPrefix(line, b.mark+" ")
}

// heading is the line above the command of a node. Handles are unique, so that it names one node.
func (b *buffer) heading(n *api.NodeStatus) string { return b.mark + " " + plain.Line(n.Name) }

// text is what the editor opens.
func (b *buffer) text(commands []string) string {
	if b.bare {
		return commands[0] + "\n"
	}
	var t strings.Builder
	fmt.Fprintf(&t, "# The commands of %s. Each stands below the heading of its node, a line that\n"+
		"# begins with %s, and may have several lines. A node whose heading is removed stays as it is.\n",
		plural(len(b.nodes), "node"), b.mark)
	for i := range b.nodes {
		fmt.Fprintf(&t, "\n%s\n%s\n", b.heading(&b.nodes[i]), commands[i])
	}
	return t.String()
}

// commands are those of the nodes as they are in the workfile.
func (b *buffer) commands() []string {
	list := make([]string, len(b.nodes))
	for i := range b.nodes {
		list[i] = b.nodes[i].Command
	}
	return list
}

// parse reads an edited text: the commands as they shall be. Empty lines at the end of a command
// are the editor's; whoever changes nothing else changes nothing.
func (b *buffer) parse(text string) ([]string, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.TrimSpace(text) == "" {
		return nil, &failure{status: exitUsage, what: "the text is empty: nothing was changed"}
	}
	wanted := b.commands()
	if b.bare {
		wanted[0] = b.keep(0, text)
		return wanted, nil
	}
	at := map[string]int{}
	for i := range b.nodes {
		at[b.heading(&b.nodes[i])] = i
	}
	seen := map[int]bool{}
	node, line := -1, 0
	var body strings.Builder
	for text := range strings.Lines(text) {
		line++
		bare := strings.TrimRight(text, " \t\n")
		i, known := at[bare]
		switch {
		case known && seen[i]:
			return nil, b.wrong(line, "the heading of %s stands there twice", b.nodes[i].Name)
		case known:
			if node >= 0 {
				wanted[node] = b.keep(node, body.String())
			}
			node, seen[i] = i, true
			body.Reset()
		case b.isHeading(bare):
			return nil, b.wrong(line, "%q is the heading of no node here", bare)
		case node < 0 && bare != "" && !strings.HasPrefix(bare, "#"):
			return nil, b.wrong(line, "text before the first heading")
		default:
			body.WriteString(text)
		}
	}
	if node < 0 {
		return nil, &failure{status: exitUsage, what: "all headings are gone: nothing was changed"}
	}
	wanted[node] = b.keep(node, body.String())
	return wanted, nil
}

// wrong is an error in an edited text.
func (b *buffer) wrong(line int, format string, args ...any) error {
	return &failure{status: exitUsage, what: fmt.Sprintf("line %d of the text: ", line) + fmt.Sprintf(format, args...)}
}

// keep is the command of node i that text stands for: as it was if only its end differs.
func (b *buffer) keep(i int, text string) string {
	text = strings.TrimRight(text, " \t\n")
	if was := b.nodes[i].Command; strings.TrimRight(was, " \t\n") == text {
		return was
	}
	return text
}

// edits are the changes from what the workfile has to what is wanted. Each says what it began
// from, so that a change that somebody else made meanwhile is a conflict.
func (b *buffer) edits(wanted []string) (edits []api.Edit, names []string) {
	for i := range b.nodes {
		n := &b.nodes[i]
		if wanted[i] == n.Command {
			continue
		}
		was := n.Command
		edits = append(edits, api.Edit{Op: api.OpSet, Nodes: []string{n.ID}, Key: "label", Value: wanted[i], Was: &was})
		names = append(names, n.Name)
	}
	return edits, names
}

// changes shows what differs between two versions of the commands.
func (b *buffer) changes(p paint, from, to string, before, after []string) string {
	var out strings.Builder
	for i := range b.nodes {
		if before[i] == after[i] {
			continue
		}
		name := plain.Line(b.nodes[i].Name)
		text := diff.Diff(name+" "+from, []byte(before[i]+"\n"), name+" "+to, []byte(after[i]+"\n"))
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(plain.Text(line), "\n")
			switch {
			case strings.HasPrefix(line, "diff "):
				continue
			case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
				line = p.strong(line)
			case strings.HasPrefix(line, "-"):
				line = p.sgr("31", line)
			case strings.HasPrefix(line, "+"):
				line = p.sgr("32", line)
			}
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

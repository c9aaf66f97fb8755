package editor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"wf/api"
	"wf/tui/plain"
	"wf/tui/words"
)

// A Buffer contains the commands of nodes as one text for the editor.
type Buffer struct {
	nodes []api.NodeStatus
	bare  bool   // a single node without a heading: the text is its command
	mark  string // prefix of headings; no line of a command begins with it
}

// NewBuffer returns the buffer of at least one node, with the commands of the workfile. A bare buffer contains one
// node and no heading.
func NewBuffer(nodes []api.NodeStatus, bare bool) *Buffer {
	b := &Buffer{nodes: nodes, bare: bare, mark: "%%"}
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

// isHeading reports whether a line looks like a heading.
func (b *Buffer) isHeading(line string) bool {
	line = strings.TrimRight(line, " \t\n")
	return line == b.mark || strings.HasPrefix(line, b.mark+" ")
}

// heading returns the line above the command of a node. Handles are unique, so it identifies the node.
func (b *Buffer) heading(n *api.NodeStatus) string { return b.mark + " " + plain.Line(n.Name) }

// Text returns the text for the editor.
func (b *Buffer) Text(commands []string) string {
	if b.bare {
		return commands[0] + "\n"
	}
	var t strings.Builder
	fmt.Fprintf(&t, "# The commands of %s. Each stands below the heading of its node, a line that\n"+
		"# begins with %s, and may have several lines. A node whose heading is removed stays as it is.\n",
		words.Plural(len(b.nodes), "node"), b.mark)
	for i := range b.nodes {
		fmt.Fprintf(&t, "\n%s\n%s\n", b.heading(&b.nodes[i]), commands[i])
	}
	return t.String()
}

// Commands returns the commands in the workfile.
func (b *Buffer) Commands() []string {
	list := make([]string, len(b.nodes))
	for i := range b.nodes {
		list[i] = b.nodes[i].Command
	}
	return list
}

// Parse returns the commands in an edited text. It ignores empty lines at the end of a command, because editors add
// them. An error is a *Mistake.
func (b *Buffer) Parse(text string) ([]string, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.TrimSpace(text) == "" {
		return nil, &Mistake{"the text is empty: nothing was changed"}
	}
	wanted := b.Commands()
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
		return nil, &Mistake{"all headings are gone: nothing was changed"}
	}
	wanted[node] = b.keep(node, body.String())
	return wanted, nil
}

// wrong returns a *Mistake about a line.
func (b *Buffer) wrong(line int, format string, args ...any) error {
	return &Mistake{fmt.Sprintf("line %d of the text: ", line) + fmt.Sprintf(format, args...)}
}

// keep returns the command of node i for an edited text: the one in the workfile if only the end differs.
func (b *Buffer) keep(i int, text string) string {
	text = strings.TrimRight(text, " \t\n")
	if was := b.nodes[i].Command; strings.TrimRight(was, " \t\n") == text {
		return was
	}
	return text
}

// Edits returns the edits from the commands in the workfile to the wanted ones. Each edit contains the text that it
// replaces, so that a concurrent change is a conflict.
func (b *Buffer) Edits(wanted []string) (edits []api.Edit, names []string) {
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

// A Mistake is an error in an edited text.
type Mistake struct{ text string }

func (m *Mistake) Error() string { return m.text }

// Since returns the buffer of the same nodes with their current commands. Nodes that are missing in now keep their
// old commands.
func (b *Buffer) Since(now []api.NodeStatus) *Buffer {
	nodes := slices.Clone(b.nodes)
	for i := range nodes {
		for _, n := range now {
			if n.ID == nodes[i].ID {
				nodes[i].Command = n.Command
			}
		}
	}
	return NewBuffer(nodes, b.bare)
}

// A Line is a line of a comparison, safe for a terminal.
type Line struct {
	Kind LineKind
	Text string
}

// LineKind is the kind of a line of a comparison.
type LineKind uint8

// The kinds of lines.
const (
	Same LineKind = iota
	Heading
	Removed
	Added
)

// Changes compares two versions of the commands; from and to are the names of the versions.
func (b *Buffer) Changes(from, to string, before, after []string) (lines []Line) {
	for i := range b.nodes {
		if before[i] == after[i] {
			continue
		}
		name := plain.Line(b.nodes[i].Name)
		text := diff.Diff(name+" "+from, []byte(before[i]+"\n"), name+" "+to, []byte(after[i]+"\n"))
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(plain.Text(line), "\n")
			kind := Same
			switch {
			case strings.HasPrefix(line, "diff "):
				continue
			case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
				kind = Heading
			case strings.HasPrefix(line, "-"):
				kind = Removed
			case strings.HasPrefix(line, "+"):
				kind = Added
			}
			lines = append(lines, Line{kind, line})
		}
	}
	return lines
}

package convert

import (
	"encoding/json"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"wf/graph/pattern"
)

// A mermaidNote is a comment that contains an attribute of the graph or of a node.
type mermaidNote struct {
	id, name, text string
	line           int
}

// mermaidNoted matches the comments that Mermaid writes: "%% wf: NODE NAME=TEXT".
var mermaidNoted = pattern.Of(`^%%[ \t]*wf:[ \t]+(\S+)[ \t]+([a-z_]+)=(".*")[ \t]*$`)

// note stores a comment if it contains an attribute. Others are ignored.
func (p *mermaidParser) note(comment string) {
	m := mermaidNoted.Get().FindStringSubmatch(comment)
	if m == nil {
		return
	}
	n := mermaidNote{id: m[1], name: m[2], line: p.line}
	if json.Unmarshal([]byte(m[3]), &n.text) == nil {
		p.notes = append(p.notes, n)
	}
}

// describe sets the attributes of nodes and graph from comments, and the groups and containers of nodes.
func (p *mermaidParser) describe() {
	inside := map[string]string{} // containers, by the ids of their subgraphs
	for _, n := range p.notes {
		switch {
		case n.id == "graph" && isGraphWord(n.name):
			p.b.attr(n.name, n.text)
			continue
		case n.name != mermaidContainer && !isNodeWord(n.name):
			fail(n.line, "the comment names %s, which is not a supported attribute", n.name)
		}
		if _, known := p.b.at[n.id]; !known {
			fail(n.line, "the comment is about %s, which is not a node", clip(n.id))
		}
		if n.name != mermaidContainer {
			p.b.describe(n.id, n.line, n.name, n.text)
			continue
		}
		inside[n.text] = n.id
		p.b.contain(n.id, nil, n.line)
	}
	for id, groups := range p.around {
		n := p.b.node(id, 0)
		for _, group := range groups {
			switch container := inside[group.id]; container {
			case "":
				n.Group = group.title
			case id: // the inside of the node itself
			default:
				n.Parent, n.Group = container, ""
			}
		}
	}
}

// described reads "@{ shape: diamond, label: "text" }" after the id of a node. It is YAML; attributes of
// the look are ignored.
func (p *mermaidParser) described(id string) {
	line := p.line
	end := closingBrace(p.rest()[1:])
	if end < 0 {
		fail(line, "the description of node %s has no end", id)
	}
	text := p.take(end + 2)[1:]
	var about map[string]any
	if yaml.Unmarshal([]byte(text), &about) != nil {
		inner := strings.TrimSpace(text[1 : len(text)-1]) // one line per key is also allowed
		about = nil
		if yaml.Unmarshal([]byte(unindent(inner)), &about) != nil {
			panic(&Error{Line: line, Msg: "the description of node " + id + " is not a list of keys and values", Fix: `write ` + id + `["command"]`})
		}
	}
	if label, ok := about["label"].(string); ok {
		setCommand(p.b.node(id, line), mermaidText(label))
	}
	switch about["shape"] {
	case "diamond", "diam", "decision", "question":
		p.b.decisions[p.b.at[id]] = true
	}
}

// closingBrace returns the index of the brace that closes the one at the start of text, -1 if there is
// none.
func closingBrace(text string) int {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote && text[i-1] != '\\' {
				quote = 0
			}
		case c == '"' || c == '\'' && strings.ContainsRune(" :,{[", rune(text[max(i-1, 0)])):
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// unindent removes the blanks at the start of lines.
func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

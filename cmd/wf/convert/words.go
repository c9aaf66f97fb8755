package convert

import (
	"slices"
	"strings"

	"wf/graph/attribute"
	"wf/graph/pattern"
)

// isGraphWord and isNodeWord report whether dot and mermaid store an attribute of a workfile under its own name. Commands,
// groups, positions and types are stored in other ways.
func isGraphWord(name string) bool { return settable(attribute.Graph, name) }

func isNodeWord(name string) bool {
	return settable(attribute.Node, name) && !slices.Contains([]string{"label", "group", "x", "y"}, name)
}

// settable reports whether name is an attribute of on that users set.
func settable(on attribute.Element, name string) bool {
	a := attribute.Find(on, name)
	return a != nil && a.Settable()
}

// hasWord reports whether a list, separated by blanks, has the word.
func hasWord(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// whenWords matches the condition of an edge (docs/control-flow.md).
var whenWords = pattern.Of(`^(success|failure|done|else|exit:[0-9, -]+|case:.+|if:(?s:.+))$`)

// condition returns the condition in the label of an edge, "" if it is only a text.
func condition(label string) string {
	if label = strings.TrimSpace(label); whenWords.Get().MatchString(label) {
		return label
	}
	return ""
}

// choiceWords are labels that show that a node is a decision, whatever its shape.
const choiceWords = "yes no y n true false ja nein oui non ok approved rejected approve reject pass fail"

// choices sets the conditions of the edges of a decision. A chart labels them with the outcomes; without
// conditions all of them would fire. The node chooses by its output "case".
func (b *builder) choices() {
	type way struct{ edge, line int }
	byNode := map[int][]way{}
	var order []int
	for i, label := range b.labels {
		if label == "" {
			continue
		}
		from := b.ends[i].From
		if byNode[from] == nil {
			order = append(order, from)
		}
		byNode[from] = append(byNode[from], way{i, b.where[i]})
	}
	for _, from := range order {
		ways, name := byNode[from], b.wf.Nodes[from].Name
		decides := b.decisions[from]
		var labels []string
		for _, w := range ways {
			labels = append(labels, b.labels[w.edge])
			decides = decides || hasWord(choiceWords, strings.ToLower(b.labels[w.edge]))
		}
		outcomes := strings.Join(distinct(labels), ", ")
		if !decides {
			b.note("line %d: the labels of edges from %s (%s) are not conditions: these edges fire after every success; for a choice write case:NAME", ways[0].line, name, outcomes)
			continue
		}
		for _, w := range ways {
			b.when[w.edge] = "case:" + b.labels[w.edge]
		}
		b.note(`line %d: %s decides between %s: its command must choose with echo case=%s >> "$WF_OUTPUT"`, ways[0].line, name, outcomes, shellWord(labels[0]))
	}
}

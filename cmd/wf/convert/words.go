package convert

import (
	"slices"
	"strings"

	"wf/graph/attribute"
	"wf/graph/pattern"
)

// graphWords and nodeWords are the attributes of a workfile that dot and mermaid store under their own
// names. Commands, groups, positions and types are stored in other ways.
var (
	graphWords = settable(attribute.Graph)
	nodeWords  = settable(attribute.Node, "label", "group", "x", "y")
)

// settable returns the attributes of elements that users set.
func settable(on attribute.Element, without ...string) map[string]bool {
	set := map[string]bool{}
	for a := range attribute.On(on) {
		if a.Settable() && !slices.Contains(without, a.Name) {
			set[a.Name] = true
		}
	}
	return set
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

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
var choiceWords = wordSet("yes no y n true false ja nein oui non ok approved rejected approve reject pass fail")

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
			decides = decides || choiceWords[strings.ToLower(b.labels[w.edge])]
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

package flow

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"wf/graph"
	"wf/graph/attribute"
)

// judgedName is an attribute of one kind of elements.
type judgedName struct {
	on   attribute.Element
	name string
}

// judge is attribute.Judge, once for each name: a file has few names and many elements.
func (r *reader) judge(on attribute.Element, name string) *attribute.Flaw {
	key := judgedName{on, name}
	flaw, known := r.judged[key]
	if !known {
		if r.judged == nil {
			r.judged = map[judgedName]*attribute.Flaw{}
		}
		flaw = attribute.Judge(on, name)
		r.judged[key] = flaw
	}
	return flaw
}

// kindOfNode returns which attributes have a meaning on a node.
func kindOfNode(n *graph.Node) attribute.Element {
	switch {
	case n.SubFlow(), !n.Container && n.WorkfileName() != "":
		return attribute.SubFlow
	case n.Container:
		return attribute.Group
	}
	return attribute.Command
}

// unreadOfNode reports attributes of a node that wf does not read, although their author probably thinks
// so. misplaced reports those that belong on another kind of node.
func (r *reader) unreadOfNode(n *graph.Node) {
	on := kindOfNode(n)
	r.unread(on, n.Extra, n.Inherited(), func(s graph.Severity, code, attr, text string) {
		r.nodeProblem(s, code, n, attr, "%s", text)
	})
	if text, _ := n.Attr(graph.AttrIdempotent); n.Extra != nil && strings.TrimSpace(text) != "" {
		r.idempotent(n, on, text)
	}
}

// idempotent checks the attribute that package graph reads: whatever is not true means false there.
func (r *reader) idempotent(n *graph.Node, on attribute.Element, text string) {
	const name = graph.AttrIdempotent
	_, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(text)))
	if _, own := n.Extra[name]; !own {
		return
	}
	switch {
	case on != attribute.Command:
		r.nodeProblem(graph.Error, CodeUseless, n, name, "%s has no effect on a container; write it on the nodes in it", name)
	case err != nil:
		r.nodeProblem(graph.Error, CodeWord, n, name, "%s is %s; write true or false", name, shown(text))
	}
}

// unreadOfEdge is unreadOfNode for an edge.
func (r *reader) unreadOfEdge(e *graph.Edge) {
	r.unread(attribute.Edge, e.Extra, e.Inherited(), func(s graph.Severity, code, attr, text string) {
		r.edgeProblem(s, code, e, "%s", text)
		r.problems[len(r.problems)-1].Attr = attr
	})
}

// unreadOfGraph is unreadOfNode for the graph.
func (r *reader) unreadOfGraph() {
	r.unread(attribute.Graph, r.g.Attrs(), nil, func(s graph.Severity, code, attr, text string) {
		r.add(s, code, -1, nil, "graph: %s", text)
		r.problems[len(r.problems)-1].Attr = attr
	})
}

// unread reports attributes of an element that wf does not read. A default of the file is reported once.
func (r *reader) unread(on attribute.Element, own map[string]string, inherited []graph.Attr, report func(s graph.Severity, code, attr, text string)) {
	var names []string
	for name, value := range own {
		if r.concerns(on, name, value) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, a := range inherited {
		key := judgedName{on, a.Name}
		if _, shadowed := own[a.Name]; shadowed || r.reported[key] || !r.concerns(on, a.Name, a.Value) || !r.judge(on, a.Name).Misspelt {
			continue
		}
		if r.reported == nil {
			r.reported = map[judgedName]bool{}
		}
		r.reported[key] = true
		names = append(names, a.Name)
	}
	for _, name := range names {
		flaw := r.judge(on, name)
		severity := graph.Warning
		if flaw.Severe() {
			severity = graph.Error
		}
		code := CodeUseless
		if flaw.Misspelt {
			code = CodeUnknown
		}
		report(severity, code, name, flaw.Text(on, name))
	}
}

// concerns reports whether an attribute is a problem here. Attributes on the wrong kind of node are reported by misplaced,
// which gives the reason.
func (r *reader) concerns(on attribute.Element, name, value string) bool {
	flaw := r.judge(on, name)
	if flaw == nil || strings.TrimSpace(value) == "" {
		return false
	}
	return flaw.Misspelt || on&attribute.Node == 0 || flaw.Means.On&attribute.Node == 0
}

// attributeNames are the attributes in a fixed order, so that messages come in one.
var attributeNames = slices.Sorted(maps.Keys(attributes))

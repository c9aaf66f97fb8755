package text

import (
	"strings"

	"wf/graph"
)

// An edge in the text is listed at one of its ends and names the other one.
type listedEdge struct {
	to   string
	when string // "" = success
}

// edgesOf returns the edges that a node lists: the blocking ones that it waits for, and the non-blocking ones that it
// triggers.
func (w *writer) edgesOf(n *graph.Node) (after, triggers []listedEdge) {
	for _, e := range n.In {
		if e.Type == graph.Blocking {
			after = append(after, listedEdge{w.keys.reference(n, e.Source), condition(e)})
		}
	}
	for _, e := range n.Out {
		if e.Type == graph.NonBlocking {
			triggers = append(triggers, listedEdge{w.keys.reference(n, e.Target), condition(e)})
		}
	}
	return after, triggers
}

// condition returns the condition of an edge, "" for the usual one.
func condition(e *graph.Edge) string {
	when, _ := e.Attr(graph.AttrWhen)
	if strings.TrimSpace(when) == "success" {
		return ""
	}
	return when
}

// edges writes a list of edges in the shortest form: names, names with one condition for all, names with conditions, or a
// list with an entry for each edge.
func (w *writer) edges(indent int, word string, list []listedEdge) {
	if len(list) == 0 {
		return
	}
	distinct, same := map[string]bool{}, true
	for _, e := range list {
		distinct[e.to] = true
		same = same && e.when == list[0].when
	}
	w.key(indent, word)
	switch {
	case same && (list[0].when == "" || word == wordAfter):
		w.line(edgeNames(list))
		if list[0].when != "" {
			w.key(indent, graph.AttrWhen)
			w.value(indent, list[0].when)
		}
	case len(distinct) == len(list):
		w.WriteByte('\n')
		for _, e := range list {
			w.key(indent+step, e.to)
			w.when(indent+step, e.when)
		}
	default:
		w.WriteByte('\n')
		for _, e := range list {
			w.indent(indent + step)
			w.WriteString("- ")
			w.key(0, wordNode)
			w.line(scalar(e.to, plainValue))
			w.key(indent+2*step, graph.AttrWhen)
			w.when(indent+2*step, e.when)
		}
	}
}

// when writes the condition of one of several edges.
func (w *writer) when(indent int, condition string) {
	if condition == "" {
		condition = "success"
	}
	w.value(indent, condition)
}

// edgeNames returns the names of nodes as a value.
func edgeNames(list []listedEdge) string {
	if len(list) == 1 {
		return scalar(list[0].to, plainValue)
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = scalar(e.to, plainFlow)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

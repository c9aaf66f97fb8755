package workfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wf/api"
	"wf/graph"
)

// between returns the edges that an edit names, and a description of them for messages.
func (b *editBuilder) between(e api.Edit) ([]*graph.Edge, string, error) {
	if e.Source == "" && e.Target == "" && e.Edge != "" {
		return b.edgeOf(e.Edge)
	}
	src, dst, err := b.ends(e)
	if err != nil {
		return nil, "", err
	}
	name := b.f.Handle(src) + " -> " + b.f.Handle(dst)
	edges := slices.Clone(b.f.g.EdgesBetween(src, dst))
	if len(edges) == 0 {
		return nil, "", b.noEdge(src, dst, name)
	}
	edges, err = b.chosen(edges, e.Edge, name)
	return edges, name, err
}

// edgeOf finds an edge by its id.
func (b *editBuilder) edgeOf(id string) ([]*graph.Edge, string, error) {
	var edges []*graph.Edge
	for _, e := range b.f.g.Edges() {
		if e.ID == id {
			edges = append(edges, e)
		}
	}
	switch len(edges) {
	case 0:
		return nil, "", &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("no edge has the id %q", id),
			Fix: "name its two ends; wf graph --format json lists the ids"}
	case 1:
		return edges, b.f.Handle(edges[0].Source) + " -> " + b.f.Handle(edges[0].Target), nil
	}
	return nil, "", &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("%d edges have the id %q", len(edges), id),
		Why: b.listed(edges), Fix: "name its two ends"}
}

// chosen returns the edges that an edit selects by id or number among those between two nodes.
func (b *editBuilder) chosen(edges []*graph.Edge, which, name string) ([]*graph.Edge, error) {
	if which == "" && len(edges) == 1 || which == api.EveryEdge {
		return edges, nil
	}
	var found []*graph.Edge
	for _, e := range edges {
		if which != "" && e.ID == which {
			found = append(found, e)
		}
	}
	if n, err := strconv.Atoi(which); len(found) == 0 && err == nil && n >= 1 && n <= len(edges) {
		return edges[n-1 : n], nil
	}
	if len(found) == 1 {
		return found, nil
	}
	e := &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("%d edges go from %s", len(edges), strings.Replace(name, " -> ", " to ", 1)),
		Why: b.listed(edges), Fix: "say which: --edge ID, --edge N, or --edge " + api.EveryEdge}
	if which != "" {
		e.Message = fmt.Sprintf("no edge %s is %q", name, which)
	}
	return nil, e
}

// mostListed bounds the number of edges that an error lists.
const mostListed = 10

// listed describes edges so that users can tell them apart.
func (b *editBuilder) listed(edges []*graph.Edge) string {
	var list []string
	for i, e := range edges {
		if i == mostListed {
			list = append(list, fmt.Sprintf("and %d more", len(edges)-i))
			break
		}
		text := strconv.Itoa(i+1) + ": "
		if e.ID != "" {
			text = strconv.Itoa(i+1) + " (id " + e.ID + "): "
		}
		text += e.Type.String()
		if when, has := e.Attr(graph.AttrWhen); has && when != "" {
			text += ", when " + when
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

package text

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"wf/graph"
	"wf/graph/attribute"
)

// IDs returns ids for the nodes of a new workfile: the key of a node if no other node has it, otherwise its path. So the text
// of the new workfile has the same keys.
func (wf *Workflow) IDs() map[*Node]string {
	times := make(map[string]int, len(wf.Nodes))
	for _, n := range wf.Nodes {
		times[n.Key]++
	}
	ids := make(map[*Node]string, len(wf.Nodes))
	taken := maps.Clone(times)
	for _, n := range wf.Nodes {
		id := n.Key
		if times[id] > 1 {
			id = n.path()
			for number := 2; taken[id] > 0; number++ {
				id = n.path() + "~" + strconv.Itoa(number)
			}
			taken[id]++
		}
		ids[n] = id
	}
	return ids
}

// Graph returns the workflow as a graph of its own.
func (wf *Workflow) Graph() *graph.Graph {
	empty, err := graph.Build(nil, nil, nil)
	if err != nil {
		panic("internal error: an empty graph: " + err.Error())
	}
	ids := wf.IDs()
	l := &layer{wf: wf, g: empty, keys: keysOf(empty), was: map[*Node]*graph.Node{}, id: func(n *Node) string { return ids[n] }}
	return l.build().Graph
}

// A Layered is a workflow of a text that was laid over an existing one.
type Layered struct {
	Graph *graph.Graph
	nodes map[string]*Node // by id
	edges []Edge           // by key
	wf    *Workflow
}

// Over lays the workflow over an existing one: the result has what the text says, and all that a text does not show of the
// nodes and edges that exist in both: positions, results, attributes of other programs, spellings that mean the same. Nodes
// correspond by their keys, or else if the text says which key they had, or if their content is equal. newID gives an id to
// other nodes, which are placed near their neighbours. An error is Mistakes.
func (wf *Workflow) Over(g *graph.Graph, newID func(*Node) string) (*Layered, error) {
	l := &layer{wf: wf, g: g, keys: keysOf(g), was: map[*Node]*graph.Node{}, id: newID, edgeID: graph.NewID}
	l.match()
	result := l.build()
	if len(l.mistakes) > 0 {
		return nil, l.mistakes.sorted()
	}
	return result, nil
}

// layer lays a workflow over a graph.
type layer struct {
	wf       *Workflow
	g        *graph.Graph
	keys     *keys
	was      map[*Node]*graph.Node // the existing node of a node of the text
	taken    map[*graph.Node]bool  // the existing nodes in was
	id       func(*Node) string
	edgeID   func() string // nil = new edges get no id
	mistakes Mistakes
}

func (l *layer) wrong(line, column int, remedy, message string) {
	l.mistakes = append(l.mistakes, Mistake{max(line, 1), max(column, 1), message, remedy})
}

// build returns the graph.
func (l *layer) build() *Layered {
	specs, at := make([]graph.NodeSpec, len(l.wf.Nodes)), make(map[*Node]int, len(l.wf.Nodes))
	result := &Layered{wf: l.wf, nodes: make(map[string]*Node, len(specs))}
	for i, n := range l.wf.Nodes {
		at[n] = i
		specs[i] = l.nodeSpec(n)
		if specs[i].Parent = -1; n.Parent != nil {
			specs[i].Parent = at[n.Parent]
		}
		result.nodes[specs[i].ID] = n
	}
	l.place(specs, at)
	edges := make([]graph.EdgeSpec, 0, len(l.wf.Edges))
	matched := l.matchEdges()
	for i, e := range l.wf.Edges {
		edges = append(edges, l.edgeSpec(e, matched[i], at))
		result.edges = append(result.edges, e)
	}
	g, err := graph.Build(specs, edges, l.graphAttrs())
	if err != nil {
		panic("internal error: the graph of a text: " + err.Error())
	}
	result.Graph = g
	return result
}

// nodeSpec describes a node: as it exists, with the values of the text.
func (l *layer) nodeSpec(n *Node) graph.NodeSpec {
	was := l.was[n]
	if was == nil {
		return l.newNode(n)
	}
	spec := specOf(was)
	spec.Container = n.Container
	if l.keys.of[was] != n.Key {
		spec.Name, spec.HasName = n.Key, true
	}
	l.setCommand(&spec, n, was)
	kinds := kindOf(was) | n.kind()
	for a := range attribute.On(kinds) {
		if !shown(a) {
			continue
		}
		have, _ := was.Attr(a.Name)
		want := ""
		if a.On&n.kind() != 0 {
			want = n.Attrs[a.Name]
		}
		if same(a, have, want) {
			continue
		}
		l.check(n, a.Name, want)
		l.set(&spec, a.Name, want, inherited(was.Inherited(), a.Name))
	}
	return spec
}

// newNode describes a node that does not exist yet.
func (l *layer) newNode(n *Node) graph.NodeSpec {
	spec := graph.NodeSpec{ID: l.id(n), Key: graph.NewKey, Name: n.Key, HasName: true, Container: n.Container, Extra: maps.Clone(n.Attrs)}
	if n.Command != nil {
		spec.Label, spec.HasLabel = *n.Command, true
		l.check(n, attrLabel, spec.Label)
	}
	for name, value := range n.Attrs {
		l.check(n, name, value)
	}
	if group, has := spec.Extra["group"]; has {
		spec.Group, spec.HasGroup = group, true
		delete(spec.Extra, "group")
	}
	return spec
}

// specOf describes an existing node with its own attributes.
func specOf(n *graph.Node) graph.NodeSpec {
	spec := graph.NodeSpec{ID: n.ID, Key: graph.NewKey, Container: n.Container, Extra: maps.Clone(n.Extra), Inherited: n.Inherited()}
	for _, f := range []struct {
		name string
		to   *string
		has  *bool
	}{
		{attrName, &spec.Name, &spec.HasName}, {attrLabel, &spec.Label, &spec.HasLabel}, {"group", &spec.Group, &spec.HasGroup},
		{"status", &spec.Status, &spec.HasStatus}, {attrX, &spec.X, &spec.HasX}, {attrY, &spec.Y, &spec.HasY},
	} {
		if value, own := n.Attr(f.name); own {
			*f.to, *f.has = value, true
		}
	}
	return spec
}

// setCommand gives a node the command of the text.
func (l *layer) setCommand(spec *graph.NodeSpec, n *Node, was *graph.Node) {
	have, _ := was.Attr(attrLabel)
	switch {
	case n.Container:
		if !was.Container {
			spec.Label, spec.HasLabel = "", false
		}
	case n.Command == nil:
		if !was.NoCommand {
			spec.Label, spec.HasLabel = "", false
			if inherited(was.Inherited(), attrLabel) != "" {
				spec.HasLabel = true // hides the text of a drawing
			}
		}
	case was.NoCommand || was.Container || have != *n.Command:
		spec.Label, spec.HasLabel = *n.Command, true
		l.check(n, attrLabel, *n.Command)
	}
}

// set gives a node a value of an attribute, "" for none. beneath is the value that it inherits.
func (l *layer) set(spec *graph.NodeSpec, name, value, beneath string) {
	if name == "group" {
		spec.Group, spec.HasGroup = value, value != "" || beneath != ""
		return
	}
	if value == "" && beneath == "" {
		delete(spec.Extra, name)
		return
	}
	if spec.Extra == nil {
		spec.Extra = map[string]string{}
	}
	spec.Extra[name] = value
}

// inherited returns the value that an element inherits, or "".
func inherited(list []graph.Attr, name string) string {
	for _, a := range list {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// same reports whether two values of an attribute mean the same, as far as the text shows them.
func same(a *attribute.Attribute, have, want string) bool {
	if have == want {
		return true
	}
	if f := formOf(a); f == formJSON || f == formList {
		x, okX := parseJSON(have)
		y, okY := parseJSON(want)
		return okX && okY && x.json() == y.json()
	}
	return false
}

// check notes a character that a workfile cannot hold.
func (l *layer) check(n *Node, name, value string) {
	at, ok := n.place(name)
	if !ok {
		at = position{n.Line, n.Column}
	}
	l.checkText(at, name, value)
}

func (l *layer) checkText(at position, name, value string) {
	if i := strings.IndexFunc(value, unwritable); i >= 0 {
		l.wrong(at.line, at.column, `let the command make it, for example "$(printf '\033')"`, "the "+name+" has a character that a workfile cannot hold")
	}
}

// unwritable reports whether XML cannot represent a character.
func unwritable(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xfffe || r == 0xffff
}

// graphAttrs returns the attributes of the graph.
func (l *layer) graphAttrs() map[string]string {
	attrs := l.g.Attrs()
	for a := range attribute.On(attribute.Graph) {
		if !shown(a) {
			continue
		}
		want := l.wf.Attrs[a.Name]
		switch {
		case same(a, attrs[a.Name], want):
		case want == "":
			delete(attrs, a.Name)
		default:
			l.checkText(l.wf.places[a.Name], a.Name, want)
			attrs[a.Name] = want
		}
	}
	return attrs
}

// matchEdges returns the existing edge of each edge of the text, or nil. Of several edges between two nodes, those with the
// same type and condition correspond, then those with the same condition, then the others in their order.
func (l *layer) matchEdges() []*graph.Edge {
	type ends struct{ source, target *graph.Node }
	if len(l.was) == 0 {
		return make([]*graph.Edge, len(l.wf.Edges))
	}
	between := make(map[ends][]*graph.Edge, len(l.g.Edges()))
	for _, e := range l.g.Edges() {
		between[ends{e.Source, e.Target}] = append(between[ends{e.Source, e.Target}], e)
	}
	found := make([]*graph.Edge, len(l.wf.Edges))
	for _, fits := range []func(was *graph.Edge, e Edge) bool{
		func(was *graph.Edge, e Edge) bool { return was.Type == e.Type && condition(was) == e.When },
		func(was *graph.Edge, e Edge) bool { return condition(was) == e.When },
		func(*graph.Edge, Edge) bool { return true },
	} {
		for i, e := range l.wf.Edges {
			at := ends{l.was[e.Source], l.was[e.Target]}
			if found[i] != nil || at.source == nil || at.target == nil {
				continue
			}
			if k := slices.IndexFunc(between[at], func(was *graph.Edge) bool { return fits(was, e) }); k >= 0 {
				found[i] = between[at][k]
				between[at] = slices.Delete(between[at], k, k+1)
			}
		}
	}
	return found
}

// edgeSpec describes an edge: as it exists, with the type and the condition of the text.
func (l *layer) edgeSpec(e Edge, was *graph.Edge, at map[*Node]int) graph.EdgeSpec {
	l.checkText(position{e.Line, e.Column}, graph.AttrWhen, e.When)
	spec := graph.EdgeSpec{Key: graph.NewKey, Source: at[e.Source], Target: at[e.Target]}
	if was == nil {
		spec.Type = e.Type.String()
		if l.edgeID != nil {
			spec.ID = l.edgeID()
		}
		if e.When != "" {
			spec.Extra = map[string]string{graph.AttrWhen: e.When}
		}
		return spec
	}
	spec.Extra, spec.Inherited = maps.Clone(was.Extra), was.Inherited()
	spec.ID, spec.HasID = was.Attr("id")
	spec.Type, spec.HasType = was.Attr(attrType)
	if !spec.HasType {
		spec.Type = ""
	}
	spec.Status, spec.HasStatus = was.Attr("status")
	if !spec.HasStatus {
		spec.Status = ""
	}
	if was.Type != e.Type {
		spec.Type, spec.HasType = e.Type.String(), true
	}
	if condition(was) != e.When {
		if spec.Extra == nil {
			spec.Extra = map[string]string{}
		}
		if spec.Extra[graph.AttrWhen] = e.When; e.When == "" && inherited(was.Inherited(), graph.AttrWhen) == "" {
			delete(spec.Extra, graph.AttrWhen)
		}
	}
	return spec
}

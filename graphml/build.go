package graphml

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"wf/graph"
)

// A builder makes the workflow out of what the scanner found.
type builder struct {
	d     *Document
	s     *scanner
	notes *notes
	nodes []graph.NodeSpec
	edges []graph.EdgeSpec
}

// build resolves keys, defaults and drawings, which need the whole file, and hands the result to
// package graph in bulk.
func (b *builder) build() (*graph.Graph, error) {
	b.notes = &b.s.notes
	if err := b.buildNodes(); err != nil {
		return nil, err
	}
	if err := b.buildEdges(); err != nil {
		return nil, err
	}
	attrs, err := b.graphAttrs()
	if err != nil {
		return nil, err
	}
	b.unreadGraphs()
	b.warnUndeclared()
	return graph.Build(b.nodes, b.edges, attrs)
}

// buildNodes reads nodes in file order, so that the node a node lies in has a lower number.
func (b *builder) buildNodes() error {
	b.nodes = make([]graph.NodeSpec, len(b.d.nodes))
	for i := range b.nodes {
		n := &b.nodes[i]
		n.ID, n.Key = b.s.nodeIDs[i], i
		n.Parent = int(b.d.graphs[b.d.nodes[i].graph].owner)
		n.Inherited = b.d.defaults[ofNode]
		drawn, err := b.nodeValues(i, n)
		if err != nil {
			return err
		}
		group := false
		if drawn {
			group = b.draw(i, n)
		}
		n.Container = b.s.folders[i] || group
		if !n.Container && b.s.parents[i] && (!n.HasLabel || repeats(n)) {
			n.Container = true
			b.d.implicit[int32(i)] = true
		}
		b.checkPosition(i, n)
	}
	return nil
}

// repeats says whether a node that holds others is meant to repeat them, so that it is a container although
// an editor gave it a label.
func repeats(n *graph.NodeSpec) bool {
	for name, value := range n.Extra {
		if graph.MakesSubFlow(name) && strings.TrimSpace(value) != "" {
			return true
		}
	}
	return slices.ContainsFunc(n.Inherited, func(a graph.Attr) bool {
		_, own := n.Extra[a.Name]
		return !own && graph.MakesSubFlow(a.Name) && strings.TrimSpace(a.Value) != ""
	})
}

// nodeValues reads the direct values of node i; drawn says whether there is a drawing as well.
func (b *builder) nodeValues(i int, n *graph.NodeSpec) (drawn bool, err error) {
	r := ref{ofNode, int32(i)}
	for v := b.d.nodes[i].first; v != none; v = b.d.slots[v].next {
		k := b.d.keys.key(ofNode, &b.d.slots[v])
		if b.d.slots[v].structured {
			drawn = true
			b.unreadStructured(r, v, k)
			continue
		}
		if k == nil || k.name == "" {
			b.unread(r, v, k)
			continue
		}
		if graph.Captured(k.name) {
			b.captured(r, v)
			continue
		}
		field, has := nodeField(n, k.name)
		if field == nil {
			if _, has := n.Extra[k.name]; has {
				b.twice(r, v, k.name)
			}
			if text, ok := b.extra(r, v, k); ok {
				n.Extra = put(n.Extra, k.name, text)
			}
			continue
		}
		if *has {
			b.twice(r, v, k.name)
		}
		text, err := b.value(r, v, k)
		if err != nil {
			return false, err
		}
		*field, *has = text, true
	}
	return drawn, nil
}

// nodeField returns where a NodeSpec keeps an attribute; field is nil if it has no place of its
// own.
func nodeField(n *graph.NodeSpec, name string) (field *string, has *bool) {
	switch name {
	case "label":
		return &n.Label, &n.HasLabel
	case "status":
		return &n.Status, &n.HasStatus
	case "x":
		return &n.X, &n.HasX
	case "y":
		return &n.Y, &n.HasY
	case "name":
		return &n.Name, &n.HasName
	case "group":
		return &n.Group, &n.HasGroup
	}
	return nil, nil
}

func (b *builder) buildEdges() error {
	b.edges = make([]graph.EdgeSpec, len(b.d.edges))
	for i := range b.edges {
		e := &b.edges[i]
		e.Key, e.Inherited = i, b.d.defaults[ofEdge]
		e.Source, e.Target = int(b.s.ends[i].source), int(b.s.ends[i].target)
		if err := b.edgeValues(i, e); err != nil {
			return err
		}
	}
	b.edgeIDs()
	return nil
}

// edgeIDs gives edges their XML id. It wins over a value named id.
func (b *builder) edgeIDs() {
	seen := make(map[string]bool, len(b.s.edgeIDs))
	for _, v := range b.s.edgeIDs {
		e := &b.edges[v.edge]
		if e.HasID = true; v.id != "" {
			e.ID = v.id
		}
		if v.id == "" || seen[v.id] {
			r := ref{ofEdge, v.edge}
			b.warn(r, WarnDuplicateEdgeID, fmt.Sprintf("edge %s: its id %q is empty or used before", b.nameOf(r), v.id))
		}
		seen[v.id] = true
	}
}

// edgeValues reads the direct values of edge i.
func (b *builder) edgeValues(i int, e *graph.EdgeSpec) error {
	r := ref{ofEdge, int32(i)}
	drawn := false
	for v := b.d.edges[i].first; v != none; v = b.d.slots[v].next {
		k := b.d.keys.key(ofEdge, &b.d.slots[v])
		if b.d.slots[v].structured {
			drawn = true
			b.unreadStructured(r, v, k)
			continue
		}
		if k == nil || k.name == "" {
			b.unread(r, v, k)
			continue
		}
		field, has := edgeField(e, k.name)
		if field == nil {
			if _, has := e.Extra[k.name]; has {
				b.twice(r, v, k.name)
			}
			if text, ok := b.extra(r, v, k); ok {
				e.Extra = put(e.Extra, k.name, text)
			}
			continue
		}
		if *has {
			b.twice(r, v, k.name)
		}
		text, err := b.value(r, v, k)
		if err != nil {
			return err
		}
		*field, *has = text, true
	}
	if drawn {
		b.drawEdge(i, e)
	}
	return nil
}

// edgeField returns where an EdgeSpec keeps an attribute; field is nil if it has no place of its
// own.
func edgeField(e *graph.EdgeSpec, name string) (field *string, has *bool) {
	switch name {
	case "id":
		return &e.ID, &e.HasID
	case "edge_type":
		return &e.Type, &e.HasType
	case "status":
		return &e.Status, &e.HasStatus
	}
	return nil, nil
}

// graphAttrs reads the values of the workflow itself. Defaults count as present: the graph has no
// other place for them.
func (b *builder) graphAttrs() (map[string]string, error) {
	attrs := map[string]string{}
	for _, a := range b.d.defaults[ofGraph] {
		attrs[a.Name] = a.Value
	}
	r := ref{ofGraph, 0}
	for v := b.d.graphs[0].first; v != none; v = b.d.slots[v].next {
		k := b.d.keys.key(ofGraph, &b.d.slots[v])
		if b.d.slots[v].structured {
			b.unreadStructured(r, v, k)
			continue
		}
		if k == nil || k.name == "" {
			b.unread(r, v, k)
			continue
		}
		text, err := b.value(r, v, k)
		if err != nil {
			return nil, err
		}
		attrs[k.name] = text
	}
	return attrs, nil
}

// value reads a value that a workflow needs: one that cannot be read is an error.
func (b *builder) value(r ref, v int32, k *keyElement) (string, error) {
	raw := b.d.raw(v)
	text, found := decodeValue(raw)
	if found&unknownEntity != 0 {
		return "", b.s.errorf(int(b.d.slots[v].value), "%s %s: %s uses %s, and entities are not expanded", r.domain, b.nameOf(r), k.name, firstEntity(raw))
	}
	if found&controlCharacter != 0 {
		b.warnSlot(r, v, WarnControlCharacter, k.name+" holds characters that XML forbids")
	}
	return text, nil
}

// extra reads a value that is only passed on: one that cannot be read is left out.
func (b *builder) extra(r ref, v int32, k *keyElement) (string, bool) {
	raw := b.d.raw(v)
	text, found := decodeValue(raw)
	if found&unknownEntity != 0 {
		b.warnSlot(r, v, WarnEntity, fmt.Sprintf("%s uses %s, and entities are not expanded", k.name, firstEntity(raw)))
		return "", false
	}
	if found&controlCharacter != 0 {
		b.warnSlot(r, v, WarnControlCharacter, k.name+" holds characters that XML forbids")
	}
	if !fits(k.kind, text) {
		b.warnSlot(r, v, WarnValue, fmt.Sprintf("%s %q is no %s", k.name, text, k.kind))
	}
	return text, true
}

// captured looks at output that a program wrote into the file raw: it is made visible with the
// next change of the file. Commands never are, since that would silently make others of them.
func (b *builder) captured(r ref, v int32) {
	if _, found := classify(b.d.raw(v)); found&controlCharacter != 0 {
		b.d.unclean = append(b.d.unclean, v)
		b.warnSlot(r, v, WarnControlCharacter, "captured output holds characters that XML forbids; the next save shows them as pictures")
	}
}

// checkPosition only warns: graph.Node.Position takes such a coordinate for absent, and the text stays.
func (b *builder) checkPosition(i int, n *graph.NodeSpec) {
	for _, c := range []struct{ name, text string }{{"x", n.X}, {"y", n.Y}} {
		if c.text == "" {
			continue
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(c.text), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			b.warn(ref{ofNode, int32(i)}, WarnPosition, fmt.Sprintf("%s %q is no position", c.name, c.text))
		}
	}
}

// warnUndeclared names key ids that are used but declared nowhere. The values are kept.
func (b *builder) warnUndeclared() {
	told := map[int32]bool{}
	for i := range b.d.slots {
		id := b.d.slots[i].key
		known := false
		for d := range domains {
			known = known || b.d.keys.resolved[d][id] != none
		}
		if !known && !told[id] {
			told[id] = true
			b.notes.add(note{offset: int(b.d.slots[i].value), code: WarnUndeclaredKey,
				message: fmt.Sprintf("key %q is declared nowhere: its values are kept but not read", b.d.keyIDs.ids[id])})
		}
	}
}

func (b *builder) warn(r ref, code, message string) {
	b.notes.add(note{offset: int(b.d.element(r).start), code: code, message: message, node: b.nodeOf(r)})
}

func (b *builder) warnSlot(r ref, v int32, code, message string) {
	b.notes.add(note{offset: int(b.d.slots[v].value), code: code, message: message, node: b.nodeOf(r)})
}

// nodeOf returns the id that a warning about the element names, "" for edges.
func (b *builder) nodeOf(r ref) string {
	if r.domain == ofNode {
		return b.s.nodeIDs[r.number]
	}
	return ""
}

// nameOf names an element for people.
func (b *builder) nameOf(r ref) string {
	if r.domain == ofEdge {
		ends := b.s.ends[r.number]
		return b.s.nodeIDs[ends.source] + " -> " + b.s.nodeIDs[ends.target]
	}
	return b.nodeOf(r)
}

func put(m map[string]string, name, value string) map[string]string {
	if m == nil {
		m = make(map[string]string, 2)
	}
	m[name] = value
	return m
}

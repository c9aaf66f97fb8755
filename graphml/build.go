package graphml

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"wf/graph"
)

// A builder makes the workflow from the result of the scanner.
type builder struct {
	d     *Document
	s     *scanner
	notes *notes
	g     *graph.Builder
}

// build resolves keys, defaults and drawings, which need the whole file, and builds the graph.
func (b *builder) build() (*graph.Graph, error) {
	b.notes = &b.s.notes
	b.g = graph.NewBuilder(len(b.d.nodes), len(b.d.edges))
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
	return b.g.Graph(attrs), nil
}

// buildNodes reads nodes in file order, so that a container has a lower number than its nodes.
func (b *builder) buildNodes() error {
	var n graph.NodeSpec
	field := func(name string) (*string, *bool) { return nodeField(&n, name) }
	for i := range b.d.nodes {
		n = graph.NodeSpec{ID: b.s.nodeIDs[i], Key: i, Inherited: b.d.defaults[ofNode],
			Parent: int(b.d.graphs[b.d.nodes[i].graph].owner)}
		drawn, err := b.values(ref{ofNode, int32(i)}, field, &n.Extra)
		if err != nil {
			return err
		}
		group := false
		if drawn {
			group = b.draw(i, &n)
		}
		n.Container = b.s.folders[i] || group
		if !n.Container && b.s.parents[i] && (!n.HasLabel || repeats(&n)) {
			n.Container = true
			b.d.implicit[int32(i)] = true
		}
		b.checkPosition(i, &n)
		if err := b.g.AddNode(&n); err != nil {
			return err
		}
	}
	return nil
}

// repeats reports whether a node has an attribute that repeats the nodes inside it. Then it is a
// container even if an editor gave it a label.
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

// values reads the direct values of a node or an edge. field returns where its spec stores an
// attribute, or nil if that is extra. drawn reports whether there is a drawing as well.
func (b *builder) values(r ref, field func(name string) (value *string, has *bool), extra *map[string]string) (drawn bool, err error) {
	for v := b.d.element(r).first; v != none; v = b.d.slots[v].next {
		k := b.d.keys.key(r.domain, &b.d.slots[v])
		if b.d.slots[v].structured {
			drawn = true
			b.unreadStructured(r, v, k)
			continue
		}
		if k == nil || k.name == "" {
			b.unread(r, v, k)
			continue
		}
		if r.domain == ofNode && graph.Captured(k.name) {
			b.captured(r, v)
			continue
		}
		value, has := field(k.name)
		if value == nil {
			if _, has := (*extra)[k.name]; has {
				b.twice(r, v, k.name)
			}
			if text, ok := b.extra(r, v, k); ok {
				put(extra, k.name, text)
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
		*value, *has = text, true
	}
	return drawn, nil
}

// nodeField returns the fields of a NodeSpec for an attribute, or nil if it has none.
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
	var e graph.EdgeSpec
	field := func(name string) (*string, *bool) { return edgeField(&e, name) }
	ids := edgeIDs{b: b, rest: b.s.edgeIDs, seen: make(map[string]bool, len(b.s.edgeIDs))}
	for i := range b.d.edges {
		e = graph.EdgeSpec{Key: i, Inherited: b.d.defaults[ofEdge],
			Source: int(b.s.ends[i].source), Target: int(b.s.ends[i].target)}
		drawn, err := b.values(ref{ofEdge, int32(i)}, field, &e.Extra)
		if err != nil {
			return err
		}
		if drawn {
			b.drawEdge(i, &e)
		}
		ids.set(int32(i), &e)
		if err := b.g.AddEdge(&e); err != nil {
			return err
		}
	}
	return nil
}

// edgeIDs sets the XML ids of edges, which take precedence over values named id.
type edgeIDs struct {
	b    *builder
	rest []edgeID // of later edges
	seen map[string]bool
}

// set sets the id of an edge. It is called for all edges in order.
func (ids *edgeIDs) set(number int32, e *graph.EdgeSpec) {
	for len(ids.rest) > 0 && ids.rest[0].edge == number {
		id := ids.rest[0].id
		ids.rest = ids.rest[1:]
		if e.HasID = true; id != "" {
			e.ID = id
		}
		if id == "" || ids.seen[id] {
			r := ref{ofEdge, number}
			ids.b.warn(r, WarnDuplicateEdgeID, fmt.Sprintf("edge %s: its id %q is empty or used before", ids.b.nameOf(r), id))
		}
		ids.seen[id] = true
	}
}

// edgeField returns the fields of an EdgeSpec for an attribute, or nil if it has none.
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

// graphAttrs reads the values of the workflow itself. Defaults count as present, because the graph
// does not store them separately.
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

// value reads a value that a workflow needs. An unreadable value is an error.
func (b *builder) value(r ref, v int32, k *keyElement) (string, error) {
	raw := b.d.raw(v)
	text, found := decodeValue(raw)
	if found&unknownEntity != 0 {
		return "", b.s.errorf(int(b.d.slots[v].value), "%s %s: %s uses %s, and entities are not expanded", r.domain, b.nameOf(r), k.name, firstEntity(raw))
	}
	if found&controlCharacter != 0 {
		b.warnSlot(r, v, WarnControlCharacter, k.name+" contains characters that XML forbids")
	}
	return text, nil
}

// extra reads any other value. An unreadable value is left out, with a warning.
func (b *builder) extra(r ref, v int32, k *keyElement) (string, bool) {
	raw := b.d.raw(v)
	text, found := decodeValue(raw)
	if found&unknownEntity != 0 {
		b.warnSlot(r, v, WarnEntity, fmt.Sprintf("%s uses %s, and entities are not expanded", k.name, firstEntity(raw)))
		return "", false
	}
	if found&controlCharacter != 0 {
		b.warnSlot(r, v, WarnControlCharacter, k.name+" contains characters that XML forbids")
	}
	if !fits(k.kind, text) {
		b.warnSlot(r, v, WarnValue, fmt.Sprintf("%s %q is not a valid %s", k.name, text, k.kind))
	}
	return text, true
}

// captured finds control characters in captured output, which the next save of a change makes
// visible. Commands are never changed like this: they would silently become other commands.
func (b *builder) captured(r ref, v int32) {
	if _, found := classify(b.d.raw(v)); found&controlCharacter != 0 {
		b.d.unclean = append(b.d.unclean, v)
		b.warnSlot(r, v, WarnControlCharacter, "captured output contains characters that XML forbids; the next save replaces them with visible symbols")
	}
}

// checkPosition only warns: graph.Node.Position treats such a coordinate as absent, and the text stays.
func (b *builder) checkPosition(i int, n *graph.NodeSpec) {
	for _, c := range []struct{ name, text string }{{"x", n.X}, {"y", n.Y}} {
		if c.text == "" {
			continue
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(c.text), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			b.warn(ref{ofNode, int32(i)}, WarnPosition, fmt.Sprintf("%s %q is not a position", c.name, c.text))
		}
	}
}

// warnUndeclared names key ids that are used but not declared.
func (b *builder) warnUndeclared() {
	unknown, left := make([]bool, len(b.d.keyIDs.ids)), 0
	for id := range unknown {
		if !slices.ContainsFunc(b.d.keys.resolved[:], func(keys []int32) bool { return keys[id] != none }) {
			unknown[id] = true
			left++
		}
	}
	for i := 0; i < len(b.d.slots) && left > 0; i++ {
		id := b.d.slots[i].key
		if !unknown[id] {
			continue
		}
		unknown[id] = false
		left--
		b.notes.add(note{offset: int(b.d.slots[i].value), code: WarnUndeclaredKey,
			message: fmt.Sprintf("key %q is not declared: its values are kept but not read", b.d.keyIDs.ids[id])})
	}
}

func (b *builder) warn(r ref, code, message string) {
	b.notes.add(note{offset: int(b.d.element(r).start), code: code, message: message, node: b.nodeOf(r)})
}

func (b *builder) warnSlot(r ref, v int32, code, message string) {
	b.notes.add(note{offset: int(b.d.slots[v].value), code: code, message: message, node: b.nodeOf(r)})
}

// nodeOf returns the id of a node, for Warning.Node, and "" for other elements.
func (b *builder) nodeOf(r ref) string {
	if r.domain == ofNode {
		return b.s.nodeIDs[r.number]
	}
	return ""
}

// nameOf returns the name of an element in messages.
func (b *builder) nameOf(r ref) string {
	if r.domain == ofEdge {
		ends := b.s.ends[r.number]
		return b.s.nodeIDs[ends.source] + " -> " + b.s.nodeIDs[ends.target]
	}
	return b.nodeOf(r)
}

func put(m *map[string]string, name, value string) {
	if *m == nil {
		*m = make(map[string]string, 2)
	}
	(*m)[name] = value
}

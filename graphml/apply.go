package graphml

import (
	"fmt"
	"maps"
	"slices"

	"wf/graph"
)

// Apply makes the change in the document that op made in the graph, so that both stay equal. op is
// the completed op that graph.Graph.Apply returned: keys are filled in, and the removal of a node
// includes the removals of its edges. An element that is added again under its old key gets its old
// place and bytes again.
func (d *Document) Apply(op graph.Op) error {
	switch op := op.(type) {
	case graph.Batch:
		for _, each := range op.Ops {
			if err := d.Apply(each); err != nil {
				return err
			}
		}
		return nil
	case graph.AddNode:
		return d.addNode(op)
	case graph.RemoveNode:
		return d.removeNode(op.ID)
	case graph.MoveNode:
		return mover{d}.moveNode(op)
	case graph.MoveEdge:
		return mover{d}.moveEdge(op)
	case graph.AddEdge:
		return d.addEdge(op)
	case graph.RemoveEdge:
		return d.removeEdge(op.Key)
	case graph.SetNode:
		return d.setNode(op.ID, want{op.Attr, present(op.Value, !op.Remove), !op.Remove})
	case graph.SetEdge:
		return d.setEdge(op.Key, want{op.Attr, present(op.Value, !op.Remove), !op.Remove})
	case graph.SetGraph:
		return d.set(ref{ofGraph, 0}, want{op.Attr, present(op.Value, !op.Remove), !op.Remove})
	}
	return fmt.Errorf("edit %T cannot be written to a workfile", op)
}

// present drops the value of an absent attribute, so that wants can be compared.
func present(value string, present bool) string {
	if !present {
		return ""
	}
	return value
}

// addNode restores a removed node under its key, or adds a new one. An added node keeps its number
// when undo and redo remove it and add it again.
func (d *Document) addNode(op graph.AddNode) error {
	n := &op.Node
	if _, exists := d.nodeNumber[n.ID]; exists {
		return fmt.Errorf("node %s: exists already", n.ID)
	}
	if !isWritable(n.ID) {
		return fmt.Errorf("node %q: its id contains a character that XML cannot represent", n.ID)
	}
	number, ok := d.oldNode(n.Key)
	if ok && d.nodeID(number) != n.ID {
		return fmt.Errorf("node %s: key %d belongs to node %s", n.ID, n.Key, d.nodeID(number))
	}
	if !ok {
		number = int32(len(d.nodes))
		d.nodes = append(d.nodes, element{start: added, first: none})
		d.edits.nodes = append(d.edits.nodes, nil)
		d.newNodes[n.Key] = number
		s := mover{d}.newSpot(op.Parent, op.Before)
		d.change(ref{ofNode, number}, func(e *edit) {
			e.Removed = true // until restore below
			e.New = &newElementSpec{ID: n.ID, key: n.Key, Parent: op.Parent, Container: n.Container}
			e.putSpot(s)
		})
	}
	if e := d.edits.nodes[number]; e != nil && e.New != nil {
		e.New.shadowed = d.shadowed(ofNode, n.Inherited, "label", "name", "group", "status", "x", "y")
	}
	d.nodeNumber[n.ID] = number
	return d.restore(ref{ofNode, number}, nodeWants(n))
}

// oldNode finds a node by key that is in the text or was added before, even if it is removed.
func (d *Document) oldNode(key int) (int32, bool) {
	if d.nodeKeys == nil && key >= 0 && key < len(d.nodes) && d.nodes[key].start != added {
		return int32(key), true
	}
	number, ok := d.newNodes[key]
	return number, ok
}

// nodeID returns the id of a node, also of a removed one, which nodeNumber does not contain.
func (d *Document) nodeID(number int32) string {
	if e := d.edits.nodes[number]; e != nil && e.New != nil {
		return e.New.ID
	}
	id, _ := d.xmlAttr(ref{ofNode, number}, "id")
	return id
}

// addEdge is addNode for edges. A key is never reused for another edge, so the ends are not compared.
func (d *Document) addEdge(op graph.AddEdge) error {
	number, ok := d.edgeNumber(op.Key)
	if !ok {
		number = int32(len(d.edges))
		d.edges = append(d.edges, element{start: added, first: none})
		d.edits.edges = append(d.edits.edges, nil)
		d.newEdges[op.Key] = number
		d.change(ref{ofEdge, number}, func(e *edit) {
			e.Removed = true
			e.New = &newElementSpec{key: op.Key, Source: op.Source, Target: op.Target}
		})
	}
	if e := d.edits.edges[number]; e != nil && e.New != nil {
		e.New.shadowed = d.shadowed(ofEdge, op.Inherited, "id", "edge_type", "status")
	}
	r := ref{ofEdge, number}
	if !d.edits.of(r).gone() {
		return fmt.Errorf("edge %s -> %s: key %d belongs to another edge", op.Source, op.Target, op.Key)
	}
	return d.restore(r, edgeWants(&op))
}

// shadowed returns those of the names that have a default in the file but not in known, the
// inherited attributes of an added element in the graph.
func (d *Document) shadowed(dom domain, known []graph.Attr, names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		return inherited(d.defaults[dom], name) == "" || hasAttr(known, name)
	})
}

// restore adds a removed element again with exactly these attributes. Captured output, which the
// graph does not store, is as it was before the removal.
func (d *Document) restore(r ref, wants []want) error {
	d.change(r, func(e *edit) { e.Removed = false })
	for _, name := range d.attrNames(r) {
		if !slices.ContainsFunc(wants, func(w want) bool { return w.Name == name }) {
			if err := d.set(r, want{Name: name}); err != nil {
				return err
			}
		}
	}
	for _, w := range wants {
		if err := d.set(r, w); err != nil {
			return err
		}
	}
	return nil
}

// attrNames lists the attributes of an element in the text and in edits, without captured output.
func (d *Document) attrNames(r ref) []string {
	var names []string
	for i := d.element(r).first; i != none; i = d.slots[i].next {
		k := d.keys.key(r.domain, &d.slots[i])
		if k == nil || k.name == "" || d.slots[i].structured {
			continue
		}
		if _, found := decodeValue(d.raw(i)); found&unknownEntity == 0 {
			names = append(names, k.name)
		}
	}
	e := d.edits.of(r)
	if e.New != nil {
		names = append(names, e.New.shadowed...)
	}
	for w := range e.wants() {
		names = append(names, w.Name)
	}
	return slices.DeleteFunc(names, func(name string) bool { return r.domain == ofNode && graph.Captured(name) })
}

// removeNode frees the id for another node. The edit of the node is kept in case it is added again.
func (d *Document) removeNode(id string) error {
	number, ok := d.nodeNumber[id]
	if !ok {
		return fmt.Errorf("no node %q", id)
	}
	delete(d.nodeNumber, id)
	d.change(ref{ofNode, number}, func(e *edit) { e.Removed = true })
	return nil
}

func (d *Document) removeEdge(key int) error {
	number, ok := d.edgeNumber(key)
	if !ok || d.edits.edges[number].gone() {
		return fmt.Errorf("no edge with key %d", key)
	}
	d.change(ref{ofEdge, number}, func(e *edit) { e.Removed = true })
	return nil
}

// nodeWants lists the attributes of a node in the order in which a new element gets them.
func nodeWants(n *graph.NodeSpec) []want {
	return append(presentOnly(
		want{"label", n.Label, n.HasLabel}, want{"name", n.Name, n.HasName}, want{"group", n.Group, n.HasGroup},
		want{"status", n.Status, n.HasStatus}, want{"x", n.X, n.HasX}, want{"y", n.Y, n.HasY},
	), extraWants(n.Extra)...)
}

func edgeWants(e *graph.AddEdge) []want {
	return append(presentOnly(
		want{"id", e.ID, e.HasID}, want{"edge_type", e.Type, e.HasType}, want{"status", e.Status, e.HasStatus},
	), extraWants(e.Extra)...)
}

// presentOnly keeps attributes that have a text or are marked as present.
func presentOnly(all ...want) []want {
	kept := all[:0]
	for _, w := range all {
		if w.Present = w.Present || w.Value != ""; w.Present {
			kept = append(kept, w)
		}
	}
	return kept
}

// extraWants sorts the attributes, so that the same edit always gives the same bytes.
func extraWants(extra map[string]string) []want {
	var wants []want
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		wants = append(wants, want{name, extra[name], true})
	}
	return wants
}

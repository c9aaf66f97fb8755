package graphml

import (
	"fmt"
	"maps"
	"slices"

	"wf/graph"
)

// Apply does to the document what op did to the graph, so that both stay equal. op is the done op
// that graph.Graph.Apply returned: keys are filled in, and the removal of a node brings the
// removals of its edges. An element that comes back under its old key takes its old place and
// bytes again.
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

// addNode brings a node of the text back under its key, or adds one that the text does not have. An
// added node keeps its number when it is removed and comes back, as undo and redo make it do.
func (d *Document) addNode(op graph.AddNode) error {
	n := &op.Node
	if _, exists := d.nodeNumber[n.ID]; exists {
		return fmt.Errorf("node %s: exists already", n.ID)
	}
	if !isWritable(n.ID) {
		return fmt.Errorf("node %q: its id holds a character that XML cannot hold", n.ID)
	}
	number, ok := d.oldNode(n.Key)
	if ok && d.nodeID(number) != n.ID {
		return fmt.Errorf("node %s: key %d belongs to node %s", n.ID, n.Key, d.nodeID(number))
	}
	if !ok {
		number = int32(len(d.nodes))
		d.nodes = append(d.nodes, element{start: added, first: none})
		d.nodeEdits = append(d.nodeEdits, nil)
		d.newNodes[n.Key] = number
		d.change(ref{ofNode, number}, func(e *edit) {
			e.removed = true // until it is revived below
			e.new = &newElementSpec{id: n.ID, key: n.Key, parent: op.Parent, container: n.Container}
			e.new.shadowed = d.shadowed(ofNode, n.Inherited, "label", "name", "group", "status", "x", "y")
		})
	}
	d.nodeNumber[n.ID] = number
	return d.revive(ref{ofNode, number}, nodeWants(n))
}

// oldNode finds a node by key that is in the text or was added before, removed or not.
func (d *Document) oldNode(key int) (int32, bool) {
	if d.keyByNumber == nil && key >= 0 && key < len(d.nodes) && d.nodes[key].start != added {
		return int32(key), true
	}
	number, ok := d.newNodes[key]
	return number, ok
}

// nodeID returns the id of a node, also of a removed one, which has no entry by id.
func (d *Document) nodeID(number int32) string {
	if e := d.nodeEdits[number]; e != nil && e.new != nil {
		return e.new.id
	}
	id, _ := d.xmlAttr(ref{ofNode, number}, "id")
	return id
}

// addEdge is addNode for edges. Their keys are never used for another edge, so that the ends need no
// comparison.
func (d *Document) addEdge(op graph.AddEdge) error {
	number, ok := d.edgeNumber(op.Key)
	if !ok {
		number = int32(len(d.edges))
		d.edges = append(d.edges, element{start: added, first: none})
		d.edgeEdits = append(d.edgeEdits, nil)
		d.newEdges[op.Key] = number
		d.change(ref{ofEdge, number}, func(e *edit) {
			e.removed = true
			e.new = &newElementSpec{key: op.Key, source: op.Source, target: op.Target}
			e.new.shadowed = d.shadowed(ofEdge, op.Inherited, "id", "edge_type", "status")
		})
	}
	r := ref{ofEdge, number}
	if !d.editOf(r).gone() {
		return fmt.Errorf("edge %s -> %s: key %d belongs to another edge", op.Source, op.Target, op.Key)
	}
	return d.revive(r, edgeWants(&op))
}

// shadowed lists those of the attributes that have a default in the file which the graph does not
// know of for an added element.
func (d *Document) shadowed(dom domain, known []graph.Attr, names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		return inherited(d.defaults[dom], name) == "" || hasAttr(known, name)
	})
}

// revive brings a removed element back with exactly these attributes. Captured output, which the
// graph does not know, is as it was before the removal.
func (d *Document) revive(r ref, wants []want) error {
	d.change(r, func(e *edit) { e.removed = false })
	for _, name := range d.attrNames(r) {
		if !slices.ContainsFunc(wants, func(w want) bool { return w.name == name }) {
			if err := d.set(r, want{name: name}); err != nil {
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

// attrNames lists the attributes of an element that a graph holds, by the text and by edits.
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
	e := d.editOf(r)
	if e.new != nil {
		names = append(names, e.new.shadowed...)
	}
	for _, w := range e.wants {
		names = append(names, w.name)
	}
	return slices.DeleteFunc(names, func(name string) bool { return r.domain == ofNode && graph.Captured(name) })
}

// removeNode frees the id for another node. What is wanted of the node is kept for its return.
func (d *Document) removeNode(id string) error {
	number, ok := d.nodeNumber[id]
	if !ok {
		return fmt.Errorf("no node %q", id)
	}
	delete(d.nodeNumber, id)
	d.change(ref{ofNode, number}, func(e *edit) { e.removed = true })
	return nil
}

func (d *Document) removeEdge(key int) error {
	number, ok := d.edgeNumber(key)
	if !ok || d.edgeEdits[number].gone() {
		return fmt.Errorf("no edge with key %d", key)
	}
	d.change(ref{ofEdge, number}, func(e *edit) { e.removed = true })
	return nil
}

// nodeWants lists the attributes of a node in the order in which a new element has them.
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

// presentOnly keeps what is there: a text, or the word that an empty one is meant.
func presentOnly(all ...want) []want {
	kept := all[:0]
	for _, w := range all {
		if w.present = w.present || w.value != ""; w.present {
			kept = append(kept, w)
		}
	}
	return kept
}

// extraWants is sorted, so that the same edit always gives the same bytes.
func extraWants(extra map[string]string) []want {
	var wants []want
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		wants = append(wants, want{name, extra[name], true})
	}
	return wants
}

package graphml

import (
	"fmt"
	"slices"

	"wf/graph"
)

// A spot is where a node is written that is added, or that was moved to another container than in the text. An element that was
// moved keeps its bytes. Nodes at the same spot are in the order of their ranks.
type spot struct {
	Parent string `json:"parent,omitempty"` // id of the container; "" = none
	Near   int32  `json:"near"`             // number of a node of the text beside which it is; none = behind all nodes of the container
	Behind bool   `json:"behind,omitempty"` // behind that node, or in front of it
	Rank   int    `json:"rank"`
	Home   bool   `json:"home,omitempty"` // where the text has it; then only Parent counts
}

// spotOf returns the spot of a node; ok is false if the node is where the text has it.
func (d *Document) spotOf(number int32) (s spot, ok bool) {
	e := d.edits.nodes[number]
	switch {
	case e.moved():
		return e.Spots[e.At-1], true
	case e != nil && e.New != nil: // as versions before 2026-12 kept it
		return spot{Parent: e.New.Parent, Near: none}, true
	}
	return spot{}, false
}

// parentOf returns the number of the container of a node, or none.
func (d *Document) parentOf(number int32) int32 {
	s, ok := d.spotOf(number)
	if !ok {
		return d.textParent(number)
	}
	if parent, known := d.nodeNumber[s.Parent]; known {
		return parent
	}
	return none
}

// textParent returns the container of a node in the text, or none.
func (d *Document) textParent(number int32) int32 { return d.graphs[d.nodes[number].graph].owner }

// within reports whether a node is a container or lies in it.
func (d *Document) within(number, container int32) bool {
	for steps := 0; number != none && steps <= len(d.nodes); steps++ {
		if number == container {
			return true
		}
		number = d.parentOf(number)
	}
	return false
}

// inPlace reports whether a moved node is written where the text has it: the containers around it are removed, and it has moved
// behind the outermost of them.
func (d *Document) inPlace(number int32) bool {
	s, ok := d.spotOf(number)
	if !ok || s.Near == none || !s.Behind || d.nodes[number].start == added {
		return false
	}
	for at := number; ; {
		owner := d.textParent(at)
		if owner == none || !d.edits.nodes[owner].gone() || !d.onlyGraph(owner) ||
			len(d.declarations(d.nodes[at].graph)) > len(d.declarations(d.nodes[owner].graph)) {
			return false
		}
		if owner == s.Near {
			return true
		}
		at = owner
	}
}

// onlyGraph reports whether a node of the text contains exactly one graph.
func (d *Document) onlyGraph(node int32) bool {
	first := d.graphIn(node)
	return first != none && !slices.ContainsFunc(d.graphs[first+1:], func(g graphElement) bool { return g.owner == node })
}

// A mover writes nodes and edges at other places.
type mover struct{ *Document }

// moveNode writes a node at another place.
func (d mover) moveNode(op graph.MoveNode) error {
	number, ok := d.nodeNumber[op.ID]
	if !ok {
		return fmt.Errorf("no node %q", op.ID)
	}
	parent := int32(none)
	if op.Parent != "" {
		if parent, ok = d.nodeNumber[op.Parent]; !ok {
			return fmt.Errorf("node %s: its container %q does not exist", op.ID, op.Parent)
		}
	}
	if len(op.Keys) > 0 {
		d.setKeys(number, op.Keys)
	}
	if to := d.spotsOf(number) + op.Step; op.Step != 0 && d.parentAt(number, to) == parent {
		d.change(ref{ofNode, number}, func(e *edit) { e.At = to })
		return nil
	}
	s := d.spotFor(number, parent, op.Parent)
	d.change(ref{ofNode, number}, func(e *edit) { e.putSpot(s) })
	return nil
}

// spotsOf returns how many spots of a node count.
func (d mover) spotsOf(number int32) int {
	if e := d.edits.nodes[number]; e != nil {
		return e.At
	}
	return 0
}

// parentAt returns the container in which a node was when so many of its spots counted. It returns later if there are not so many,
// or if that container is removed.
func (d mover) parentAt(number int32, spots int) int32 {
	e := d.edits.nodes[number]
	switch {
	case e == nil || spots < 0 || spots > len(e.Spots):
		return later
	case spots == 0 && e.New == nil:
		return d.textParent(number)
	case spots == 0:
		return d.alive(e.New.Parent)
	}
	return d.alive(e.Spots[spots-1].Parent)
}

// alive returns the number of the node with an id, none for "", later if it is removed.
func (d mover) alive(id string) int32 {
	if id == "" {
		return none
	}
	if number, ok := d.nodeNumber[id]; ok {
		return number
	}
	return later
}

// putSpot moves a node to a spot. What undo has taken back can be repeated no more.
func (e *edit) putSpot(s spot) {
	e.Spots = append(e.Spots[:e.At:e.At], s)
	e.At++
}

// spotFor returns the spot for a node that is moved: where the text has it, otherwise behind the container that it leaves,
// otherwise behind all nodes.
func (d mover) spotFor(number, parent int32, id string) spot {
	if d.nodes[number].start != added && d.textParent(number) == parent {
		return spot{Parent: id, Near: none, Home: true}
	}
	if at, placed := d.spotOf(number); placed && d.parentOf(number) == parent {
		return at
	}
	d.ranks++
	s := spot{Parent: id, Near: none, Rank: d.ranks}
	for left, steps := d.parentOf(number), 0; left != none && steps <= len(d.nodes); left, steps = d.parentOf(left), steps+1 {
		if d.parentOf(left) != parent {
			continue
		}
		if at, placed := d.spotOf(left); placed {
			s.Near, s.Behind = at.Near, at.Behind
		} else {
			s.Near, s.Behind = left, true
		}
		break
	}
	return s
}

// newSpot returns the spot of a new node, in front of another one if that is in the same container.
func (d mover) newSpot(parent, before string) spot {
	d.ranks++
	s := spot{Parent: parent, Near: none, Rank: d.ranks}
	number, ok := d.nodeNumber[before]
	if !ok || before == "" {
		return s
	}
	owner := int32(none)
	if parent != "" {
		owner = d.nodeNumber[parent]
	}
	if d.parentOf(number) != owner {
		return s
	}
	if at, placed := d.spotOf(number); placed {
		s.Near, s.Behind = at.Near, at.Behind
	} else {
		s.Near = number
	}
	return s
}

// moveEdge connects an edge to other nodes.
func (d mover) moveEdge(op graph.MoveEdge) error {
	number, ok := d.edgeNumber(op.Key)
	if !ok || d.edits.edges[number].gone() {
		return fmt.Errorf("no edge with key %d", op.Key)
	}
	to := endIDs{op.Source, op.Target}
	d.change(ref{ofEdge, number}, func(e *edit) {
		switch {
		case e.New != nil:
			e.New.Source, e.New.Target = op.Source, op.Target
		case d.ends(number) == to:
			e.Ends = nil
		default:
			e.Ends = &to
		}
	})
	return nil
}

// endsOf returns the nodes that an edge connects.
func (d *Document) endsOf(number int32) endIDs {
	switch e := d.edits.edges[number]; {
	case e == nil:
	case e.New != nil:
		return endIDs{e.New.Source, e.New.Target}
	case e.Ends != nil:
		return *e.Ends
	}
	return d.ends(number)
}

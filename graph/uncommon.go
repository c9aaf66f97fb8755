package graph

import "slices"

// uncommon contains the values that few elements have. It is separate to keep Node and Edge small. A nil
// *uncommon is empty.
type uncommon struct {
	inherited                []Attr // see NodeSpec
	statusText, edgeTypeText string // of oddStatus and oddType
	included                 *included
	part                     *Graph // see Node.Part
	partProblem              string // see Node.PartProblem
}

// inherit returns the inherited value of an attribute, or "".
func (r *uncommon) inherit(name string) string {
	if r != nil {
		for _, a := range r.inherited {
			if a.Name == name {
				return a.Value
			}
		}
	}
	return ""
}

// holds reports whether there is an inherited value.
func (r *uncommon) holds(name string) bool {
	return r != nil && slices.ContainsFunc(r.inherited, func(a Attr) bool { return a.Name == name })
}

// all returns all inherited values.
func (r *uncommon) all() []Attr {
	if r == nil {
		return nil
	}
	return r.inherited
}

// Inherited returns the inherited values of the node (see NodeSpec). The caller must not change the
// slice, which is nil for most nodes.
func (n *Node) Inherited() []Attr { return n.uncommon.all() }

// Inherited returns the inherited values of the edge, like Node.Inherited.
func (e *Edge) Inherited() []Attr { return e.uncommon.all() }

// orNew returns r, or an empty one to write to.
func (r *uncommon) orNew() *uncommon {
	if r == nil {
		return &uncommon{}
	}
	return r
}

package graph

import "slices"

// rare is what few elements have, apart so that the others stay small. A nil one is empty.
type rare struct {
	inherited                []Attr // see NodeSpec
	statusText, edgeTypeText string // of oddStatus and oddType
}

// inherit returns the value that holds while the element itself lacks the attribute.
func (r *rare) inherit(name string) string {
	if r != nil {
		for _, a := range r.inherited {
			if a.Name == name {
				return a.Value
			}
		}
	}
	return ""
}

// holds says whether there is such a value.
func (r *rare) holds(name string) bool {
	return r != nil && slices.ContainsFunc(r.inherited, func(a Attr) bool { return a.Name == name })
}

// all returns the values that hold while the element itself lacks the attributes.
func (r *rare) all() []Attr {
	if r == nil {
		return nil
	}
	return r.inherited
}

// Inherited returns the values that hold while the node itself lacks the attributes. The slice is for
// reading; most nodes have none.
func (n *Node) Inherited() []Attr { return n.rare.all() }

// Inherited returns the values that hold while the edge itself lacks the attributes, as that of a Node.
func (e *Edge) Inherited() []Attr { return e.rare.all() }

// orNew returns r, or an empty one to write to.
func (r *rare) orNew() *rare {
	if r == nil {
		return &rare{}
	}
	return r
}

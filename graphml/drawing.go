package graphml

import "wf/graph"

func (b *builder) draw(i int, n *graph.NodeSpec) (group bool) { return false }
func (b *builder) drawEdge(i int, e *graph.EdgeSpec)          {}
func inheritedLabel(n *graph.NodeSpec) bool                   { return inherited(n.Inherited, "label") != "" }

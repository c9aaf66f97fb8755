package expression

import "github.com/expr-lang/expr/ast"

// previousName returns the NAME of previous.NAME, or "" if n is something else. s is the scope of the while or
// until that NAME belongs to, up levels around the text.
func (c *compiler) previousName(n ast.Node) (name string, s *Scope, up int) {
	m, ok := n.(*ast.MemberNode)
	if !ok {
		return "", nil, 0
	}
	root, ok := m.Node.(*ast.IdentifierNode)
	if _, shadowed := c.lets["previous"]; !ok || root.Value != "previous" || shadowed {
		return "", nil, 0
	}
	at := m.Property.Location().From
	key, constant := m.Property.(*ast.StringNode)
	if !constant {
		fail(at, "the name of a node must be a constant: previous.NAME or previous[\"NAME\"]")
	}
	for s = c.scope; s != nil && !s.Iteration; s, up = s.Parent, up+1 {
	}
	if s == nil {
		failWith(root.Location().From, "instances of foreach and times may run at once, so there is no previous one", "there is no previous here: no while or until around it")
	}
	c.checkDashes(at, "previous", key.Value)
	if s.Previous == nil || !s.Previous(key.Value) {
		remedy := "previous contains the nodes of the container that repeats"
		if s.Node != nil && s.Node(key.Value) {
			remedy += "; write " + nodeText(key.Value)
		}
		failWith(at, remedy, "no node %q in the while or until around this", key.Value)
	}
	return key.Value, s, up
}

// ofPrevious compiles previous.NAME.FIELD. In the first iteration it is that of a node that has not run.
func (c *compiler) ofPrevious(n *ast.MemberNode, name string, s *Scope, up int) op {
	text := memberText("previous", name)
	field := c.fieldOf(n, text)
	at := n.Property.Location().From
	if ofInstances(field) && s.Results != nil && !s.Results(name) {
		failWith(at, "write "+text+".outputs.KEY", "node %s is not a sub-flow and has no %s", name, field)
	}
	return func(v *evaluation) any {
		env := v.env
		for range up {
			if env = env.Parent; env == nil {
				fail(at, "there is no previous now")
			}
		}
		var node Node
		if env.Previous != nil {
			node = env.Previous(name)
		}
		return v.field(at, node, "", field)
	}
}

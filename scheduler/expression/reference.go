package expression

import "github.com/expr-lang/expr/ast"

// A nodeRef is nodes.NAME or previous.NAME.
type nodeRef struct {
	root, name string
	scope      *Scope // of the text, or of the while or until that previous.NAME belongs to
	up         int    // how many levels around the text that scope is
}

func (ref nodeRef) text() string { return Member(ref.root, ref.name) }

// reference returns the node that nodes.NAME or previous.NAME refers to. ok is false if n is another expression.
func (c *compiler) reference(n ast.Node) (ref nodeRef, ok bool) {
	m, ok := n.(*ast.MemberNode)
	if !ok {
		return ref, false
	}
	root, ok := m.Node.(*ast.IdentifierNode)
	if !ok || root.Value != "nodes" && root.Value != "previous" {
		return ref, false
	}
	if _, shadowed := c.lets[root.Value]; shadowed {
		return ref, false
	}
	at := m.Property.Location().From
	key, constant := m.Property.(*ast.StringNode)
	if !constant {
		fail(at, "the name of a node must be a constant: %s.NAME or %s[\"NAME\"]", root.Value, root.Value)
	}
	ref = nodeRef{root.Value, key.Value, c.scope, 0}
	if root.Value == "nodes" {
		c.checkNode(at, ref)
	} else {
		ref.scope, ref.up = c.loopAround(root.Location().From)
		c.checkPrevious(at, ref)
	}
	return ref, true
}

// checkNode rejects a name that no visible node has, and records the others.
func (c *compiler) checkNode(at int, ref nodeRef) {
	c.checkDashes(at, ref)
	if c.scope.Node == nil || !c.scope.Node(ref.name) {
		remedy := ""
		if c.scope.Hint != nil {
			remedy = c.scope.Hint(ref.name)
		}
		failWith(at, remedy, "no node %q can be seen from here", ref.name)
	}
	addTo(&c.names.Nodes, ref.name)
}

// loopAround returns the scope of the innermost while or until around the text, and how many levels around it that is.
func (c *compiler) loopAround(at int) (s *Scope, up int) {
	for s = c.scope; s != nil && !s.Iteration; s, up = s.Parent, up+1 {
	}
	if s == nil {
		failWith(at, "instances of foreach and times may run at once, so there is no previous one", "there is no previous here: no while or until around it")
	}
	return s, up
}

// checkPrevious rejects a name that no node of the while or until has.
func (c *compiler) checkPrevious(at int, ref nodeRef) {
	c.checkDashes(at, ref)
	if s := ref.scope; s.Previous == nil || !s.Previous(ref.name) {
		remedy := "previous contains the nodes of the container that repeats"
		if s.Node != nil && s.Node(ref.name) {
			remedy += "; write " + Member("nodes", ref.name)
		}
		failWith(at, remedy, "no node %q in the while or until around this", ref.name)
	}
}

// ofNode compiles nodes.NAME.FIELD and previous.NAME.FIELD. In the first iteration, a previous node is one that has not run.
func (c *compiler) ofNode(n *ast.MemberNode, ref nodeRef) op {
	field := c.fieldOf(n, ref.text())
	at := n.Property.Location().From
	if ofInstances(field) && ref.scope.Results != nil && !ref.scope.Results(ref.name) {
		failWith(at, "write "+ref.text()+".outputs.KEY", "node %s is not a sub-flow and has no %s", ref.name, field)
	}
	if field == "stdout" && ref.scope.Results != nil && ref.scope.Results(ref.name) {
		failWith(at, "write "+ref.text()+".results[i].NODE.stdout", "node %s is a sub-flow and prints nothing", ref.name)
	}
	if field == "stdout" {
		addTo(&c.names.Printed, ref.name)
	}
	return func(v *evaluation) any {
		env, kept := v.around(at, ref.up, ref.root), ref.name
		lookup := env.Node
		if ref.root == "previous" {
			lookup, kept = env.Previous, ""
		}
		var node Node
		if lookup != nil {
			node = lookup(ref.name)
		}
		return v.field(at, node, kept, field)
	}
}

// around returns the environment that encloses the text by up levels. name is what the text refers to.
func (v *evaluation) around(at, up int, name string) *Env {
	env := v.env
	for range up {
		if env = env.Parent; env == nil {
			fail(at, "there is no %s now", name)
		}
	}
	return env
}

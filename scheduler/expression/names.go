package expression

import (
	"slices"
	"strings"
	"unicode"

	"github.com/expr-lang/expr/ast"
)

// roots are the names with which an expression refers to the run. attempt is one only in texts of resources.
var roots = []string{"params", "nodes", "env", "run", "trigger", "kv", "item", "index", "iteration", "previous", "parent"}

const rootAttempt = "attempt"

// root compiles a name without a member.
func (c *compiler) root(n *ast.IdentifierNode) op {
	at := n.Location().From
	if slot, ok := c.lets[n.Value]; ok {
		return func(v *evaluation) any { return v.variables[slot] }
	}
	c.varies = true
	switch n.Value {
	case "item", "index", "iteration":
		return c.ofSubFlow(at, n.Value, c.scope, 0)
	case rootAttempt:
		if !c.scope.Attempt {
			failWith(at, "use it in cpus, mem, gpus or time", "attempt is not known here")
		}
		return func(v *evaluation) any { return v.env.Attempt }
	case "params":
		if len(c.scope.Secrets) > 0 {
			failWith(at, "write params.NAME", "params alone would contain the secret %s", c.scope.Secrets[0])
		}
		return func(v *evaluation) any {
			if v.env.Params == nil {
				return map[string]any{}
			}
			return v.env.Params
		}
	}
	if members := rootMembers[n.Value]; members != "" {
		fail(at, "%s alone has no value; write %s", n.Value, members)
	}
	c.unknown(at, n.Value)
	return nil
}

// rootMembers is how the members of a root are written that has no value itself.
var rootMembers = map[string]string{
	"nodes":    "nodes.NAME.outputs.KEY, .stdout, .exit_code, .status or .results",
	"previous": "previous.NAME.outputs.KEY, .stdout, .exit_code, .status or .results",
	"env":      "env.NAME",
	"kv":       "kv.NAME",
	"run":      "run.id or run.workfile",
	"trigger":  "trigger.name, .time, .files, .body or .event",
	"parent":   "parent.item, parent.index or parent.iteration",
}

// unknown rejects a name, with the most similar known name as a suggestion.
func (c *compiler) unknown(at int, name string) {
	for _, root := range []string{"nodes", "previous", "kv"} {
		if whole := c.dashed(at, root); whole != "" {
			failWith(at, "write "+Member(root, whole), "%s.%s is a subtraction", root, whole)
		}
	}
	known := slices.Clone(roots)
	if c.scope.Attempt {
		known = append(known, rootAttempt)
	}
	for let := range c.lets {
		known = append(known, let)
	}
	slices.Sort(known)
	remedy := DidYouMean(name, known)
	switch {
	case slices.Contains(c.scope.Params, name):
		remedy = "write params." + name
	case c.scope.Node != nil && c.scope.Node(name):
		remedy = "write nodes." + name + ", or \"" + name + "\" for the text"
	case remedy == "":
		remedy = "write texts in quotes; names are " + strings.Join(roots, ", ")
	}
	failWith(at, remedy, "unknown name %q", name)
}

// dashed returns the name with dashes that follows a root and contains the position at, for example a-b for
// nodes.a-b; "" if there is none.
func (c *compiler) dashed(at int, root string) string {
	isName := func(r rune) bool { return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	from := at
	for from > 0 && isName(c.text[from-1]) {
		from--
	}
	prefix := []rune(root + ".")
	if from < len(prefix) || string(c.text[from-len(prefix):from]) != string(prefix) {
		return ""
	}
	to := at
	for to < len(c.text) && isName(c.text[to]) {
		to++
	}
	if whole := strings.TrimRight(string(c.text[from:to]), "-"); strings.Contains(whole, "-") {
		return whole
	}
	return ""
}

// ofSubFlow compiles item, index or iteration. s is the scope that encloses the text by up levels.
func (c *compiler) ofSubFlow(at int, name string, s *Scope, up int) op {
	for ; s != nil; s, up = s.Parent, up+1 {
		if name == "item" && s.Item || name == "index" && s.Index || name == "iteration" && s.Iteration {
			break
		}
	}
	if s == nil {
		fail(at, "there is no %s here: no %s around it", name,
			map[string]string{"item": "foreach", "index": "foreach or times", "iteration": "while or until"}[name])
	}
	return func(v *evaluation) any {
		env := v.around(at, up, name)
		switch name {
		case "item":
			return normalized(env.Item)
		case "index":
			return env.Index
		}
		return env.Iteration
	}
}

// rooted compiles a member of one of the roots. ok is false if n is none.
func (c *compiler) rooted(n *ast.MemberNode) (o op, ok bool) {
	defer func() { c.varies = c.varies || ok }()
	root, ok := n.Node.(*ast.IdentifierNode)
	if !ok {
		if s, up := c.around(n.Node); s != nil {
			return c.ofParent(n, s, up), true
		}
		if ref, ok := c.reference(n.Node); ok {
			return c.ofNode(n, ref), true
		}
		return nil, false
	}
	if _, shadowed := c.lets[root.Value]; shadowed {
		return nil, false
	}
	switch root.Value {
	case "params", "env", "run", "trigger", "kv":
		key, constant := n.Property.(*ast.StringNode)
		if !constant {
			fail(n.Location().From, "the name after %s must be a constant: %s.NAME or %s[\"NAME\"]", root.Value, root.Value, root.Value)
		}
		if root.Value == "params" && slices.Contains(c.scope.Secrets, key.Value) {
			if !c.scope.ForCommand || c.whole != ast.Node(n) {
				failWith(root.Location().From, "a line of env may contain it: ${{ params."+key.Value+" }}", "the parameter %s is secret, and only commands get to see it", key.Value)
			}
			c.secret = true
		}
		if root.Value == "env" && slices.Contains(c.scope.Hidden, key.Value) {
			failWith(root.Location().From, "its commands have it as $"+key.Value, "the variable %s is secret, and only commands get to see it", key.Value)
		}
		return c.ofRoot(n.Property.Location().From, root.Value, key.Value), true
	case "parent":
		s, up := c.around(n.Node)
		return c.ofParent(n, s, up), true
	case "previous", "nodes":
		ref, _ := c.reference(n)
		what := ref.text()
		if root.Value == "nodes" {
			what = "node " + ref.name
		}
		failWith(n.Location().From, "write "+ref.text()+".outputs.KEY, .stdout, .exit_code, .status or .results", "%s alone has no value", what)
	}
	return nil, false
}

// ofRoot compiles params.NAME, env.NAME, run.NAME and trigger.NAME.
func (c *compiler) ofRoot(at int, root, key string) op {
	switch root {
	case "kv":
		return c.ofStore(at, key)
	case "params":
		if !slices.Contains(c.scope.Params, key) {
			remedy := DidYouMean(key, c.scope.Params)
			if len(c.scope.Params) == 0 {
				remedy = "the graph attribute params declares parameters"
			}
			failWith(at, remedy, "no parameter %q", key)
		}
		return func(v *evaluation) any { return normalized(v.env.Params[key]) }
	case "env":
		return func(v *evaluation) any {
			if v.env.Variable == nil {
				return ""
			}
			return v.env.Variable(key)
		}
	}
	switch {
	case root == "trigger" && key == "name":
		return func(v *evaluation) any { return v.env.Run.Trigger }
	case root == "trigger" && key == "time":
		return func(v *evaluation) any { return v.env.Run.TriggerTime }
	case root == "trigger" && key == "body":
		return func(v *evaluation) any { return v.env.Run.TriggerBody }
	case root == "trigger" && key == "event":
		return func(v *evaluation) any { return v.env.Run.TriggerEvent }
	case root == "trigger" && key == "files":
		return func(v *evaluation) any { return normalized(v.env.Run.TriggerFiles) }
	case root == "trigger":
		fail(at, "trigger has no %q, only name, time, files, body and event", key)
	}
	switch key {
	case "id":
		return func(v *evaluation) any { return v.env.Run.ID }
	case "workfile":
		return func(v *evaluation) any { return v.env.Run.Workfile }
	}
	fail(at, "run has no %q, only id and workfile", key)
	return nil
}

// around returns the scope of parent, parent.parent and so on, or nil if n is another expression.
func (c *compiler) around(n ast.Node) (s *Scope, up int) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if _, shadowed := c.lets[n.Value]; n.Value != "parent" || shadowed {
			return nil, 0
		}
		if c.scope.Parent == nil {
			fail(n.Location().From, "there is no parent here: no sub-flow around it")
		}
		return c.scope.Parent, 1
	case *ast.MemberNode:
		if key, ok := n.Property.(*ast.StringNode); !ok || key.Value != "parent" {
			return nil, 0
		}
		if s, up = c.around(n.Node); s == nil {
			return nil, 0
		}
		if s.Parent == nil {
			fail(n.Location().From, "there is no further parent here")
		}
		return s.Parent, up + 1
	}
	return nil, 0
}

func (c *compiler) ofParent(n *ast.MemberNode, s *Scope, up int) op {
	at := n.Property.Location().From
	key, _ := n.Property.(*ast.StringNode)
	if key == nil || key.Value != "item" && key.Value != "index" && key.Value != "iteration" {
		fail(at, "parent has only item, index, iteration and parent")
	}
	return c.ofSubFlow(at, key.Value, s, up)
}

// checkDashes rejects nodes.a-b, which the language reads as a subtraction and people as a name.
func (c *compiler) checkDashes(at int, ref nodeRef) {
	whole := c.dashed(at, ref.root)
	if whole == "" || c.text[at] == '"' || c.text[at] == '\'' || c.text[at] == '`' {
		return
	}
	if strings.HasPrefix(whole, ref.name+"-") {
		failWith(at, "write "+Member(ref.root, whole), "%s.%s is a subtraction", ref.root, whole)
	}
}

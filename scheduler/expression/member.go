package expression

import (
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// instance is one element of nodes.NAME.results.
type instance map[string]Node

var nodeFields = []string{"outputs", "stdout", "exit_code", "status", "results", "arrivals"}

// member compiles a.b and a[b].
func (c *compiler) member(n *ast.MemberNode) op {
	if o, ok := c.rooted(n); ok {
		return o
	}
	of, key := c.node(n.Node), c.node(n.Property)
	at, optional := n.Property.Location().From, n.Optional
	row := !optional && c.isRow(n.Node)
	_, constant := n.Property.(*ast.StringNode)
	c.innerStdout(n)
	return func(v *evaluation) any {
		value := of(v)
		if value == nil && optional {
			panic(missing{})
		}
		name := key(v)
		if row {
			checkColumn(at, value, name)
		}
		if _, isNode := value.(Node); isNode && name == "stdout" && !constant {
			failWith(at, "write .stdout, so that the run keeps it", "what a node printed has no computed name")
		}
		return fetch(v, at, value, name)
	}
}

// isRow reports whether an expression is item, or parent.item, of a sub-flow with a table.
func (c *compiler) isRow(n ast.Node) bool {
	s := c.scope
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if n.Value != "item" { // let cannot redeclare it
			return false
		}
	case *ast.MemberNode:
		key, constant := n.Property.(*ast.StringNode)
		if !constant || key.Value != "item" {
			return false
		}
		if s, _ = c.around(n.Node); s == nil {
			return false
		}
	default:
		return false
	}
	for s != nil && !s.Item {
		s = s.Parent
	}
	return s != nil && s.Row
}

// checkColumn refuses a column that a row does not have.
func checkColumn(at int, row, column any) {
	cells, isRow := row.(map[string]any)
	name, isName := column.(string)
	if !isRow || !isName {
		return
	}
	if _, known := cells[name]; known {
		return
	}
	columns := slices.Sorted(maps.Keys(cells))
	remedy := DidYouMean(name, columns)
	if remedy == "" {
		remedy = "it has " + strings.Join(columns, ", ") + "; write item?." + name + " if it may be missing"
	}
	failWith(at, remedy, "the table has no column %q", name)
}

// fetch returns a part of a value. A missing key of a map gives nil, like an output that a node has not written.
func fetch(v *evaluation, at int, value, key any) any {
	switch x := value.(type) {
	case map[string]any:
		name, ok := key.(string)
		if !ok {
			fail(at, "the keys of a map are texts, not %s", describe(key))
		}
		return normalized(x[name])
	case []any:
		if name, ok := key.(string); ok {
			failWith(at, "map(LIST, #."+name+") gets it from each element", "a list has no %q", name)
		}
		return normalized(x[place(at, whole(at, key), len(x))])
	case string:
		failWith(at, "TEXT[0:1] is its first character", "a text has no %s", describeKey(key))
	case instance:
		return x.node(at, key)
	case Node:
		name, _ := key.(string)
		return v.field(at, x, "", name)
	case nil:
		failWith(at, "write ?. or ?[ if it may be nil", "%s of nil", describeKey(key))
	}
	fail(at, "%s has no %s", kindOf(value), describeKey(key))
	return nil
}

func describeKey(key any) string {
	if name, ok := key.(string); ok {
		return name
	}
	return "[" + Format(key) + "]"
}

// place returns an index from 0; negative ones count from the end.
func place(at, index, length int) int {
	if index < 0 {
		index += length
	}
	if index < 0 || index >= length {
		fail(at, "there is no element %d of %d", index, length)
	}
	return index
}

func (i instance) node(at int, key any) Node {
	name, ok := key.(string)
	if !ok {
		failWith(at, "write results[i].NODE.outputs.KEY", "an instance of a sub-flow has nodes, no %s", describeKey(key))
	}
	n, ok := i[name]
	if !ok {
		failWith(at, DidYouMean(name, slices.Sorted(maps.Keys(i))), "the sub-flow has no node %q", name)
	}
	return n
}

// ofInstances reports whether a field is a list of the instances of a sub-flow.
func ofInstances(field string) bool { return field == "results" || field == "arrivals" }

// fieldOf returns the field of a node, for example status in nodes.a.status; node is its spelling, for errors.
func (c *compiler) fieldOf(n *ast.MemberNode, node string) string {
	at := n.Property.Location().From
	key, constant := n.Property.(*ast.StringNode)
	if constant && slices.Contains(nodeFields, key.Value) {
		return key.Value
	}
	word := ""
	if constant {
		word = key.Value
	}
	remedy := DidYouMean(word, nodeFields)
	if word == "stderr" || word == "log" || word == "output" {
		remedy = "write " + node + ".stdout for what its command printed, " + node + ".outputs.NAME for what it wrote to the file $WF_OUTPUT"
	}
	if remedy == "" && constant {
		remedy = "write " + node + ".outputs." + word
	}
	failWith(at, remedy, "a node has only %s", strings.Join(nodeFields, ", "))
	return ""
}

// Member returns how a text refers to a member of a root, as in nodes.a or nodes["a-b"].
func Member(root, name string) string {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return root + "[\"" + name + "\"]"
		}
	}
	return root + "." + name
}

// field returns what a node has. name is that of a node outside of results, whose own results are kept.
func (v *evaluation) field(at int, n Node, name, field string) any {
	switch field {
	case "outputs":
		if n.Outputs == nil {
			return map[string]any{}
		}
		return n.Outputs
	case "stdout":
		return n.Stdout.value(at, "what the node printed", "let its command write what matters to the file $WF_OUTPUT, and write .outputs.NAME")
	case "exit_code":
		if n.ExitCode == nil {
			return nil
		}
		return *n.ExitCode
	case "status":
		return n.Status
	case "results":
		return v.resultsOf(at, n.Results, name)
	case "arrivals":
		if name != "" {
			name += "\x00arrivals" // separate from the results
		}
		return v.resultsOf(at, n.Arrivals, name)
	}
	failWith(at, DidYouMean(field, nodeFields), "a node has only %s", strings.Join(nodeFields, ", "))
	return nil
}

// resultsOf are instances, as a list that is made once for each name in an evaluation.
func (v *evaluation) resultsOf(at int, instances func() []map[string]Node, name string) any {
	if list, known := v.results[name]; known && name != "" {
		return list
	}
	if instances == nil {
		return []any{}
	}
	results := instances()
	v.spend(at, len(results))
	list := make([]any, len(results))
	for i := range results {
		list[i] = instance(results[i])
	}
	if name != "" {
		if v.results == nil {
			v.results = map[string][]any{}
		}
		v.results[name] = list
	}
	return list
}

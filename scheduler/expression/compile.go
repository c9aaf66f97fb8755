package expression

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr/ast"
)

// An op computes the value of a part of an expression. It panics with *failed.
type op func(v *evaluation) any

// A compiler turns a syntax tree into ops. The evaluator of the library is not used: it counts neither
// steps nor the sizes of texts, so that nested loops or doubled texts would hang or fill a daemon, and
// for missing values some of its operators are silently false.
type compiler struct {
	text  []rune
	whole ast.Node // the expression
	scope *Scope
	lets  map[string]int // variable to slot
	slots int
	loops int // around the present place
	names Names

	varies bool // it contains a name of a run, now or uuid
	secret bool // the text is a secret parameter
}

func (c *compiler) all(n ast.Node) (o op, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			known, ok := failure.(*failed)
			if !ok {
				panic(failure)
			}
			err = known.in(c.text)
		}
	}()
	return c.node(n), nil
}

// node compiles any part. Each of its executions costs a step.
func (c *compiler) node(n ast.Node) op {
	if n == nil {
		fail(0, "a part is missing")
	}
	o, at := c.kind(n), n.Location().From
	switch n.(type) {
	case *ast.NilNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode:
		return o
	}
	return func(v *evaluation) any {
		v.spend(at, 1)
		return o(v)
	}
}

func (c *compiler) kind(n ast.Node) op {
	at := n.Location().From
	switch n := n.(type) {
	case *ast.NilNode:
		return constant(nil)
	case *ast.IntegerNode:
		return constant(n.Value)
	case *ast.FloatNode:
		return constant(n.Value)
	case *ast.BoolNode:
		return constant(n.Value)
	case *ast.StringNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		return c.root(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ChainNode:
		return c.chain(n)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.SliceNode:
		return c.slice(n)
	case *ast.CallNode:
		return c.call(n)
	case *ast.BuiltinNode:
		return c.builtin(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.VariableDeclaratorNode:
		return c.let(n)
	case *ast.SequenceNode:
		fail(at, "several expressions with ; between them: there can be one")
	case *ast.ArrayNode:
		return c.list(n)
	case *ast.MapNode:
		return c.mapping(n)
	case *ast.BytesNode:
		fail(at, "bytes are not supported; write a text")
	}
	fail(at, "this is not supported")
	return nil
}

func constant(value any) op { return func(*evaluation) any { return value } }

func (c *compiler) conditional(n *ast.ConditionalNode) op {
	cond, yes, no := c.truth(n.Cond), c.node(n.Exp1), c.node(n.Exp2)
	return func(v *evaluation) any {
		if cond(v) {
			return yes(v)
		}
		return no(v)
	}
}

// truth compiles a part that must be true or false.
func (c *compiler) truth(n ast.Node) func(v *evaluation) bool {
	o, at := c.node(n), n.Location().From
	return func(v *evaluation) bool {
		value := o(v)
		yes, ok := value.(bool)
		if !ok {
			failWith(at, remedyFor("neither true nor false", value), "%s is neither true nor false", kindOf(value))
		}
		return yes
	}
}

func (c *compiler) let(n *ast.VariableDeclaratorNode) op {
	if _, normalized := c.lets[n.Name]; normalized {
		fail(n.Location().From, "%s is declared twice", n.Name)
	}
	value, slot := c.node(n.Value), c.slots
	c.slots++
	if c.lets == nil {
		c.lets = map[string]int{}
	}
	c.lets[n.Name] = slot
	rest := c.node(n.Expr)
	delete(c.lets, n.Name)
	return func(v *evaluation) any {
		v.variables[slot] = value(v)
		return rest(v)
	}
}

func (c *compiler) list(n *ast.ArrayNode) op {
	items, at := c.nodes(n.Nodes), n.Location().From
	return func(v *evaluation) any {
		v.spend(at, len(items))
		list := make([]any, len(items))
		for i, item := range items {
			list[i] = item(v)
		}
		return list
	}
}

func (c *compiler) nodes(list []ast.Node) []op {
	ops := make([]op, len(list))
	for i := range list {
		ops[i] = c.node(list[i])
	}
	return ops
}

func (c *compiler) mapping(n *ast.MapNode) op {
	at := n.Location().From
	var keys, values []op
	for _, p := range n.Pairs {
		pair := p.(*ast.PairNode)
		keys, values = append(keys, c.node(pair.Key)), append(values, c.node(pair.Value))
	}
	return func(v *evaluation) any {
		v.spend(at, 2*len(keys))
		m := make(map[string]any, len(keys))
		for i := range keys {
			key, ok := keys[i](v).(string)
			if !ok {
				fail(at, "the key of a map must be a text")
			}
			m[key] = values[i](v)
		}
		return m
	}
}

// pointer compiles # and the like.
func (c *compiler) pointer(n *ast.PointerNode) op {
	if c.loops == 0 {
		fail(n.Location().From, "# stands outside of filter, map and the like")
	}
	switch n.Name {
	case "":
		return func(v *evaluation) any { return v.loops[len(v.loops)-1].item }
	case "index":
		return func(v *evaluation) any { return v.loops[len(v.loops)-1].index }
	case "acc":
		return func(v *evaluation) any { return v.loops[len(v.loops)-1].acc }
	}
	fail(n.Location().From, "#%s is unknown, only #, #index and #acc are", n.Name)
	return nil
}

// missing is the result of a chain in which ?. follows nil.
type missing struct{}

// chain compiles a.b?.c: the whole chain is nil if the value before a ?. is nil.
func (c *compiler) chain(n *ast.ChainNode) op {
	inner := c.node(n.Node)
	return func(v *evaluation) (value any) {
		loops := len(v.loops)
		defer func() {
			if failure := recover(); failure != nil {
				if _, ok := failure.(missing); !ok {
					panic(failure)
				}
				value, v.loops = nil, v.loops[:loops]
			}
		}()
		return inner(v)
	}
}

func (c *compiler) slice(n *ast.SliceNode) op {
	of, at := c.node(n.Node), n.Location().From
	from, to := constant(0), constant(math.MaxInt)
	if n.From != nil {
		from = c.node(n.From)
	}
	if n.To != nil {
		to = c.node(n.To)
	}
	return func(v *evaluation) any {
		switch x := of(v).(type) {
		case []any:
			a, b := bounds(whole(at, from(v)), whole(at, to(v)), len(x))
			return x[a:b:b]
		case string:
			v.spendFor(at, x)
			v.spend(at, len(x)/4)
			runes := []rune(x)
			a, b := bounds(whole(at, from(v)), whole(at, to(v)), len(runes))
			return string(runes[a:b])
		default:
			fail(at, "%s has no parts from and to", kindOf(x))
		}
		return nil
	}
}

// bounds counts negative places from the end and keeps within the length.
func bounds(from, to, length int) (int, int) {
	if from < 0 {
		from += length
	}
	if to < 0 {
		to += length
	}
	from, to = min(max(from, 0), length), min(max(to, 0), length)
	return min(from, to), to
}

// whole takes a value as a whole number.
func whole(at int, value any) int {
	switch x := value.(type) {
	case int:
		return x
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return int(x)
		}
	}
	fail(at, "%s is not a whole number", describe(value))
	return 0
}

// describe names a value in an error; a short value is quoted itself.
func describe(value any) string {
	text := Format(value)
	switch value.(type) {
	case string:
		if len(text) <= 40 {
			return fmt.Sprintf("the text %q", text)
		}
	case int, float64, bool:
		return text
	}
	return kindOf(value)
}

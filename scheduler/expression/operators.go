package expression

import (
	"math"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
)

func (c *compiler) unary(n *ast.UnaryNode) op {
	at := n.Location().From
	switch n.Operator {
	case "not", "!":
		of := c.truth(n.Node)
		return func(v *evaluation) any { return !of(v) }
	case "-":
		of := c.node(n.Node)
		return func(v *evaluation) any {
			switch x := of(v).(type) {
			case int:
				if x == math.MinInt {
					fail(at, "the number is too large")
				}
				return -x
			case float64:
				return -x
			case time.Duration:
				return -x
			default:
				failWith(at, remedyForNumber(x), "- needs a number, not %s", describe(x))
			}
			return nil
		}
	case "+":
		of := c.node(n.Node)
		return func(v *evaluation) any {
			number(at, "+", of(v))
			return of(v)
		}
	}
	fail(at, "the operator %s is not supported", n.Operator)
	return nil
}

func (c *compiler) binary(n *ast.BinaryNode) op {
	at := n.Location().From
	switch n.Operator {
	case "&&", "and", "||", "or":
		return c.logical(n)
	case "??":
		left, right := c.node(n.Left), c.node(n.Right)
		return func(v *evaluation) any {
			if value := left(v); value != nil {
				return value
			}
			return right(v)
		}
	case "matches":
		return c.matches(n)
	}
	apply, ok := operators[n.Operator]
	if !ok {
		fail(at, "the operator %s is not supported", n.Operator)
	}
	left, right := c.node(n.Left), c.node(n.Right)
	return func(v *evaluation) any {
		a := left(v)
		return apply(v, at, a, right(v))
	}
}

func (c *compiler) logical(n *ast.BinaryNode) op {
	left, right := c.truth(n.Left), c.truth(n.Right)
	if n.Operator == "&&" || n.Operator == "and" {
		return func(v *evaluation) any { return left(v) && right(v) }
	}
	return func(v *evaluation) any { return left(v) || right(v) }
}

type binaryOperator func(v *evaluation, at int, a, b any) any

var operators = map[string]binaryOperator{
	"==": func(v *evaluation, at int, a, b any) any { return v.equal(at, a, b) },
	"!=": func(v *evaluation, at int, a, b any) any { return !v.equal(at, a, b) },
	"<":  func(v *evaluation, at int, a, b any) any { return v.compare(at, "<", a, b) == -1 },
	"<=": func(v *evaluation, at int, a, b any) any { return v.compare(at, "<=", a, b) <= 0 },
	">":  func(v *evaluation, at int, a, b any) any { return v.compare(at, ">", a, b) == 1 },
	">=": func(v *evaluation, at int, a, b any) any { c := v.compare(at, ">=", a, b); return c == 0 || c == 1 },
	"+":  add, "-": subtract, "*": multiply, "/": divide, "%": remainder, "**": power, "^": power, "..": span,
	"in":         func(v *evaluation, at int, a, b any) any { return v.within(at, a, b) },
	"contains":   textual(strings.Contains, "contains"),
	"startsWith": textual(strings.HasPrefix, "startsWith"),
	"endsWith":   textual(strings.HasSuffix, "endsWith"),
}

func textual(f func(a, b string) bool, name string) binaryOperator {
	return func(v *evaluation, at int, a, b any) any {
		x, okX := a.(string)
		y, okY := b.(string)
		if !okX {
			failWith(at, remedyForText(a), "%s needs texts, not %s", name, describe(a))
		}
		if !okY {
			failWith(at, remedyForText(b), "%s needs texts, not %s", name, describe(b))
		}
		v.spend(at, (len(x)+len(y))/chunk)
		return f(x, y)
	}
}

func remedyForText(value any) string {
	switch value.(type) {
	case nil:
		return "nil may be the output of a node that has not run: give another value with ??"
	case []any:
		return "X in LIST looks for an element"
	}
	return "string(X) makes a text"
}

func remedyForNumber(value any) string {
	switch value.(type) {
	case nil:
		return "nil may be the output of a node that has not run: give another value with ??"
	case string:
		return "outputs written as key=value are texts: int(X) or float(X) makes a number"
	}
	return ""
}

// matches compiles a constant regular expression only once.
func (c *compiler) matches(n *ast.BinaryNode) op {
	at := n.Location().From
	left, right := c.node(n.Left), c.node(n.Right)
	var fixed *Pattern
	if text, ok := n.Right.(*ast.StringNode); ok {
		fixed = pattern(n.Right.Location().From, text.Value)
	}
	return func(v *evaluation) any {
		a, b := left(v), right(v)
		textual(func(a, b string) bool { return true }, "matches")(v, at, a, b)
		p := fixed
		if p == nil {
			v.spend(at, 20_000) // there can be two hundred of them
			p = pattern(at, b.(string))
		}
		v.spend(at, p.steps(a.(string)))
		return p.MatchString(a.(string))
	}
}

func pattern(at int, text string) *Pattern {
	p, err := CompilePattern(text)
	if err != nil {
		fail(at, "%v", err)
	}
	return p
}

// equal compares two values deeply. A text is never equal to a number or a truth value: to ask is a
// mistake that would be silently false.
func (v *evaluation) equal(at int, a, b any) bool {
	if a != nil && b != nil && scalar(a) && scalar(b) && kindOf(a) != kindOf(b) {
		remedy := remedyForNumber(a) + remedyForNumber(b)
		if _, truth := a.(bool); truth {
			remedy = "outputs written as key=value are texts: == \"true\""
		} else if _, truth := b.(bool); truth {
			remedy = "outputs written as key=value are texts: == \"true\""
		}
		failWith(at, remedy, "%s and %s are never equal", describe(a), describe(b))
	}
	return v.same(at, a, b, 0)
}

func scalar(value any) bool {
	switch value.(type) {
	case bool, int, float64, string:
		return true
	}
	return false
}

func (v *evaluation) same(at int, a, b any, depth int) bool {
	if depth > maxDepth {
		fail(at, "lists and maps are nested more than %d deep", maxDepth)
	}
	v.spend(at, 1)
	a, b = normalized(a), normalized(b)
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !v.same(at, x[i], y[i], depth+1) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key := range x {
			other, has := y[key]
			if !has || !v.same(at, x[key], other, depth+1) {
				return false
			}
		}
		return true
	case string:
		y, ok := b.(string)
		v.spend(at, len(x)/chunk)
		return ok && x == y
	case int:
		switch y := b.(type) {
		case int:
			return x == y
		case float64:
			return float64(x) == y
		}
		return false
	case float64:
		switch y := b.(type) {
		case int:
			return x == float64(y)
		case float64:
			return x == y
		}
		return false
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	case Node, instance:
		fail(at, "nodes cannot be compared; compare their outputs")
	case bool, time.Duration, nil:
		if _, comparable := b.(instance); !comparable {
			return scalarOrNil(b) && a == b
		}
	}
	return false
}

func scalarOrNil(value any) bool {
	_, duration := value.(time.Duration)
	return value == nil || scalar(value) || duration
}

// within reports whether a list contains an element, or a map a key.
func (v *evaluation) within(at int, needle, where any) bool {
	switch x := where.(type) {
	case []any:
		other := any(nil)
		for i := range x {
			if v.same(at, needle, x[i], 0) {
				return true
			}
			if other == nil && scalar(x[i]) && scalar(needle) && kindOf(normalized(x[i])) != kindOf(needle) {
				other = x[i]
			}
		}
		if other != nil {
			failWith(at, remedyForNumber(needle), "%s and %s in the list are never equal", describe(needle), describe(other))
		}
		return false
	case map[string]any:
		key, ok := needle.(string)
		if !ok {
			fail(at, "the keys of a map are texts, not %s", describe(needle))
		}
		_, has := x[key]
		return has
	case string:
		failWith(at, "TEXT contains PART looks into a text", "in needs a list or a map, not %s", describe(where))
	}
	failWith(at, remedyForText(nil), "in needs a list or a map, not %s", describe(where))
	return false
}

// compare orders numbers, texts, times and durations: -1, 0, 1, and 3 where one is not a number (NaN).
func (v *evaluation) compare(at int, name string, a, b any) int {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			v.spend(at, min(len(x), len(y))/chunk)
			return strings.Compare(x, y)
		}
	case time.Time:
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return sign(x < y, x > y, true)
		}
	case int:
		if y, ok := b.(int); ok {
			return sign(x < y, x > y, true)
		}
	}
	if isNumber(a) && isNumber(b) {
		x, y := float(a), float(b)
		return sign(x < y, x > y, x == y)
	}
	remedy := remedyForNumber(a)
	if remedy == "" {
		remedy = remedyForNumber(b)
	}
	failWith(at, remedy, "%s and %s cannot be compared with %s", describe(a), describe(b), name)
	return 0
}

// sign returns 3 for a pair without an order.
func sign(less, more, equal bool) int {
	switch {
	case less:
		return -1
	case more:
		return 1
	case equal:
		return 0
	}
	return 3
}

func isNumber(value any) bool {
	switch value.(type) {
	case int, float64:
		return true
	}
	return false
}

func float(value any) float64 {
	if x, ok := value.(int); ok {
		return float64(x)
	}
	return value.(float64)
}

// floats takes two values as numbers.
func floats(at int, name string, a, b any) (float64, float64) {
	number(at, name, a)
	number(at, name, b)
	return float(a), float(b)
}

func number(at int, name string, value any) {
	if !isNumber(value) {
		failWith(at, remedyForNumber(value), "%s needs numbers, not %s", name, describe(value))
	}
}

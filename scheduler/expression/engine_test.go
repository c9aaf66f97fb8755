package expression

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/expr-lang/expr"
	"pgregory.net/rapid"
)

// TestEvaluatorMatchesLibrary compares the evaluator with the one of the library: where both return a value, it is the same.
// Only known differences make one of them fail.
func TestEvaluatorMatchesLibrary(t *testing.T) {
	env := map[string]any{"params": map[string]any{"count": 5, "name": "Anna", "rate": 0.25}, "item": map[string]any{"k": "v", "list": []any{1, 2.5, "x"}}}
	own := testEnv()
	own.Item = env["item"]
	both := 0
	for depth := 1; depth <= 2; depth++ {
		generator := anyExpression(depth)
		for seed := range 10_000 {
			text := generator.Example(seed)
			e, err := Compile(text, testScope())
			if err != nil {
				continue
			}
			got, err := e.Eval(own)
			if err != nil {
				continue // this evaluator rejects comparisons that are always false, and results that are too large or too long
			}
			want, err := expr.Eval(text, env)
			if err != nil && strings.Contains(err.Error(), " % ") {
				continue // this evaluator accepts 4.0 as a whole number there
			}
			if err != nil {
				t.Fatalf("%s (seed %d): ours gives %v, the library %v", text, seed, got, err)
			}
			both++
			if !reflect.DeepEqual(alike(got), alike(want)) {
				t.Fatalf("%s (seed %d): %#v, and of the library %#v", text, seed, got, want)
			}
		}
	}
	if both < 500 {
		t.Errorf("only %d expressions had a value", both)
	}
}

// alike converts the lists and numbers of both evaluators to the same types.
func alike(value any) any {
	v := reflect.ValueOf(value)
	switch x := value.(type) {
	case int:
		return float64(x)
	case float64:
		if math.IsNaN(x) {
			return "NaN"
		}
		return x
	case map[string]any:
		m := map[string]any{}
		for key := range x {
			m[key] = alike(x[key])
		}
		return m
	}
	if value != nil && v.Kind() == reflect.Slice {
		list := make([]any, v.Len())
		for i := range list {
			list[i] = alike(v.Index(i).Interface())
		}
		return list
	}
	return value
}

// anyExpression generates expressions, most of them valid. It leaves out findLastIndex: for an empty list the library leaves
// a value on its stack, which becomes part of the result.
func anyExpression(depth int) *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{"0", "1", "2", "7", "2.5", "\"\"", "\"ab\"", "\"b\"", "true", "false", "nil", "[]", "[1, 2, 3]", "[\"b\", \"a\"]", "{\"a\": 1}",
		"params.count", "params.name", "params.rate", "item.k", "item.list", "item.none"})
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) string {
		a := anyExpression(depth-1).Draw(t, "a")
		b := anyExpression(depth-1).Draw(t, "b")
		switch rapid.IntRange(0, 9).Draw(t, "form") {
		case 0, 1, 2:
			operator := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "and", "or", "in", "not in", "contains", "startsWith", "endsWith", "??", "**"}).Draw(t, "operator")
			return "(" + a + " " + operator + " " + b + ")"
		case 3:
			return rapid.SampledFrom([]string{"-", "not ", "!", "+"}).Draw(t, "sign") + "(" + a + ")"
		case 4:
			return "(" + a + " ? " + b + " : " + anyExpression(depth-1).Draw(t, "c") + ")"
		case 5:
			name := rapid.SampledFrom([]string{"len", "abs", "ceil", "floor", "round", "int", "float", "upper", "lower", "trim", "first", "last", "reverse", "uniq", "flatten", "sort", "max", "min", "median", "sum", "toBase64", "join"}).Draw(t, "function")
			return name + "(" + a + ")"
		case 6:
			name := rapid.SampledFrom([]string{"filter", "map", "all", "any", "none", "one", "count", "find", "findIndex", "findLast", "sortBy", "sum"}).Draw(t, "loop")
			return name + "(" + a + ", " + rapid.SampledFrom([]string{"# > 1", "# == 2", "#index > 0", "# + 1", "#", "# != nil", "-#"}).Draw(t, "predicate") + ")"
		case 7:
			return "(" + a + ")" + rapid.SampledFrom([]string{"[0]", "[-1]", "[0:2]", "[1:]", ".a", "?.a", "[:1]"}).Draw(t, "part")
		case 8:
			return "let x = " + a + "; [x, " + b + "]"
		}
		name := rapid.SampledFrom([]string{"concat", "split", "indexOf", "hasPrefix", "repeat", "take", "get", "trimPrefix", "max", "min", "mean"}).Draw(t, "function")
		return name + "(" + a + ", " + b + ")"
	})
}

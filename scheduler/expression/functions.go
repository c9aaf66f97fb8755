package expression

import (
	"encoding/base64"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"wf/graph/timespan"
)

// A function gets evaluated arguments whose cost is already counted.
type function struct {
	least, most int // arguments; most < 0 = any number
	do          func(k *call) any
}

// A call is one call of a function.
type call struct {
	v    *evaluation
	at   int
	name string
	args []any
}

func (c *compiler) builtin(n *ast.BuiltinNode) op {
	if _, ok := loopFunctions[n.Name]; ok {
		return c.loop(n)
	}
	return c.function(n.Location().From, n.Name, n.Arguments)
}

func (c *compiler) function(at int, name string, arguments []ast.Node) op {
	f, ok := functions[name]
	if !ok {
		failWith(at, DidYouMean(name, slices.Concat(slices.Sorted(maps.Keys(functions)), slices.Sorted(maps.Keys(loopFunctions)))), "there is no function %s", name)
	}
	if len(arguments) < f.least || f.most >= 0 && len(arguments) > f.most {
		fail(at, "%s has %s, not %d", name, arity(f), len(arguments))
	}
	args := c.nodes(arguments)
	c.varies = c.varies || name == "now" || name == "uuid"
	return func(v *evaluation) any {
		k := &call{v: v, at: at, name: name, args: make([]any, len(args))}
		for i, arg := range args {
			k.args[i] = arg(v)
			v.spendFor(at, k.args[i])
		}
		return f.do(k)
	}
}

func arity(f function) string {
	switch {
	case f.most < 0:
		return strconv.Itoa(f.least) + " or more arguments"
	case f.least == f.most && f.least == 1:
		return "1 argument"
	case f.least == f.most:
		return strconv.Itoa(f.least) + " arguments"
	}
	return strconv.Itoa(f.least) + " to " + strconv.Itoa(f.most) + " arguments"
}

// call compiles calls that are not functions of the library: uuid, and the methods of times.
func (c *compiler) call(n *ast.CallNode) op {
	at := n.Location().From
	switch callee := n.Callee.(type) {
	case *ast.IdentifierNode:
		return c.function(at, callee.Value, n.Arguments)
	case *ast.MemberNode:
		of, args := c.node(callee.Node), c.nodes(n.Arguments)
		key, ok := callee.Property.(*ast.StringNode)
		if !ok || timeMethods[key.Value] == nil || len(args) > 1 || (len(args) == 1) != (key.Value == "Format") {
			fail(at, "only times have methods: %s", strings.Join(timeForms(), ", "))
		}
		return func(v *evaluation) any {
			value := of(v)
			if value == nil && callee.Optional {
				panic(missing{})
			}
			t, ok := value.(time.Time)
			if !ok {
				fail(at, "%s has no %s()", kindOf(value), key.Value)
			}
			layout := ""
			if len(args) > 0 {
				layout = (&call{v: v, at: at, name: key.Value, args: []any{args[0](v)}}).text(0)
				v.spend(at, len(layout))
			}
			return timeMethods[key.Value](t, layout)
		}
	}
	fail(at, "only functions can be called")
	return nil
}

// timeForms is how the methods of times are written.
func timeForms() []string {
	forms := slices.Sorted(maps.Keys(timeMethods))
	for i, name := range forms {
		if forms[i] += "()"; name == "Format" {
			forms[i] = "Format(LAYOUT)"
		}
	}
	return forms
}

var timeMethods = map[string]func(t time.Time, layout string) any{
	"Format":  func(t time.Time, layout string) any { return t.Format(layout) },
	"Year":    func(t time.Time, _ string) any { return t.Year() },
	"Month":   func(t time.Time, _ string) any { return int(t.Month()) },
	"Day":     func(t time.Time, _ string) any { return t.Day() },
	"Hour":    func(t time.Time, _ string) any { return t.Hour() },
	"Minute":  func(t time.Time, _ string) any { return t.Minute() },
	"Second":  func(t time.Time, _ string) any { return t.Second() },
	"Weekday": func(t time.Time, _ string) any { return t.Weekday().String() },
	"Unix":    func(t time.Time, _ string) any { return int(t.Unix()) },
}

func (k *call) text(i int) string {
	s, ok := k.args[i].(string)
	if !ok {
		failWith(k.at, remedyForText(k.args[i]), "%s needs a text, not %s", k.name, describe(k.args[i]))
	}
	return s
}

func (k *call) list(i int) []any {
	list, ok := k.args[i].([]any)
	if !ok {
		failWith(k.at, remedyFor("not a list", k.args[i]), "%s needs a list, not %s", k.name, describe(k.args[i]))
	}
	return list
}

func (k *call) mapping(i int) map[string]any {
	m, ok := k.args[i].(map[string]any)
	if !ok {
		fail(k.at, "%s needs a map, not %s", k.name, describe(k.args[i]))
	}
	return m
}

// spendBytes counts the cost of a text of that many bytes, before the text is made.
func (k *call) spendBytes(length int) {
	if length < 0 || length > maxSteps*8 {
		length = maxSteps * 8
	}
	k.v.spend(k.at, length/8)
}

// functions are those of the language that look at nothing but their arguments, uuid and now. Those
// that read the clock or files of time zones are ours or left out. Maps are gone through in the order
// of their keys, so that the same data gives the same value.
var functions = map[string]function{
	"len":  {1, 1, length},
	"type": {1, 1, func(k *call) any { return typeName(k.args[0]) }},

	"abs":   {1, 1, numeric(math.Abs)},
	"ceil":  {1, 1, numeric(math.Ceil)},
	"floor": {1, 1, numeric(math.Floor)},
	"round": {1, 1, numeric(math.Round)},
	"int":   {1, 1, toInt},
	"float": {1, 1, toFloat},

	"string":      {1, 1, func(k *call) any { k.v.spendFor(k.at, k.args[0]); return Format(stripped(k.args[0])) }},
	"trim":        {1, 2, trim},
	"trimPrefix":  {2, 2, func(k *call) any { return strings.TrimPrefix(k.text(0), k.text(1)) }},
	"trimSuffix":  {2, 2, func(k *call) any { return strings.TrimSuffix(k.text(0), k.text(1)) }},
	"upper":       {1, 1, func(k *call) any { k.spendBytes(len(k.text(0))); return strings.ToUpper(k.text(0)) }},
	"lower":       {1, 1, func(k *call) any { k.spendBytes(len(k.text(0))); return strings.ToLower(k.text(0)) }},
	"split":       {2, 3, split},
	"replace":     {3, 3, replace},
	"repeat":      {2, 2, repeat},
	"join":        {1, 2, join},
	"indexOf":     {2, 2, func(k *call) any { return strings.Index(k.text(0), k.text(1)) }},
	"lastIndexOf": {2, 2, func(k *call) any { return strings.LastIndex(k.text(0), k.text(1)) }},
	"hasPrefix":   {2, 2, func(k *call) any { return strings.HasPrefix(k.text(0), k.text(1)) }},
	"hasSuffix":   {2, 2, func(k *call) any { return strings.HasSuffix(k.text(0), k.text(1)) }},
	"toJSON":      {1, 1, func(k *call) any { k.v.spendFor(k.at, k.args[0]); return jsonText(stripped(k.args[0])) }},
	"fromJSON":    {1, 1, fromJSON},
	"toBase64": {1, 1, func(k *call) any {
		k.spendBytes(len(k.text(0)))
		return base64.StdEncoding.EncodeToString([]byte(k.text(0)))
	}},
	"fromBase64": {1, 1, fromBase64},

	"now":      {0, 0, func(k *call) any { return time.Unix(0, k.v.env.Now).UTC() }},
	"uuid":     {0, 0, newUUID},
	"duration": {1, 1, duration},
	"date":     {1, 2, date},

	"max":     {1, -1, func(k *call) any { return extreme(k, 1) }},
	"min":     {1, -1, func(k *call) any { return extreme(k, -1) }},
	"mean":    {1, -1, mean},
	"median":  {1, -1, median},
	"first":   {1, 1, func(k *call) any { return end(k.list(0), false) }},
	"last":    {1, 1, func(k *call) any { return end(k.list(0), true) }},
	"get":     {2, 2, get},
	"take":    {2, 2, take},
	"keys":    {1, 1, keys},
	"values":  {1, 1, values},
	"toPairs": {1, 1, toPairs}, "fromPairs": {1, 1, fromPairs},
	"reverse": {1, 1, reverse},
	"uniq":    {1, 1, uniq},
	"concat":  {1, -1, concat},
	"flatten": {1, 1, flatten},
	"sort":    {1, 2, sortList},
}

func length(k *call) any {
	switch x := k.args[0].(type) {
	case string:
		return utf8.RuneCountInString(x)
	case []any:
		return len(x)
	case map[string]any:
		return len(x)
	}
	failWith(k.at, remedyForText(k.args[0]), "len needs a text, a list or a map, not %s", describe(k.args[0]))
	return nil
}

// TypeOf returns the name that the function type has for a value.
func TypeOf(value any) string { return typeName(value) }

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "nil"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case string:
		return "string"
	case []any:
		return "array"
	case time.Time:
		return "time"
	case time.Duration:
		return "duration"
	}
	return "map"
}

func newUUID(k *call) any {
	if k.v.env.UUID == nil {
		fail(k.at, "there is no uuid here")
	}
	return k.v.env.UUID()
}

func duration(k *call) any {
	text := strings.TrimSpace(k.text(0))
	positive, negative := strings.CutPrefix(text, "-")
	d, err := timespan.Parse(positive)
	switch {
	case err != nil:
		failWith(k.at, "write it as 1h30m, 500ms or 7d", "%s is not a duration", describe(k.args[0]))
	case negative:
		return -d
	}
	return d
}

// date reads a time in one of the usual forms, or in a form that is given as Go writes it. One without a
// time zone is UTC.
func date(k *call) any {
	forms := []string{time.RFC3339, "2006-01-02", "15:04:05", "2006-01-02 15:04:05", time.RFC822, time.RFC850, time.RFC1123}
	if len(k.args) == 2 {
		forms = []string{k.text(1)}
	}
	for _, form := range forms {
		if t, err := time.Parse(form, k.text(0)); err == nil {
			return t.UTC()
		}
	}
	failWith(k.at, "write it as 2006-01-02T15:04:05Z", "%s is not a time", describe(k.args[0]))
	return nil
}

// sortList sorts a copy.
func sortList(k *call) any {
	order := any(nil)
	if len(k.args) == 2 {
		order = k.args[1]
	}
	list := slices.Clone(k.list(0))
	return k.v.sorted(k.at, k.name, list, slices.Clone(list), order)
}

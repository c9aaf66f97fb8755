package expression

import (
	"sort"

	"github.com/expr-lang/expr/ast"
)

// loop compiles the functions that look at each element of a list with a predicate.
func (c *compiler) loop(n *ast.BuiltinNode) op {
	at := n.Location().From
	list := c.node(n.Arguments[0])
	body := op(func(v *evaluation) any { return v.loops[len(v.loops)-1].item })
	if len(n.Arguments) > 1 {
		predicate, ok := n.Arguments[1].(*ast.PredicateNode)
		if !ok {
			fail(at, "%s needs a predicate", n.Name)
		}
		c.loops++
		body = c.node(predicate.Node)
		c.loops--
	}
	var last op
	if len(n.Arguments) > 2 {
		last = c.node(n.Arguments[2])
	}
	run, ok := loopFunctions[n.Name]
	if !ok {
		fail(at, "%s is not supported", n.Name)
	}
	name := n.Name
	return func(v *evaluation) any {
		value := list(v)
		items, ok := value.([]any)
		if !ok {
			failWith(at, remedyFor("not a list", value), "%s needs a list, not %s", name, describe(value))
		}
		var third any
		if last != nil {
			third = last(v)
		}
		v.loops = append(v.loops, loop{})
		w := &walk{v: v, at: at, name: name, items: items, body: body, third: third, hasThird: last != nil}
		result := run(w)
		v.loops = v.loops[:len(v.loops)-1]
		return result
	}
}

// walk is one execution of such a function.
type walk struct {
	v        *evaluation
	at       int
	name     string
	items    []any
	body     op
	third    any // the third argument
	hasThird bool
}

// value is that of the predicate for one element.
func (w *walk) value(i int) any {
	w.v.spend(w.at, 1)
	l := &w.v.loops[len(w.v.loops)-1]
	l.item, l.index = normalized(w.items[i]), i
	return w.body(w.v)
}

func (w *walk) holds(i int) bool {
	value := w.value(i)
	yes, ok := value.(bool)
	if !ok {
		failWith(w.at, remedyFor("neither true nor false", value), "%s gives %s for element %d, neither true nor false", w.name, describe(value), i)
	}
	return yes
}

// find returns the first index at which the predicate is true, in the given direction, or -1.
func (w *walk) find(backward bool) int {
	for i := range w.items {
		if backward {
			i = len(w.items) - 1 - i
		}
		if w.holds(i) {
			return i
		}
	}
	return -1
}

func (w *walk) count() int {
	number := 0
	for i := range w.items {
		if w.holds(i) {
			number++
		}
	}
	return number
}

func (w *walk) element(i int) any {
	if i < 0 {
		return nil
	}
	return normalized(w.items[i])
}

func indexOrNil(i int) any {
	if i < 0 {
		return nil
	}
	return i
}

var loopFunctions = map[string]func(w *walk) any{
	"all": func(w *walk) any {
		for i := range w.items {
			if !w.holds(i) {
				return false
			}
		}
		return true
	},
	"none":          func(w *walk) any { return w.find(false) < 0 },
	"any":           func(w *walk) any { return w.find(false) >= 0 },
	"one":           func(w *walk) any { return w.count() == 1 },
	"count":         func(w *walk) any { return w.count() },
	"find":          func(w *walk) any { return w.element(w.find(false)) },
	"findLast":      func(w *walk) any { return w.element(w.find(true)) },
	"findIndex":     func(w *walk) any { return indexOrNil(w.find(false)) },
	"findLastIndex": func(w *walk) any { return indexOrNil(w.find(true)) },
	"filter": func(w *walk) any {
		kept := []any{}
		for i := range w.items {
			if w.holds(i) {
				kept = append(kept, w.items[i])
			}
		}
		return kept
	},
	"map": func(w *walk) any {
		list := make([]any, len(w.items))
		for i := range w.items {
			list[i] = w.value(i)
		}
		return list
	},
	"sum": func(w *walk) any {
		total := any(0)
		for i := range w.items {
			total = add(w.v, w.at, total, w.value(i))
		}
		return total
	},
	"reduce":  reduce,
	"groupBy": groupBy,
	"sortBy":  sortBy,
}

func reduce(w *walk) any {
	first := 0
	acc := w.third
	if !w.hasThird {
		if len(w.items) == 0 {
			failWith(w.at, "give a third argument to begin with", "reduce has nothing to begin with: the list is empty")
		}
		acc, first = normalized(w.items[0]), 1
	}
	for i := first; i < len(w.items); i++ {
		w.v.loops[len(w.v.loops)-1].acc = acc
		acc = w.value(i)
	}
	return acc
}

func groupBy(w *walk) any {
	groups := map[string]any{}
	for i := range w.items {
		key := w.value(i)
		if !scalar(key) {
			fail(w.at, "groupBy needs texts or numbers to group by, not %s", describe(key))
		}
		name := Format(key)
		list, _ := groups[name].([]any)
		groups[name] = append(list, w.items[i])
	}
	return groups
}

func sortBy(w *walk) any {
	keys, list := make([]any, len(w.items)), make([]any, len(w.items))
	for i := range w.items {
		keys[i], list[i] = w.value(i), w.items[i]
	}
	return w.v.sorted(w.at, w.name, list, keys, w.third)
}

// sorted sorts a list by keys, in place.
func (v *evaluation) sorted(at int, name string, list, keys []any, order any) []any {
	descending := false
	switch order {
	case nil, "asc":
	case "desc":
		descending = true
	default:
		fail(at, "%s: the order is \"asc\" or \"desc\", not %s", name, describe(order))
	}
	sort.Stable(&byKeys{list, keys, func(a, b any) bool {
		v.spend(at, 1)
		if descending {
			a, b = b, a
		}
		return v.compare(at, name, a, b) == -1
	}})
	return list
}

type byKeys struct {
	list, keys []any
	less       func(a, b any) bool
}

func (s *byKeys) Len() int           { return len(s.list) }
func (s *byKeys) Less(i, j int) bool { return s.less(s.keys[i], s.keys[j]) }
func (s *byKeys) Swap(i, j int) {
	s.list[i], s.list[j] = s.list[j], s.list[i]
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
}

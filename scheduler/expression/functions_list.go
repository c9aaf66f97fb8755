package expression

import (
	"maps"
	"slices"
	"sort"
)

// extreme returns the least (-1) or the largest (1) of all numbers in the arguments.
func extreme(k *call, direction int) any {
	var best any
	each(k.args, func(value any) {
		number(k.at, k.name, value)
		if best == nil || k.v.compare(k.at, k.name, value, best) == direction {
			best = value
		}
	})
	return best
}

// each calls f with every element that is not a list, at any depth. The depth was checked before.
func each(list []any, f func(value any)) {
	for _, value := range list {
		if inner, ok := value.([]any); ok {
			each(inner, f)
			continue
		}
		f(normalized(value))
	}
}

func (k *call) numbers() []float64 {
	var list []float64
	each(k.args, func(value any) {
		number(k.at, k.name, value)
		list = append(list, float(value))
	})
	if len(list) == 0 {
		fail(k.at, "%s of no numbers", k.name)
	}
	return list
}

func mean(k *call) any {
	total, list := 0.0, k.numbers()
	for _, x := range list {
		total += x
	}
	return total / float64(len(list))
}

func median(k *call) any {
	list := k.numbers()
	sort.Float64s(list)
	middle := len(list) / 2
	if len(list)%2 == 1 {
		return list[middle]
	}
	return (list[middle-1] + list[middle]) / 2
}

// end returns the first or the last element, nil for an empty list.
func end(list []any, last bool) any {
	switch {
	case len(list) == 0:
		return nil
	case last:
		return normalized(list[len(list)-1])
	}
	return normalized(list[0])
}

// get returns a[b], and nil where there is none.
func get(k *call) any {
	switch x := k.args[0].(type) {
	case nil:
		return nil
	case []any:
		index := whole(k.at, k.args[1])
		if index < 0 {
			index += len(x)
		}
		if index < 0 || index >= len(x) {
			return nil
		}
		return normalized(x[index])
	}
	return fetch(k.v, k.at, k.args[0], k.args[1])
}

func take(k *call) any {
	list, n := k.list(0), whole(k.at, k.args[1])
	n = min(max(n, 0), len(list))
	return list[:n:n]
}

func keys(k *call) any { return normalized(slices.Sorted(maps.Keys(k.mapping(0)))) }

func values(k *call) any {
	m := k.mapping(0)
	list := make([]any, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[key])
	}
	return list
}

func toPairs(k *call) any {
	m := k.mapping(0)
	list := make([]any, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, []any{key, m[key]})
	}
	return list
}

func fromPairs(k *call) any {
	m := map[string]any{}
	for _, value := range k.list(0) {
		pair, ok := value.([]any)
		if !ok || len(pair) != 2 {
			fail(k.at, "fromPairs needs pairs [KEY, VALUE], not %s", describe(value))
		}
		key, ok := pair[0].(string)
		if !ok {
			fail(k.at, "the key of a map must be a text, not %s", describe(pair[0]))
		}
		m[key] = pair[1]
	}
	return m
}

func reverse(k *call) any {
	list := slices.Clone(k.list(0))
	slices.Reverse(list)
	return list
}

// uniq keeps the first of equal elements. It finds scalars by a table, and compares all others.
func uniq(k *call) any {
	kept, others, seen := []any{}, []any{}, map[any]bool{}
	for _, value := range k.list(0) {
		value = normalized(value)
		if scalar(value) || value == nil {
			key := value
			if n, ok := value.(int); ok && int(float64(n)) == n {
				key = float64(n)
			}
			if !seen[key] {
				seen[key], kept = true, append(kept, value)
			}
			continue
		}
		if !slices.ContainsFunc(others, func(other any) bool { return k.v.same(k.at, value, other, 0) }) {
			others, kept = append(others, value), append(kept, value)
		}
	}
	return kept
}

func concat(k *call) any {
	all := []any{}
	for i := range k.args {
		all = append(all, k.list(i)...)
	}
	return all
}

func flatten(k *call) any {
	flat := []any{}
	each(k.list(0), func(value any) { flat = append(flat, value) })
	return flat
}

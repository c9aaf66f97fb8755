package expression

import "time"

// What one evaluation may cost. A step is one operation, one element or a few dozen bytes that are
// looked at or made, so the time is well below a second and the memory below some 100 MB whatever the
// text says.
const (
	maxSteps = 4 << 20
	maxDepth = 1000 // of lists and maps in each other
	chunk    = 32   // bytes a step
)

// evaluation is the state of one Eval.
type evaluation struct {
	env       *Env
	steps     int
	variables []any // of let
	loops     []loop
	results   map[string][]any // of nodes, made on first use
}

// loop is the meaning of # and the like within the predicate of filter, map and so on.
type loop struct {
	item  any
	index int
	acc   any
}

// spend counts steps and fails when there have been too many.
func (v *evaluation) spend(at, steps int) {
	if steps < 0 || steps > maxSteps-v.steps {
		failWith(at, "let a command do it", "takes too long: more than %d steps", maxSteps)
	}
	v.steps += steps
}

// spendFor spends the cost of visiting the whole value.
func (v *evaluation) spendFor(at int, value any) { v.spendForPart(at, value, 0) }

func (v *evaluation) spendForPart(at int, value any, depth int) {
	if depth > maxDepth {
		fail(at, "lists and maps are nested more than %d deep", maxDepth)
	}
	switch x := value.(type) {
	case string:
		v.spend(at, 1+len(x)/chunk)
	case []any:
		v.spend(at, 1+len(x))
		for i := range x {
			v.spendForPart(at, x[i], depth+1)
		}
	case map[string]any:
		v.spend(at, 1+len(x))
		for key := range x {
			v.spend(at, 1+len(key)/chunk)
			v.spendForPart(at, x[key], depth+1)
		}
	default:
		v.spend(at, 1)
	}
}

// plainValue returns a value without internal types, for the result of an evaluation.
func plainValue(v *evaluation, value any) any {
	v.spendFor(0, value)
	return stripped(value)
}

func stripped(value any) any {
	switch x := value.(type) {
	case time.Time, time.Duration:
		return Format(x)
	case []any:
		for i := range x {
			if unplain(x[i]) {
				list := make([]any, len(x))
				for i := range x {
					list[i] = stripped(x[i])
				}
				return list
			}
		}
	case map[string]any:
		for key := range x {
			if unplain(x[key]) {
				m := make(map[string]any, len(x))
				for key := range x {
					m[key] = stripped(x[key])
				}
				return m
			}
		}
	case instance:
		failWith(0, "pick something of it: #.NODE.outputs.KEY", "gives an instance of a sub-flow as it is")
	case Node:
		failWith(0, "pick something of it: .outputs, .outputs.KEY, .stdout, .exit_code, .status", "gives a node as it is")
	}
	return value
}

func unplain(value any) bool {
	switch value.(type) {
	case nil, bool, int, float64, string:
		return false
	}
	return true
}

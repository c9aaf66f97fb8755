package flow

import (
	"slices"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

// attrEnv is the attribute with variables. A command has those of the graph, of the containers around it and its own; the later
// ones replace the earlier ones.
const attrEnv = "env"

// env reads the variables of a node. Those of a group are kept for the nodes in it.
func (a *nodeReader) env() {
	text, _ := a.n.Attr(attrEnv)
	if strings.TrimSpace(text) == "" {
		return
	}
	a.rules.Env = readEnv(text, *a.scope(), func(code string, line int, format string, args ...any) {
		a.wrong(code, attrEnv, format, args...)
		a.problems[len(a.problems)-1].Line = line - 1
	})
	if isGroup(a.n) {
		a.groupEnv[a.n] = a.rules.Env
	}
}

// graphEnv reads the variables of the graph.
func (r *reader) graphEnv() {
	text, _ := r.g.Attr(attrEnv)
	if strings.TrimSpace(text) == "" {
		return
	}
	r.outerEnv = readEnv(text, *r.f.scope(nil), func(code string, line int, format string, args ...any) {
		r.graphError(code, attrEnv, "graph: "+format, args...)
		r.problems[len(r.problems)-1].Line = line - 1
	})
}

// readEnv reads lines KEY=VALUE. wrong gets the code and the line of each mistake, counted from 1.
func readEnv(text string, scope expression.Scope, wrong func(code string, line int, format string, args ...any)) (env []Variable) {
	number, set := 0, map[string]bool{}
	scope.ForCommand = true
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok {
			wrong(CodeEnv, number, "line %d of env is %s, not KEY=VALUE", number, shown(line))
			continue
		}
		if problem := badVariable(name, set); problem != "" {
			wrong(CodeEnv, number, "line %d of env: %s", number, problem)
			continue
		}
		set[name] = true
		t, err := expression.CompileText(value, scope)
		if err != nil {
			wrong(CodeExpression, number, "line %d of env, %s: %v", number, name, err)
			continue
		}
		env = append(env, Variable{name, t})
	}
	return env
}

// inheritEnv gives the nodes of each flow the variables of the groups around them, and those of the outer flow the variables of
// the graph. Nodes in a sub-flow get the variables of the sub-flow when they run.
func (r *reader) inheritEnv() {
	around := map[*graph.Node][]Variable{nil: r.outerEnv}
	var of func(parent *graph.Node) []Variable
	of = func(parent *graph.Node) []Variable {
		env, known := around[parent]
		if !known && isGroup(parent) {
			env = slices.Concat(of(parent.Parent), r.groupEnv[parent])
			around[parent] = env
		}
		return env
	}
	shared := map[*graph.Node]*Rules{}
	for _, n := range r.g.Nodes() {
		env := of(n.Parent)
		if len(env) == 0 || isGroup(n) {
			continue
		}
		if own := r.f.rules[n]; own != nil {
			own.Env = slices.Concat(env, own.Env)
			continue
		}
		if shared[n.Parent] == nil {
			shared[n.Parent] = &Rules{Env: env}
		}
		r.f.rules[n] = shared[n.Parent]
	}
}

package flow

import (
	"fmt"
	"slices"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

// The attributes of another workfile that stands for a node: what it is given, on the node, and what it gives, on its graph.
const (
	attrWith    = "with"
	attrReturns = "returns"
)

// A Unit is another workfile that stands for a node. Its texts see its own nodes and parameters and nothing around them.
type Unit struct {
	Params  []Param    // that it declares
	With    []Variable // values for them, in the scope of the node; an instance of a foreach sees its item
	Outputs []Variable // outputs of the node, in the scope of the unit
}

// unit reads the workfile that stands for a node. Only expanded graphs have one, see graph.Include.
func (a *nodeReader) unit(s *Sub) {
	part := a.n.Part()
	if part == nil {
		return
	}
	s.Unit = &Unit{}
	if text, _ := part.Attr("params"); strings.TrimSpace(text) != "" {
		var problems []ParamProblem
		s.Unit.Params, problems = ParseParams(text)
		for _, p := range problems {
			a.wrong(CodeParams, graph.AttrWorkfile, "%s: params: %s", a.n.WorkfileName(), p)
		}
	}
	for _, name := range []string{graph.AttrWhile, graph.AttrUntil, "stop_when"} {
		if a.text(name) != "" {
			a.wrong(CodeSubFlow, name, "%s does not go with workfile; put the node into a container with %s", name, name)
		}
	}
	for _, only := range []struct{ name, instead string }{{attrEnv, "its nodes"}, {"prefix", "its wrapper"}, {"suffix", "its wrapper"}} {
		if text, _ := part.Attr(only.name); strings.TrimSpace(text) != "" {
			a.wrong(CodeSubFlow, graph.AttrWorkfile, "%s has the graph attribute %s, which counts only if it runs by itself; write it into %s",
				a.n.WorkfileName(), only.name, only.instead)
		}
	}
	a.with(s.Unit)
	text, _ := part.Attr(attrReturns)
	s.Unit.Outputs = a.lines(text, *a.f.scope(a.n), func(problem string) {
		a.wrong(CodeExpression, graph.AttrWorkfile, "%s: returns: %s", a.n.WorkfileName(), problem)
	})
}

// with reads the values that a node gives to its workfile.
func (a *nodeReader) with(u *Unit) {
	text, _ := a.n.Attr(attrWith)
	u.With = a.lines(text, *a.f.withScope(a.n), func(problem string) { a.wrong(CodeParams, attrWith, "with: %s", problem) })
	var names []string
	for _, p := range u.Params {
		names = append(names, p.Name)
	}
	for _, v := range u.With {
		i := slices.Index(names, v.Name)
		switch {
		case i < 0:
			a.wrong(CodeParams, attrWith, "with: %s", unknownParam(v.Name, names))
		case u.Params[i].Type == Secret:
			a.wrong(CodeParams, attrWith, "with: %s is a secret: it gets the secret parameter of this workfile with the same name; leave the line out", v.Name)
		case v.Value.Plain():
			if _, problems := Resolve(u.Params[i:i+1], map[string]any{v.Name: v.Value.String()}, Machine{}); problems != nil {
				a.wrong(CodeParams, attrWith, "with: %s", problems[0])
			}
		}
	}
	for _, p := range u.Params {
		given := slices.ContainsFunc(u.With, func(v Variable) bool { return v.Name == p.Name })
		if p.Type == Secret {
			given = slices.ContainsFunc(a.f.Params, func(o Param) bool { return o.Name == p.Name && o.Type == Secret })
		}
		if p.Required && !given && p.DefaultEnv == "" {
			remedy := "write " + p.Name + "=VALUE into with"
			if p.Type == Secret {
				remedy = "declare the same secret parameter here"
			}
			a.wrong(CodeParams, attrWith, "%s requires the parameter %s; %s", a.n.WorkfileName(), p.Name, remedy)
		}
	}
}

// lines reads lines NAME=TEXT. report gets the problems, with the number of the line.
func (a *nodeReader) lines(text string, scope expression.Scope, report func(problem string)) (list []Variable) {
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			report(fmt.Sprintf("line %d is %s, not NAME=VALUE", number, shown(line)))
			continue
		}
		if slices.ContainsFunc(list, func(v Variable) bool { return v.Name == name }) {
			report(fmt.Sprintf("line %d: %s is given twice; leave one of the lines out", number, name))
			continue
		}
		t, err := expression.CompileText(strings.TrimSpace(value), scope)
		if err != nil {
			report(fmt.Sprintf("line %d, %s: %v", number, name, err))
			continue
		}
		list = append(list, Variable{name, t})
	}
	return list
}

// withScope returns the scope of the values that a node gives to its workfile: that of the node, with the item if the node itself
// repeats.
func (f *Flow) withScope(n *graph.Node) *expression.Scope {
	outer := f.scope(n.Home())
	s := *outer
	kind := kindOf(n)
	s.Item, s.Row, s.Index, s.Iteration, s.Parent = kind == Foreach, kind == Foreach && hasTable(n), kind == Foreach || kind == Times, false, outer
	return &s
}

// Value returns the value of a line: of an expression alone with its type, otherwise a text.
func (v *Variable) value(env expression.Env) (any, error) {
	if e := v.Value.Only(); e != nil {
		return e.Eval(env)
	}
	return v.Value.Render(env)
}

// Values computes the parameters of a unit. env is that of the lines of with; the secret parameters are those of the run.
func (u *Unit) Values(env expression.Env, secrets map[string]any, variable func(name string) string) (map[string]any, error) {
	given := map[string]any{}
	for i := range u.With {
		value, err := u.With[i].value(env)
		if err != nil {
			return nil, fmt.Errorf("with %s: %w", u.With[i].Name, err)
		}
		if value != nil {
			given[u.With[i].Name] = value
		}
	}
	for _, p := range u.Params {
		if value, has := secrets[p.Name]; has && p.Type == Secret {
			given[p.Name] = value
		}
	}
	values, problems := Resolve(u.Params, given, Machine{Variable: variable})
	if problems != nil {
		problems[0].Remedy = strings.Replace(problems[0].Remedy, "give it: -p ", "write into with: ", 1)
		return nil, fmt.Errorf("with %s", problems[0])
	}
	return values, nil
}

// Results computes the outputs of a unit that has succeeded. env is that of its nodes.
func (u *Unit) Results(env expression.Env) (map[string]any, error) {
	if len(u.Outputs) == 0 {
		return nil, nil
	}
	outputs := make(map[string]any, len(u.Outputs))
	for i := range u.Outputs {
		value, err := u.Outputs[i].value(env)
		if err != nil {
			return nil, fmt.Errorf("outputs, %s: %w", u.Outputs[i].Name, err)
		}
		outputs[u.Outputs[i].Name] = value
	}
	return outputs, nil
}

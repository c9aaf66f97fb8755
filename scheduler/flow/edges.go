package flow

import (
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

const attrWhen = graph.AttrWhen

// edge reads the condition of an edge.
func (r *reader) edge(e *graph.Edge) {
	text, _ := e.Attr(attrWhen)
	if text = strings.TrimSpace(text); text == "" || text == "success" {
		return
	}
	c := &Condition{}
	word, rest, _ := strings.Cut(text, ":")
	rest = strings.TrimSpace(rest)
	switch {
	case text == "failure":
		c.Kind = OnFailure
	case text == "done":
		c.Kind = OnDone
	case text == "else":
		c.Kind = OnElse
		r.checkElse(e)
	case word == "exit" && word != text:
		codes, err := parseCodes(rest)
		if err != nil {
			r.whenProblem(graph.Error, CodeWhen, e, "when=%q: %v", text, err)
			return
		}
		c.Kind, c.Exit = OnExit, codes
		if e.Source.SubFlow() {
			r.whenProblem(graph.Warning, CodeNever, e, "when=%q never fires: a sub-flow has no exit code; write failure", text)
		}
	case word == "case" && word != text:
		if rest == "" {
			r.whenProblem(graph.Error, CodeWhen, e, "when=%q names no case; write case:NAME, for the output case=NAME of %s", text, r.handle(e.Source))
			return
		}
		c.Kind, c.Case = OnCase, rest
		if approve, _ := e.Source.Attr("approve"); e.Source.SubFlow() && strings.TrimSpace(approve) == "" {
			r.whenProblem(graph.Warning, CodeNever, e, "when=%q never fires: a sub-flow has no output case; let a node after it choose", text)
		}
	case word == "if" && word != text:
		c.Kind = OnTrue
		if c.Expr = r.edgeTest(e, text, rest); c.Expr == nil {
			return
		}
	default:
		r.whenProblem(graph.Error, CodeWhen, e, "when=%q is unknown; write success, failure, done, exit:CODES, case:NAME, if:EXPR or else%s", text,
			closest(word, "success", "failure", "done", "exit", "case", "if", "else"))
		return
	}
	r.f.conditions[e] = c
}

// whenProblem reports a problem of the condition of an edge.
func (r *reader) whenProblem(s graph.Severity, code string, e *graph.Edge, format string, args ...any) {
	r.edgeProblem(s, code, e, format, args...)
	r.problems[len(r.problems)-1].Attr = attrWhen
}

// edgeTest compiles the expression of when=if:EXPR.
func (r *reader) edgeTest(e *graph.Edge, text, expr string) *expression.Expr {
	compiled, always, err := compileTest(expr, r.f.scope(e.Source.Home()))
	if err != nil {
		r.whenProblem(graph.Error, CodeExpression, e, "when=%s: %v", shown(text), err)
		return nil
	}
	if always != nil && !*always {
		r.whenProblem(graph.Warning, CodeNever, e, "when=%s never fires: the expression is always false", shown(text))
	}
	return compiled
}

// checkElse warns about an else edge of a node that has no edge with a condition.
func (r *reader) checkElse(e *graph.Edge) {
	chooses, known := r.chooses[e.Source]
	for _, other := range e.Source.Out {
		if known {
			break
		}
		text, _ := other.Attr(attrWhen)
		switch word, _, _ := strings.Cut(strings.TrimSpace(text), ":"); word {
		case "case", "exit", "if":
			chooses = true
		}
	}
	if r.chooses[e.Source] = chooses; chooses {
		return
	}
	r.whenProblem(graph.Warning, CodeAlways, e, "when=\"else\" always fires: %s has no edge with case, exit or if; write done", r.handle(e.Source))
}

// compileTest compiles an expression that must be true or false, with ${{ }} around it or without. always is the value if
// that is the same in every run, otherwise nil.
func compileTest(text string, s *expression.Scope) (e *expression.Expr, always *bool, err error) {
	if e, err = expression.Compile(bare(text), *s); err != nil {
		return nil, nil, err
	}
	if kind := e.Certainly(); kind != "" && kind != "true or false" {
		return nil, nil, &expression.Error{Line: 1, Column: 1, Problem: "gives " + kind + ", neither true nor false", Remedy: "compare it with something"}
	}
	if !e.Constant() {
		return e, nil, nil
	}
	yes, err := e.Bool(expression.Env{})
	return e, &yes, err
}

// bare removes an unnecessary ${{ }} around an expression.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "${{"); ok {
		if inner, ok := strings.CutSuffix(inner, "}}"); ok && !strings.Contains(inner, "${{") {
			return strings.TrimSpace(inner)
		}
	}
	return text
}

// shown quotes an attribute for a message, and cuts it if it is long.
func shown(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60]) + "..."
	}
	return "\"" + strings.NewReplacer("\n", " ", "\r", " ").Replace(text) + "\""
}

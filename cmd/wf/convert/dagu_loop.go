package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// A daguRepeat is the repeat policy of a step. The step becomes a container with the step and a node that
// tests.
type daguRepeat struct {
	line     int
	mode     string   // while or until
	tests    []string // lines for the shell: see conditions
	codes    []string // exit codes of the step, instead of tests
	interval string   // in seconds; "" = none
	limit    string   // of repetitions; "" = none
}

// repeat reads a repeat policy.
func (s *daguStep) readRepeat(r *daguReader) func(*yaml.Node) {
	return func(n *yaml.Node) {
		p := &daguRepeat{line: n.Line}
		var condition daguCondition
		r.fields(n, keys{
			"repeat": into(&p.mode), "intervalsec": into(&p.interval), "limit": into(&p.limit),
			"condition": into(&condition.condition), "expected": condition.readExpected,
			"exitcode": func(n *yaml.Node) { p.codes = texts(n) },
		})
		if p.mode == "false" {
			return
		}
		if condition.condition != "" {
			p.tests = []string{condition.line(n.Line)}
		}
		switch {
		case p.tests == nil && p.codes == nil:
			panic(&Error{Line: n.Line, Msg: "the step repeats for ever: a workfile ends every loop", Fix: "give the repetition a condition or a limit in the command"})
		case p.mode == "" || p.mode == "true":
			p.mode = "while"
			if condition.expected != nil {
				p.mode = "until" // the default of Dagu
			}
		case p.mode != "while" && p.mode != "until":
			fail(n.Line, "repeat %q: must be while or until", clip(p.mode))
		}
		s.repeats = p
	}
}

// loop puts the node of a step into a container that repeats it. Dagu tests after each execution, like
// until.
func (r *daguReader) loop(s *daguStep) {
	p := s.repeats
	if s.output != "" {
		fail(p.line, "step %s has an output and repeats: what of it the next steps should get is not clear", s.name)
	}
	inner, test := s.name+"_step", s.name+"_test"
	for _, name := range []string{inner, test} {
		if _, taken := r.b.at[name]; taken {
			fail(p.line, "the repetition of %s becomes a node called %s, and another step is called that", s.name, name)
		}
	}
	n := *r.b.node(s.name, s.line)
	moved := r.b.node(inner, s.line)
	moved.Command, moved.NoCommand, moved.Attrs, moved.Parent = n.Command, n.NoCommand, n.Attrs, s.name
	if p.interval != "" && p.interval != "0" {
		setAttr(moved, "wait", fmt.Sprintf(`${{ iteration == 0 ? "0s" : "%ss" }}`, p.interval))
	}
	container := r.b.node(s.name, s.line)
	container.Container, container.NoCommand, container.Command, container.Attrs = true, false, "", map[string]string{}
	if p.limit != "" && p.limit != "0" {
		container.Attrs["max_iterations"] = p.limit
	}
	if p.codes != nil {
		condition := fmt.Sprintf("nodes[%s].exit_code in [%s]", strconv.Quote(inner), strings.Join(p.codes, ", "))
		if p.mode == "while" {
			condition = "not (" + condition + ")"
		}
		container.Attrs["until"] = condition
		p.tests = []string{":"}
	} else {
		want := map[string]string{"while": daguUnmet, "until": daguMet}[p.mode]
		container.Attrs["until"] = fmt.Sprintf("nodes[%s].outputs.case == %q", strconv.Quote(test), want)
	}
	node := r.b.node(test, p.line)
	setCommand(node, strings.Join(slices.Concat(r.env, s.env, p.tests, []string{met}), "\n"))
	node.Parent = s.name
	when := ""
	if p.codes != nil {
		when = "done" // the loop interprets the exit code
	}
	r.b.edge(inner, test, link{when: when}, s.line)
}

// The outcomes of a node that checks conditions, and the line that reports the outcome after failed ones.
const (
	daguMet   = "met"
	daguUnmet = "unmet"
	met       = `echo case=` + daguMet + ` >> "$WF_OUTPUT"`
)

// guard puts a node before a step that lets it run only if its preconditions are met.
func (r *daguReader) guard(s *daguStep) {
	if len(s.preconditions) == 0 {
		return
	}
	name := s.name + "_if"
	if _, taken := r.b.at[name]; taken {
		fail(s.line, "the preconditions of %s become a node called %s, and another step is called that", s.name, name)
	}
	n := r.b.node(name, s.line)
	setCommand(n, strings.Join(slices.Concat(s.setup, s.preconditions, []string{met}), "\n"))
	if received := r.received(s, strings.Join(s.preconditions, "\n")); received != nil {
		setAttr(n, "env", strings.Join(received, "\n"))
	}
	s.guardedBy = name
	r.b.edge(name, s.name, link{when: "case:" + daguMet}, s.line)
}

// guardAll puts the preconditions of the workflow before all steps that have no predecessor.
func (r *daguReader) guardAll() {
	if len(r.preconditions) == 0 {
		return
	}
	waits := map[int]bool{}
	for _, e := range r.b.ends {
		waits[e.To] = true
	}
	const name = "preconditions"
	if _, taken := r.b.at[name]; taken {
		fail(r.preLine, "the preconditions become a node of that name, and a step has it already")
	}
	count := len(r.b.wf.Nodes)
	setCommand(r.b.node(name, r.preLine), strings.Join(slices.Concat(r.env, r.preconditions, []string{met}), "\n"))
	for i := range count {
		if n := &r.b.wf.Nodes[i]; !waits[i] && n.Parent == "" {
			r.b.edge(name, n.ID, link{when: "case:" + daguMet}, r.preLine)
		}
	}
}

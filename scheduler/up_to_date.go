package scheduler

import (
	"fmt"

	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// Files are the values of the attributes inputs, outputs and cache_version for an execution, and keep_partial.
type Files struct {
	Inputs, Outputs string // lists of paths, see package uptodate
	Version         string
	KeepPartial     bool
}

// filesOf computes the declared files of an execution; nil = none are declared.
func (t *texts) filesOf(i nodeID, rules *flow.Rules) (*Files, error) {
	if rules == nil || rules.Files == nil {
		return nil, nil
	}
	declared, e := rules.Files, t.env(i)
	f := &Files{KeepPartial: declared.KeepPartial}
	for _, a := range [...]struct {
		name string
		text *expression.Text
		into *string
	}{{"inputs", declared.Inputs, &f.Inputs}, {"outputs", declared.Outputs, &f.Outputs}, {"cache_version", declared.Version, &f.Version}} {
		if a.text == nil {
			continue
		}
		value, err := a.text.Render(e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		*a.into = value
	}
	return f, nil
}

// DeclaresOutputs reports whether a node declares outputs, so that an earlier success can make its execution unnecessary.
func (q queries) DeclaresOutputs(node int) bool {
	rules := q.rulesOf(nodeID(node))
	return rules != nil && rules.Files != nil && rules.Files.Outputs != nil
}

// Files returns the declared files of the present execution of a node, which must not be changed; nil = none are declared, or, in
// a dry run, they depend on what commands will do. It is valid from Execute until the node is activated again.
func (q queries) Files(node int) *Files {
	return q.extrasOrZero(nodeID(node)).files
}

// upToDate ends an activation without an execution.
func (r *Run) upToDate(ev *Event) {
	i := nodeID(ev.Node)
	if n := &r.nodes[i]; n.status != graph.Queued || n.dispatched || r.waiting(i) || !r.DeclaresOutputs(ev.Node) {
		panic(fmt.Sprintf("internal error: scheduler: node %s up to date while %q", r.Path(ev.Node), n.status))
	}
	r.activity(i).finish(outcome{ok: true, hasExit: true, outputs: ev.Outputs, stdout: ev.Stdout, message: ev.Message, upToDate: true})
}

// DeclaredInputs returns the inputs that the nodes of the workfile declare, whether or not they are part of the run: lists of
// paths, in which expressions that depend on nodes or items are not evaluated.
func (t *texts) DeclaredInputs() (list []string) {
	if t.opt.Flow == nil {
		return nil
	}
	e := t.envIn(0)
	e.UUID = func() string { return "" } // the next id belongs to the next event
	for home, text := range t.opt.Flow.InputTexts() {
		if home == nil && len(text.Nodes()) == 0 {
			if value, err := text.Render(e); err == nil {
				list = append(list, value)
				continue
			}
		}
		list = append(list, text.String())
	}
	return list
}

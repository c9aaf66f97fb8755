package scheduler

import (
	"fmt"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// A unit is another workfile that stands for a node (flow.Unit). Each of its instances has parameters of its own.

// unitOf returns the workfile that an instance runs, nil if it runs nodes of the workfile around it.
func (st *state) unitOf(k instanceID) *flow.Unit {
	inst := &st.instances[k]
	if inst.owner == noNode {
		return nil
	}
	return st.rulesOf(inst.owner).Sub.Unit
}

// withEnv returns what the lines of with see for the n-th instance of a node: what the node sees, and the item of the instance.
func (t *texts) withEnv(i nodeID, n int) expression.Env {
	around := t.env(i)
	e := around
	e.Parent = &around
	switch sub := t.rulesOf(i).Sub; {
	case sub.Kind == flow.Foreach:
		e.Index = n
		if items := t.subState(i).items; n < len(items) {
			e.Item = items[n]
		}
	case !sub.Once:
		e.Index = n
	}
	return e
}

// unitValues computes the parameters of the n-th instance of a node. known is false in a dry run that does not know them.
func (t *texts) unitValues(i nodeID, n int) (values map[string]any, known bool, err error) {
	unit := t.rulesOf(i).Sub.Unit
	return evaluateText(t, t.instanceNo(i), false, func() (map[string]any, error) {
		return unit.Values(t.withEnv(i, n), t.opt.Params, t.opt.Variable)
	})
}

// prepareUnit computes the parameters of the next instance of a sub-flow, if it runs another workfile. It reports whether the
// instance can start.
func (sf subflow) prepareUnit(s *subflowState) bool {
	if sf.rules().Sub.Unit == nil {
		return true
	}
	values, known, err := sf.unitValues(sf.node, len(s.instances))
	if known && err != nil {
		s.stopping, s.message = ReasonExpression, err.Error()
		return false
	}
	next := instanceID(len(sf.instances))
	if sf.units == nil {
		sf.units = map[instanceID]map[string]any{}
	}
	sf.units[next] = values
	if !known {
		sf.dry.vague[next] = true
	}
	return true
}

// unitParams returns the parameters of an instance of another workfile.
func (t *texts) unitParams(k instanceID) map[string]any {
	if values, known := t.units[k]; known {
		return values
	}
	inst := &t.instances[k] // an instance of an earlier run, which this one only shows
	values, _, _ := t.unitValues(inst.owner, int(inst.number))
	return values
}

// unitVariables adds the parameters of another workfile as variables. Its secrets are those of the run, which all commands get; one
// without a value must not be that of the workfile around it.
func (t *texts) unitVariables(env []string, k instanceID) []string {
	unit := t.unitOf(k)
	if unit == nil {
		return env
	}
	values := t.unitParams(k)
	for i := range unit.Params {
		if p := &unit.Params[i]; p.Type != flow.Secret {
			env = append(env, flow.ParamVariable(p.Name)+"="+expression.Format(values[p.Name]))
		}
	}
	return env
}

// unitOutcome adds the outputs of a workfile that ran once.
func (sf subflow) unitOutcome(s *subflowState, out outcome) outcome {
	sub := sf.rules().Sub
	if sub.Unit == nil || !sub.Once || len(s.instances) == 0 {
		return out
	}
	k := s.instances[len(s.instances)-1]
	if !out.ok {
		if out.reason == ReasonInstances {
			out.message = sf.failedIn(k)
		}
		return out
	}
	outputs, sure, err := evaluateText(&sf.texts, k, false, func() (map[string]any, error) { return sub.Unit.Results(sf.envIn(k)) })
	switch {
	case !sure:
	case err != nil:
		return outcome{reason: ReasonExpression, message: err.Error()}
	default:
		out.outputs = outputs
	}
	return out
}

// failedIn names the nodes of an instance whose failure nothing handled, at most the first few.
func (st *state) failedIn(k instanceID) string {
	const named = 5
	var names []string
	inst := &st.instances[k]
	for i := inst.node; i < inst.end(); i++ {
		if st.nodes[i].status == graph.Failed && !st.nodes[i].handled {
			if len(names) == named {
				names = append(names, "…")
				break
			}
			names = append(names, inst.lay.names[inst.local(i)])
		}
	}
	return fmt.Sprintf("failed in it: %s", strings.Join(names, ", "))
}

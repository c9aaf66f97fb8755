package scheduler

import (
	"fmt"
	"slices"

	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// prepareExecution computes the environment and the resources of an execution.
func (t *texts) prepareExecution(i nodeID, rules *flow.Rules) error {
	var env []string
	frame := t.instanceNo(i)
	env = t.itemVariables(env, frame)
	if x := t.extrasOf(i); x != nil && x.granted != nil {
		env = appendValues(env, "WF_APPROVAL_", x.granted)
	}
	env, err := t.subFlowVariables(env, frame)
	if err == nil {
		env, err = t.variablesOf(env, i, rules)
	}
	if err != nil {
		return err
	}
	var resources flow.Resources
	if rules != nil && rules.Resources != nil {
		e := t.env(i)
		e.Attempt = 1
		if x := t.extrasOf(i); x != nil {
			e.Attempt += x.attempt
		}
		if resources, err = rules.Resources.Render(e); err != nil {
			return err
		}
	}
	files, err := t.filesOf(i, rules)
	if err != nil {
		return err
	}
	if env != nil || resources != (flow.Resources{}) || files != nil || t.extrasOf(i) != nil {
		x := t.ensureExtrasOf(i)
		x.env, x.resources, x.files = env, resources, files
	}
	return nil
}

// subFlowVariables adds the variables of the sub-flows around an instance, the outermost first.
func (t *texts) subFlowVariables(env []string, frame instanceID) ([]string, error) {
	owner := t.instances[frame].owner
	if owner == noNode {
		return env, nil
	}
	env, err := t.subFlowVariables(env, t.instanceNo(owner))
	if err != nil {
		return env, err
	}
	return t.variablesOf(env, owner, t.rulesOf(owner))
}

// variablesOf adds the variables that a node or a sub-flow sets.
func (t *texts) variablesOf(env []string, i nodeID, rules *flow.Rules) ([]string, error) {
	if rules == nil || len(rules.Env) == 0 {
		return env, nil
	}
	e := t.env(i)
	for _, v := range rules.Env {
		text, err := v.Value.Render(e)
		if err != nil {
			return env, fmt.Errorf("env %s: %w", v.Name, err)
		}
		env = append(env, v.Name+"="+text)
	}
	return env, nil
}

// itemVariables adds the variables with the instance and item of a command, the outermost first.
func (t *texts) itemVariables(env []string, frame instanceID) []string {
	inst := &t.instances[frame]
	if inst.owner == noNode {
		return env
	}
	env = t.itemVariables(env, t.instanceNo(inst.owner))
	rules := t.rulesOf(inst.owner)
	if rules.Sub.Unit != nil {
		env = t.unitVariables(env, frame)
	}
	if rules.Sub.Once {
		return env
	}
	if rules.Sub.Kind == flow.While || rules.Sub.Kind == flow.Until {
		return append(env, fmt.Sprintf("WF_ITERATION=%d", inst.number))
	}
	env = append(env, fmt.Sprintf("WF_INDEX=%d", inst.number))
	if rules.Sub.Kind == flow.Foreach {
		env = append(env, "WF_ITEM="+expression.Format(t.item(inst)))
		if rules.Sub.Table != nil {
			env = columnVariables(env, t.item(inst))
		}
	}
	return env
}

// Environment returns the variables of the present execution of a node beyond those that all executions
// get: KEY=VALUE, later ones replace earlier ones. It is valid from Execute until the execution is over.
func (t *texts) Environment(node int) []string {
	if x := t.extrasOf(nodeID(node)); x != nil {
		return x.env
	}
	return nil
}

// Resources returns what the present execution of a node needs. It is valid from Execute until the execution is over.
func (t *texts) Resources(node int) flow.Resources {
	if x := t.extrasOf(nodeID(node)); x != nil {
		return x.resources
	}
	return flow.Resources{}
}

// Idempotent reports whether a command may be executed again if its end is unknown.
func (t *texts) Idempotent(node int) bool { return t.nodes[nodeID(node)].idempotent }

// Executor returns the name of the executor that a node or a container around it asks for; "" = that of the run.
func (t *texts) Executor(node int) string {
	if rules := t.rulesOf(nodeID(node)); rules != nil {
		return rules.Executor
	}
	return ""
}

// SecretVariable reports whether a variable of the executions of a node holds a secret parameter.
func (t *texts) SecretVariable(node int, name string) bool {
	for i := nodeID(node); i != noNode; i = t.instanceOf(i).owner {
		if rules := t.rulesOf(i); rules != nil {
			for _, v := range rules.Env {
				if v.Name == name {
					return v.Value.Secret()
				}
			}
		}
	}
	return false
}

// ParamVariables returns the parameters of the run as environment variables of its commands.
func (t *texts) ParamVariables() []string { return appendValues(nil, "WF_PARAM_", t.opt.Params) }

// appendValues adds values as environment variables, sorted.
func appendValues(env []string, prefix string, values map[string]any) []string {
	first := len(env)
	for name, value := range values {
		env = append(env, prefix+flow.VariableName(name)+"="+expression.Format(value))
	}
	slices.Sort(env[first:])
	return env
}

package workspace

import (
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// secretsOf returns the secret parameters of a run as variables of its environment, which is the only place where they are stored
// while it goes.
func secretsOf(f *flow.Flow, params map[string]any) []string {
	var env []string
	for _, p := range f.Params {
		if value, given := params[p.Name]; given && p.Type == flow.Secret {
			env = append(env, flow.ParamVariable(p.Name)+"="+expression.Format(value))
		}
	}
	return env
}

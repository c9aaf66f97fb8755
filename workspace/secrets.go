package workspace

import (
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// hideSecrets looks up variables for expressions, which do not see secret parameters.
func hideSecrets(f *flow.Flow, look func(name string) string) func(name string) string {
	hidden := map[string]bool{}
	for _, p := range f.Params {
		if p.Type == flow.Secret {
			hidden[flow.ParamVariable(p.Name)] = true
		}
	}
	if len(hidden) == 0 {
		return look
	}
	return func(name string) string {
		if hidden[name] {
			return ""
		}
		return look(name)
	}
}

// secretsOf are the secret parameters of a run, as variables of its environment: there, and nowhere else, they
// are kept while it goes.
func secretsOf(f *flow.Flow, params map[string]any) []string {
	var env []string
	for _, p := range f.Params {
		if value, given := params[p.Name]; given && p.Type == flow.Secret {
			env = append(env, flow.ParamVariable(p.Name)+"="+expression.Format(value))
		}
	}
	return env
}

package planning

import (
	"fmt"

	"wf/api"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/secrets"
)

// useSecrets notes in a request which variables of the run are secret. It refuses a value that is too short to be hidden.
func useSecrets(q *history.Request, f *flow.Flow, env []string) error {
	if !f.Secrets.Any {
		return nil
	}
	q.Secrets = &history.Secrets{Names: f.Secrets.Names}
	for _, name := range f.Secrets.Names {
		for _, value := range secrets.Values(env, []string{name}) {
			if value != "" && !secrets.Maskable(value) {
				return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("the value of the secret variable %s is too short", name),
					Why: fmt.Sprintf("a value is replaced wherever it appears, and one of less than %d bytes appears everywhere", secrets.Least),
					Fix: fmt.Sprintf("set a longer one, leave %s empty, or take it out of the attribute secrets", name)}
			}
		}
	}
	return nil
}

// masksOf returns the masks of a draft for answers about it.
func (r *Draft) masksOf(env []string) *secrets.Masks {
	if r.Request.Secrets == nil {
		return nil
	}
	values := secrets.Values(append(env[:len(env):len(env)], r.secrets...), r.Request.Secrets.Names)
	return secrets.New(values...)
}

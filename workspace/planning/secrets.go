package planning

import (
	"fmt"

	"wf/api"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/secrets"
)

// useSecrets notes in the request of a draft which variables are secret. It refuses a value that is too short to be hidden.
func (r *Draft) useSecrets(f *flow.Flow, env []string) error {
	if !f.Secrets.Any {
		return nil
	}
	r.Request.Secrets = &history.Secrets{Names: f.Secrets.Names}
	for _, name := range f.Secrets.Names {
		for _, value := range secrets.Values(r.withParams(env), []string{name}) {
			if value != "" && !secrets.Maskable(value) {
				return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("the value of the secret variable %s is too short", name),
					Why: fmt.Sprintf("a value is replaced wherever it appears, and one of less than %d bytes appears everywhere", secrets.Least),
					Fix: fmt.Sprintf("use a longer one, leave %s empty, or take it out of the attribute secrets", name)}
			}
		}
	}
	return nil
}

// withParams adds the secret parameters to an environment.
func (r *Draft) withParams(env []string) []string {
	return append(env[:len(env):len(env)], r.secrets...)
}

// masksOf returns the masks of a draft for answers about it.
func (r *Draft) masksOf(env []string) *secrets.Masks {
	if r.Request.Secrets == nil {
		return nil
	}
	return secrets.New(secrets.Values(r.withParams(env), r.Request.Secrets.Names)...)
}

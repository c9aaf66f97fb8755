package daemon

import (
	"wf/api"
	"wf/workspace"
)

// Plan answers without a daemon what a run of the workfile at path (absolute) would do, from the
// file and the history below the folder state, and changes nothing on the disk. While a daemon has
// the file open, ask it instead: it knows what is not written yet. Errors are *api.Error.
func Plan(path, state string, req api.RunRequest) (api.Plan, error) {
	look, err := workspace.LookAt(path, state)
	if err != nil {
		return api.Plan{}, err
	}
	look.UsePools(newPools(state))
	return look.Plan(req)
}

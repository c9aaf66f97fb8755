package words

import "wf/api"

// ResultState is the state whose look the result of a run borrows; a run without a result is running.
func ResultState(r api.Result) api.State {
	switch r {
	case api.Succeeded:
		return api.StateOK
	case api.ResFailed:
		return api.StateFailed
	case api.Cancelled:
		return api.StateCancelled
	}
	return api.StateRunning
}

package runstate

import "wf/api"

// ExitCode returns the exit status of an attached `wf run` (`wf help exit-codes`) for the result of a run and the cause of
// its stop, as far as the daemon can determine it.
func ExitCode(result api.Result, cause string) int {
	switch {
	case result == api.Succeeded:
		return 0
	case result == api.ResFailed:
		return 1
	case cause == "timeout":
		return 124
	case cause == "approval": // wf run --approval fail
		return 5
	case cause == "SIGINT":
		return 130
	case cause == "SIGTERM":
		return 143
	}
	return 6
}

// Package exit has the errors of commands, with exit statuses and fixes, and the table from errors to exit statuses. It
// prints nothing.
package exit

import (
	"errors"

	"wf/api"
	"wf/client"
)

// Exit statuses (`wf help exit-codes`).
const (
	OK          = 0
	Failed      = 1 // failed nodes of a run; or the negative answer of wf kv or wf doctor
	BadUsage    = 2
	BadWorkfile = 3
	Daemon      = 4 // errors of wf itself
	Unanswered  = 5
	Stopped     = 6
	Busy        = 7
	Timeout     = 124
	Hangup      = 129
	Interrupted = 130
	Terminated  = 143
)

// Status returns the exit status for an error. It is the only table from errors to exit statuses.
func Status(err error) int {
	var (
		ended       Error
		no          answerNo
		found       *Failure
		refused     *api.Error
		unreachable *client.UnreachableError
	)
	switch {
	case err == nil:
		return OK
	case errors.As(err, &ended):
		return int(ended)
	case errors.As(err, &no):
		return Failed
	case errors.As(err, &found):
		return found.Status
	case errors.As(err, &unreachable):
		return Daemon
	case errors.As(err, &refused):
		return codeStatus(refused.Code)
	}
	return Daemon
}

// codeStatus returns the exit status for an error of the daemon.
func codeStatus(code api.Code) int {
	switch code {
	case api.CodeWorkfile, api.CodeCycle:
		return BadWorkfile
	case api.CodeInvalid, api.CodeUnknownNode, api.CodeNotFound, api.CodeNoOutput:
		return BadUsage
	case api.CodeConflict: // another run has the nodes; scripts can wait for it
		return Busy
	}
	return Daemon
}

// answerNo is a negative answer.
type answerNo struct{ error }

func (n answerNo) Unwrap() error { return n.error }

// No marks err as a negative answer, such as: there is no value.
func No(err error) error { return answerNo{err} }

package api

import (
	"errors"
	"fmt"
	"maps"
	"strings"
)

// Code is the kind of an error, a stable word.
type Code string

// The codes, with their HTTP statuses: see Status.
const (
	CodeInvalid     Code = "invalid"      // 400: the request is malformed
	CodeUnknownNode Code = "unknown_node" // 404: selector without a match
	CodeNotFound    Code = "not_found"    // 404: no such workspace, run
	CodeNoOutput    Code = "no_output"    // 404: the node was not executed in that run, or not yet
	CodeWorkfile    Code = "workfile"     // 422: missing, unreadable, edge without end
	CodeCycle       Code = "cycle"        // 422: a workfile with a blocking cycle; Nodes is one, in order
	CodeConflict    Code = "conflict"     // 409: an active run prevents it
	CodeDone        Code = "done"         // 409: all nodes are done; the client asks its user before it repeats all
	CodeRefused     Code = "refused"      // 403: not allowed, or not now
	CodeGone        Code = "gone"         // 410: the workspace or the daemon is closing: send the request again
	CodeLost        Code = "lost"         // 503: sent again, and it is unknown whether the first request was served
	CodeVersion     Code = "version"      // 426: client and daemon do not understand each other
	CodeInternal    Code = "internal"     // 500
)

// Error is the body of every answer other than a success. It implements error. Message is the problem, in lower case;
// Where a file and line; Why the reason; Fix the command that solves it (docs/cli.md). All but Message may be empty.
type Error struct {
	Code    Code     `json:"code"`
	Message string   `json:"message"`
	Where   string   `json:"where,omitempty"`
	Why     string   `json:"why,omitempty"`
	Fix     string   `json:"fix,omitempty"`
	Nodes   []string `json:"nodes,omitempty"` // shared nodes of a conflict, nodes of a cycle
	Run     string   `json:"run,omitempty"`   // the run that prevents it
	// OnBusy, with CodeConflict, is the behaviour that the workfile requests instead of a refusal: BusyQueue or BusyCancel.
	OnBusy string `json:"on_busy,omitempty"`
	// Problems lists the problems of the parameters of a run; Why contains them as text.
	Problems []ParamProblem `json:"problems,omitempty"`
	Repeat   *Repeat        `json:"repeat,omitempty"` // of CodeDone
}

// Repeat describes what a fresh run would repeat.
type Repeat struct {
	Done   int      `json:"done"`    // number of nodes: all of the workfile
	Runs   []string `json:"runs"`    // the last run of all nodes and the runs that resumed it
	TookMS int64    `json:"took_ms"` // of all of these runs together
}

func (e *Error) Error() string { return e.Message }

// Invalid returns the error for a malformed request.
func Invalid(format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns the error for a workspace or run that does not exist.
func NotFound(format string, args ...any) *Error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf(format, args...)}
}

// Internal returns the error for a failure of the daemon: what it could not do, and err as the reason.
func Internal(what string, err error) *Error {
	return &Error{Code: CodeInternal, Message: what + ": " + err.Error()}
}

// statuses are the HTTP statuses of the codes.
var statuses = map[Code]int{
	CodeInternal: 500,
	CodeInvalid:  400, CodeRefused: 403, CodeUnknownNode: 404, CodeNotFound: 404, CodeNoOutput: 404, CodeConflict: 409,
	CodeDone: 409, CodeGone: 410, CodeWorkfile: 422, CodeCycle: 422, CodeVersion: 426, CodeLost: 503,
}

// Status returns the HTTP status of an answer with the code; 500 for an unknown one.
func (c Code) Status() int {
	if status, known := statuses[c]; known {
		return status
	}
	return statuses[CodeInternal]
}

// Codes returns all codes with their HTTP statuses.
func Codes() map[Code]int { return maps.Clone(statuses) }

// HasCode reports whether err is, or wraps, an *Error with the code.
func HasCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// Several joins at most n names and counts the rest: "a, b and 3 more".
func Several(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

// Counted returns a number with its noun: "1 node", "2 nodes".
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

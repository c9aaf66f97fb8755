package main

import (
	"cmp"
	"errors"
	"strings"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// errorReport is an error for programs: wf.error/v1.
type errorReport struct {
	Schema string `json:"schema"`
	api.Error
	ExitCode int `json:"exit_code"`
}

// asksJSON says whether the arguments of the program ask for JSON. It looks at the raw arguments, because parsing
// them can fail, and the error must then be JSON, too.
func asksJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true", "--json=1", "--format=json":
			return true
		}
	}
	return false
}

// printErrorJSON writes err as one line to standard error; standard output is only for results.
func printErrorJSON(e *env, err error) {
	f := e.explainFormat(exit.Describe(err))
	report := errorReport{Schema: api.SchemaError, ExitCode: exit.Status(err), Error: api.Error{Code: errorCode(err),
		Message: plainText(f.What), Where: plainText(f.Where), Why: plainText(f.Why), Fix: plainText(advise(e, f.Fix))}}
	var refused *api.Error
	if errors.As(err, &refused) {
		report.Nodes, report.Run, report.Problems = refused.Nodes, refused.Run, refused.Problems
	}
	_ = console.WriteJSON(e.Stderr, report) // there is no other place to report an error
}

// plainText removes control sequences from a text.
func plainText(text string) string { return strings.TrimSpace(plain.Text(text)) }

// errorCode returns the stable code of an error: that of the daemon, or else one by the exit status.
func errorCode(err error) api.Code {
	var refused *api.Error
	if errors.As(err, &refused) {
		return refused.Code
	}
	return cmp.Or(statusCodes[exit.Status(err)], "failed")
}

// statusCodes are the codes of errors that do not come from the daemon, by exit status.
var statusCodes = map[int]api.Code{
	exit.BadUsage:    "usage",
	exit.BadWorkfile: api.CodeWorkfile,
	exit.Daemon:      "daemon",
	exit.Unanswered:  "approval",
	exit.Stopped:     "stopped",
	exit.Busy:        "busy",
	exit.Timeout:     "timeout",
}

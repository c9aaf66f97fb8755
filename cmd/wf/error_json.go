package main

import (
	"errors"
	"strings"

	"wf/api"
	"wf/client"
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
		Message: plainText(f.What), Where: plainText(f.Where), Why: plainText(f.Why), Fix: plainText(e.adviseFile(f.Fix))}}
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
	var (
		refused     *api.Error
		unreachable *client.UnreachableError
		exposed     *client.ExposedError
	)
	switch {
	case errors.As(err, &refused):
		return refused.Code
	case errors.As(err, &unreachable), errors.As(err, &exposed):
		return codeDaemon
	}
	if code, known := statusCodes[exit.Status(err)]; known {
		return code
	}
	return codeFailed
}

// Codes of errors that do not come from the daemon.
const (
	codeUsage    api.Code = "usage"
	codeDaemon   api.Code = "daemon"
	codeApproval api.Code = "approval"
	codeStopped  api.Code = "stopped"
	codeBusy     api.Code = "busy"
	codeTimeout  api.Code = "timeout"
	codeFailed   api.Code = "failed"
)

var statusCodes = map[int]api.Code{
	exit.BadUsage:    codeUsage,
	exit.BadWorkfile: api.CodeWorkfile,
	exit.Daemon:      codeDaemon,
	exit.Unanswered:  codeApproval,
	exit.Stopped:     codeStopped,
	exit.Busy:        codeBusy,
	exit.Timeout:     codeTimeout,
}

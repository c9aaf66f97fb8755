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

// asksJSON says whether the arguments of the program ask for JSON. It must be known before they are
// understood, because an error may be about them.
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

// printErrorJSON writes err as one line to standard error. Standard output is left to answers.
func printErrorJSON(e *env, err error) {
	f := e.foreign(exit.Describe(err))
	report := errorReport{Schema: api.SchemaError, ExitCode: exit.Status(err), Error: api.Error{Code: errorCode(err),
		Message: plainText(f.What), Where: plainText(f.Where), Why: plainText(f.Why), Fix: plainText(e.adviseFile(f.Fix))}}
	var refused *api.Error
	if errors.As(err, &refused) {
		report.Nodes, report.Run, report.Problems = refused.Nodes, refused.Run, refused.Problems
	}
	_ = console.WriteJSON(e.Stderr, report) // there is nobody left to tell
}

// plainText is text without what a terminal obeys.
func plainText(text string) string { return strings.TrimSpace(plain.Text(text)) }

// errorCode is the stable word for any error: that of the daemon, else what the exit status means.
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

// The codes of errors that are found on this side.
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

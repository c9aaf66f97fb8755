// Command wf runs workfiles: GraphML files whose nodes are shell commands and whose edges are
// dependencies. This package is the command line, one file per command, and the place where the
// daemon and the executor are put together. It decides nothing about workflows: everything about
// a workfile is asked of the daemon, through package client.
package main

import (
	"errors"
	"os"

	"wf/api"
	"wf/client"
)

// runnerCommand is the hidden sub-command that forks and reaps the commands of one run.
const runnerCommand = "runner"

// Exit statuses (`wf help exit-codes`).
const (
	exitOK          = 0
	exitFailed      = 1 // nodes of a run, and nothing else; where there is no run: the answer is no (wf kv, wf doctor)
	exitUsage       = 2
	exitWorkfile    = 3
	exitDaemon      = 4 // whatever wf itself could not do
	exitApproval    = 5
	exitStopped     = 6
	exitBusy        = 7
	exitTimeout     = 124
	exitHangup      = 129
	exitInterrupted = 130
	exitTerminated  = 143
)

func main() {
	// A run waits for its runner, so the runner skips everything that only people need.
	if len(os.Args) > 1 && os.Args[1] == runnerCommand {
		os.Exit(runRunner(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == rehearseCommand {
		os.Exit(runRehearse(os.Args[2:]))
	}
	e := newEnv()
	e.jsonErrors = asksJSON(os.Args[1:])
	e.Guard(func() {
		err := execute(e, os.Args[1:])
		printError(e, err)
		os.Exit(exitStatus(err))
	})
}

// exitStatus is the only table from errors to exit statuses.
func exitStatus(err error) int {
	var (
		ended       exitError
		no          answerNo
		found       *failure
		conflict    *runConflict
		refused     *api.Error
		unreachable *client.UnreachableError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ended):
		return int(ended)
	case errors.As(err, &no):
		return exitFailed
	case errors.As(err, &found):
		return found.status
	case errors.As(err, &conflict):
		return exitBusy
	case errors.As(err, &unreachable):
		return exitDaemon
	case errors.As(err, &refused):
		return codeStatus(refused.Code)
	}
	return exitDaemon
}

// codeStatus is the part of the table for errors that the daemon answered with.
func codeStatus(code api.Code) int {
	switch code {
	case api.CodeWorkfile, api.CodeCycle:
		return exitWorkfile
	case api.CodeInvalid, api.CodeUnknownNode, api.CodeNotFound, api.CodeNoOutput:
		return exitUsage
	case api.CodeConflict:
		return exitBusy
	}
	return exitDaemon
}

// An answerNo is an error that is the answer to a question where no run is: there is no such value.
type answerNo struct{ error }

func (n answerNo) Unwrap() error { return n.error }

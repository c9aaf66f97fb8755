// Command wf runs workfiles: GraphML files whose nodes are shell commands and whose edges are
// dependencies. This package is the command line, one file per command, and the place where the
// daemon and the executor are put together. It decides nothing about workflows: everything about
// a workfile is asked of the daemon, through package client.
package main

import (
	"os"

	"wf/cmd/wf/exit"
	"wf/remote"
)

// runnerCommand is the hidden sub-command that forks and reaps the commands of one run.
const runnerCommand = "runner"

func main() {
	// A run waits for its runner to start, so the runner skips the setup of the command line.
	if len(os.Args) > 1 && os.Args[1] == runnerCommand {
		os.Exit(runRunner(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == rehearseCommand {
		os.Exit(runRehearse(os.Args[2:]))
	}
	if socket := os.Getenv(remote.AskVariable); socket != "" {
		os.Exit(askForSSH(socket, os.Args[1:]))
	}
	e := newEnv()
	e.jsonErrors = asksJSON(os.Args[1:])
	e.Guard(func() {
		err := execute(e, os.Args[1:])
		printError(e, err)
		os.Exit(exit.Status(err))
	})
}

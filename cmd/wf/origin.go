package main

import (
	"os"
	"strings"

	"wf/api"
)

// originOf returns what a client of this command says about itself, for the audit log.
func originOf(e *env) api.Origin {
	o := api.Origin{Command: e.command, SSH: sshAddress(e.Get("SSH_CONNECTION"))}
	if c := e.Caller(); c != nil {
		o.Workfile, o.Run, o.Node = c.Workfile, c.Run, c.Node
	}
	return o
}

// originElsewhere is originOf for a client of the daemon of another machine.
func originElsewhere(e *env) api.Origin {
	o := originOf(e)
	o.Host, _ = os.Hostname() // "" if this machine has no name
	return o
}

// sshAddress returns the address of the client in a value of SSH_CONNECTION: "10.0.0.5 50322 10.0.0.1 22".
func sshAddress(connection string) string {
	address, _, _ := strings.Cut(connection, " ")
	return address
}

package main

import (
	"cmp"

	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// daemonHostVariable names the machine with the daemon of a run. An executor that runs commands on other machines sets it in
// their environment. With it wf neither looks for a daemon on this machine nor starts one: that daemon would have the same
// state folder as the daemon of the run, or an empty one.
const daemonHostVariable = "WF_DAEMON_HOST"

// elsewhere reports whether this wf was called by a command of a run, and the daemon of that run is on another machine.
func (e *env) elsewhere() bool { return e.Get(daemonHostVariable) != "" }

// needDaemon returns an error if the daemon is on another machine. fix is what to do instead; "" is the advice that suits all
// commands. Every path that finds or starts a daemon calls it first.
func (e *env) needDaemon(fix string) error {
	if !e.elsewhere() {
		return nil
	}
	host := plain.Line(e.Get(daemonHostVariable))
	return &exit.Failure{Status: exit.Daemon, What: "the daemon of this run is on " + host + ", not on this machine",
		Why: daemonHostVariable + " is set, so wf neither looks for a daemon here nor starts one",
		Fix: cmp.Or(fix, "call wf in a node that runs on "+host+", or wf --host ssh://"+host+" … if this machine may connect to it")}
}

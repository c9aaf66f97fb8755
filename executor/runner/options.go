package runner

import (
	"time"

	"wf/executor/proc"
	"wf/executor/wire"
)

// Options are what a runner needs from the program that it is a part of.
type Options struct {
	OpenLog OpenLog
	// StartDaemon starts a daemon if there is none. It does not wait for the daemon, which connects when it is ready.
	StartDaemon func() error

	// The fields below are set by tests only.

	Boot    func() (string, error)         // returns the id of this boot of the machine; nil = the real one
	Reached func(point string, id wire.ID) // is called at each point of an execution; nil = no call
	Pause   time.Duration                  // between two looks at whether starts are possible again; 0 = a second
}

// withDefaults returns the options with the fields of tests set.
func (o Options) withDefaults() Options {
	if o.Boot == nil {
		o.Boot = proc.BootID
	}
	if o.Reached == nil {
		o.Reached = func(string, wire.ID) {}
	}
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	return o
}

// The points of an execution, in order. Tests of package executor kill the runner at each of them, and list them again.
const (
	pointIntent     = "intent"      // the intent is durable
	pointForkEntry  = "fork entry"  // the fork entry is written
	pointForked     = "forked"      // the child exists, and its pid is not written
	pointStarted    = "started"     // the start entry is appended
	pointDied       = "died"        // the leader is a zombie
	pointEndNoted   = "end noted"   // the end entry is appended
	pointEndWritten = "end written" // the end entry is written, the zombie not reaped
)

package remote

import (
	"errors"
	"strings"
)

// The kinds of an Error.
const (
	NoConnection = "no_connection" // ssh failed for a reason that has no kind of its own
	NoName       = "no_name"       // the name of the machine has no address
	NoAnswer     = "no_answer"     // the machine cannot be reached, or does not answer
	NoServer     = "no_server"     // no program listens on its port
	NoLogin      = "no_login"      // the machine refuses the user
	UnknownKey   = "unknown_key"   // the host key was not confirmed
	ChangedKey   = "changed_key"   // the host key is not the one that ssh has stored
	NoWf         = "no_wf"         // no program wf there
	OtherWf      = "other_wf"      // wf there is too old or too new
	Lost         = "lost"          // the connection broke, and the other end is gone
	NoDaemon     = "no_daemon"     // its daemon cannot be reached
)

// An Error says why a machine cannot be used.
type Error struct {
	Kind     string   `json:"kind"`
	Machine  string   `json:"machine"`            // its address
	Version  string   `json:"version"`            // of wf there; "" if that is unknown
	Lines    []string `json:"lines,omitempty"`    // the last lines that ssh printed
	Question string   `json:"question,omitempty"` // of ssh, which no caller could answer
}

func (e *Error) Error() string {
	switch e.Kind {
	case NoName:
		return "no machine with the name of " + e.Machine + " was found"
	case NoAnswer:
		return e.Machine + " does not answer"
	case NoServer:
		return "no ssh server listens at " + e.Machine
	case NoLogin:
		return e.Machine + " refuses the login"
	case UnknownKey:
		return "the host key of " + e.Machine + " is not known yet, and was not confirmed"
	case ChangedKey:
		return "the host key of " + e.Machine + " has changed: it was installed again, or another machine pretends to be it"
	case NoWf:
		return "there is no wf on " + e.Machine
	case OtherWf:
		return "wf on " + e.Machine + " is of another version, which this wf cannot talk to"
	case NoDaemon:
		return "cannot reach the daemon of the other machine"
	case Lost:
		return "the connection to " + e.Machine + " was lost"
	}
	return "cannot connect to " + e.Machine
}

// temporary reports whether another attempt can succeed.
func (e *Error) temporary() bool {
	switch e.Kind {
	case NoConnection, NoName, NoAnswer, NoServer: // NoName: a laptop without a network
		return true
	}
	return e.needsUser()
}

// needsUser reports whether another attempt can succeed only with a user who answers questions.
func (e *Error) needsUser() bool {
	return e.Kind == NoLogin || e.Kind == UnknownKey || e.Kind == ChangedKey
}

// kindOf returns the kind of an error for what ssh has printed. Messages of ssh are not translated.
func kindOf(lines []string) string {
	text := strings.Join(lines, "\n")
	for _, c := range []struct{ part, kind string }{
		{"Could not resolve hostname", NoName},
		{"REMOTE HOST IDENTIFICATION HAS CHANGED", ChangedKey},
		{"has changed and you have requested strict checking", ChangedKey},
		{"Host key verification failed", UnknownKey},
		{"Permission denied (", NoLogin},
		{"Too many authentication failures", NoLogin},
		{"Connection refused", NoServer},
		{"timed out", NoAnswer},
		{"No route to host", NoAnswer},
		{"Network is unreachable", NoAnswer},
	} {
		if strings.Contains(text, c.part) {
			return c.kind
		}
	}
	return NoConnection
}

// errNoKeeper means that the keeper ended during a request.
var errNoKeeper = errors.New("the process that keeps the connection has ended")

package runner

import (
	"strings"
	"time"

	"wf/executor/shell"
)

// To look up a program takes a system call for each folder of PATH, as much time together as half a fork. So a program is
// looked up once for all jobs that may start at that time. A job that starts after others finds what they have installed:
// it may start only after their ends, and a lookup from before these ends is not valid for it.

// programLife is how long the result of a lookup is valid. Without a limit, a job that waits for a place for an hour would
// not find a program that a user has installed meanwhile.
const programLife = 50 * time.Millisecond

// programs are the programs that were found in PATH.
type programs struct {
	path  string // the PATH that was searched
	found map[string]foundProgram
}

// A foundProgram is the result of a lookup.
type foundProgram struct {
	path  string
	event int       // jobs.event at the time of the lookup
	at    time.Time // of the lookup
}

// find looks up name for a job that may start since the event ready. now is the present event. Failed lookups are not kept,
// nor names with a slash, for which there is nothing to look up.
func (p *programs) find(name string, env []string, ready, now int) (path string, ok bool) {
	list, _ := shell.Value(env, "PATH")
	if strings.Contains(name, "/") {
		return shell.FindProgram(name, list)
	}
	if p.found == nil || p.path != list {
		p.path, p.found = list, make(map[string]foundProgram)
	}
	at := time.Now()
	if f, ok := p.found[name]; ok && f.event >= ready && at.Sub(f.at) < programLife {
		return f.path, true
	}
	delete(p.found, name)
	if path, ok = shell.FindProgram(name, list); ok {
		p.found[name] = foundProgram{path, now, at}
	}
	return path, ok
}

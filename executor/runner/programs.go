package runner

import (
	"strings"
	"time"

	"wf/executor/shell"
)

// Looking up a program takes one system call for each folder of PATH, which can take half as long as a fork. So one lookup
// serves all jobs that are ready at that time. A job that waits for others becomes ready when they have ended and never uses
// an earlier lookup, so it finds the programs that they have installed.

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
	path string
	moment
}

// A moment is a time, together with the events so far.
type moment struct {
	event int // as in jobs.event
	time  time.Time
}

// find looks up name for a job that may start since the event ready. Failed lookups are not kept, nor names with a slash, for
// which there is nothing to look up.
func (p *programs) find(name string, env []string, ready int, now moment) (path string, ok bool) {
	list, _ := shell.Value(env, "PATH")
	if strings.Contains(name, "/") {
		return shell.FindProgram(name, list)
	}
	if p.found == nil || p.path != list {
		p.path, p.found = list, make(map[string]foundProgram)
	}
	if f, ok := p.found[name]; ok && f.event >= ready && now.time.Sub(f.time) < programLife {
		return f.path, true
	}
	delete(p.found, name)
	if path, ok = shell.FindProgram(name, list); ok {
		p.found[name] = foundProgram{path, now}
	}
	return path, ok
}

//go:build !linux || !(amd64 || arm64)

package runner

import (
	"wf/executor/procattr"
	"wf/executor/wire"
)

// A forker starts programs.
type forker struct{}

// plainForks has no effect where vforkExec does not exist.
var plainForks = 0

// fork starts the program at path as the leader of a new session, with files as its standard input, output and error.
func (*forker) fork(_ wire.ID, path string, argv, env []string, files [3]int) (child, error) {
	path, argv = procattr.ThroughHelper(path, argv)
	return forkExec(path, argv, env, files)
}

// notes reports whether the kernel writes pids into the fork note, see forkNote.
func (*forker) notes(string) bool { return false }

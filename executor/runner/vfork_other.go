//go:build !linux || !(amd64 || arm64)

package runner

import (
	"wf/executor/procattr"
	"wf/executor/wire"
)

// A forker starts programs.
type forker struct{}

// plainForks counts where there is another way of forking.
var plainForks = 0

// fork starts the program at path in a session of its own, with files as its standard three.
func (*forker) fork(_ wire.ID, path string, argv, env []string, files [3]int) (child, error) {
	path, argv = procattr.ThroughHelper(path, argv)
	return forkExec(path, argv, env, files)
}

// notes reports whether the kernel notes children, see birthNote.
func (*forker) notes(string) bool { return false }

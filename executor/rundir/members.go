package rundir

import (
	"os"
	"slices"

	"wf/executor/proc"
)

// Members finds processes of a run that are not descendants of its runner.
type Members struct {
	marker  string // of the run; "" = unknown
	outputs []os.FileInfo
}

// MembersOf returns the Members of the run in dir, whose marker is marker or "" if it is unknown.
func MembersOf(dir, marker string) Members { return Members{marker, outputsIn(dir)} }

// Contain reports whether p has the marker of the run, or has one of its output files open, which only its commands
// have been given.
func (m Members) Contain(p proc.Process) bool {
	if p.PID <= 1 {
		return false
	}
	if m.marker != "" && MarkerOf(proc.Environment(p.PID)).Run == m.marker {
		return true
	}
	return slices.ContainsFunc(proc.OutputFiles(p.PID), func(file os.FileInfo) bool {
		return slices.ContainsFunc(m.outputs, func(own os.FileInfo) bool { return os.SameFile(own, file) })
	})
}

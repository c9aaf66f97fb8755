package rundir

import (
	"os"
	"slices"

	"wf/executor/proc"
)

// A kin knows who belongs to a run, of those that are not below its runner.
type Members struct {
	marker  string // of the run; "" = unknown
	outputs []os.FileInfo
}

// MembersOf is for a run in the folder dir.
func MembersOf(dir, marker string) Members { return Members{marker, outputsIn(dir)} }

// Contain reports whether p carries the marker of the run, or writes into one of its outputs, which only
// its commands have been given.
func (k Members) Contain(p proc.Process) bool {
	if p.PID <= 1 {
		return false
	}
	if k.marker != "" && MarkerOf(proc.Environment(p.PID)).Run == k.marker {
		return true
	}
	return slices.ContainsFunc(proc.OutputFiles(p.PID), func(file os.FileInfo) bool {
		return slices.ContainsFunc(k.outputs, func(own os.FileInfo) bool { return os.SameFile(own, file) })
	})
}

package executor

import (
	"path"
	"time"
)

// reportOf returns the report of a start or end entry.
func reportOf(e *entry) Report {
	r := Report{
		Kind:    Started,
		ID:      e.id(),
		Time:    time.Unix(0, e.Time),
		PID:     e.PID,
		Out:     outputRange(e.Slot, "out", e.Out),
		Err:     outputRange(e.Slot, "err", e.Err),
		Message: e.Message,
	}
	if e.Kind == entryEnd {
		r.Kind = Ended
		r.Exit = Exit{
			Code: e.Code, Signal: e.Signal,
			Stopped: e.Stopped, Failed: e.Failed, Lost: e.Lost,
			User: time.Duration(e.User), System: time.Duration(e.System),
		}
	}
	return r
}

// outputRange names the file of a slot as callers see it, below the folder of the run.
func outputRange(slot int, stream string, x extent) Range {
	if slot == 0 || x == noExtent {
		return Range{}
	}
	return Range{File: path.Join(outputFolder, outputName(slot, stream)), Start: x[0], End: x[1]}
}

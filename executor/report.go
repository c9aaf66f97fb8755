package executor

import (
	"path"
	"time"

	"wf/executor/proc"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// reportOf returns the report of a start or end entry.
func reportOf(e *wire.Entry) Report {
	r := Report{
		Kind:    Started,
		ID:      e.ID(),
		Time:    time.Unix(0, e.Time),
		PID:     e.PID,
		Out:     outputRange(e.Slot, "out", e.Out),
		Err:     outputRange(e.Slot, "err", e.Err),
		Message: e.Message,
	}
	if e.Kind == wire.EntryEnd {
		r.Kind = Ended
		r.Exit = Exit{
			Code: e.Code, Signal: e.Signal,
			Stopped: e.Stopped, Failed: e.Failed, Lost: e.Lost,
			User: time.Duration(e.User), System: time.Duration(e.System), PeakMemory: e.Peak,
		}
	}
	return r
}

// outputRange returns the part of a slot's file, whose name is relative to the folder of the run.
func outputRange(slot int, stream string, x wire.Extent) Range {
	if slot == 0 || x == wire.NoExtent {
		return Range{}
	}
	return Range{File: path.Join(rundir.OutputFolder, rundir.OutputName(slot, stream)), Start: x[0], End: x[1]}
}

// A processID identifies the process of an execution.
type processID struct {
	pid         int
	startWindow proc.Window
}

// track records the starts and ends of executions. Only when an end has arrived may the daemon reap a zombie that it has
// inherited from a dead runner: until then the next runner needs it to learn how the process ended.
func (s *session) track(e *wire.Entry) {
	id := e.ID()
	if e.Kind == wire.EntryStart {
		s.running[id] = processID{e.PID, e.StartWindow}
		return
	}
	if p, ok := s.running[id]; ok {
		s.runner.claim.release(p.pid)
		s.runner.unwatch(id)
		delete(s.running, id)
	}
}

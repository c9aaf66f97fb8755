package runstate

import (
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/workspace/clock"
	"wf/workspace/history"
)

// Execution is what is known about a node's latest execution, or about a failure without one.
type Execution struct {
	Run       int
	Number    int        // begun in that run
	Live      bool       // handed to the executor and not over
	Started   bool       // its process exists, or has existed
	before    *Execution // what was known before it; nil once it has begun
	PID       int        // while live
	LastPID   int
	StartedAt time.Time
	EndedAt   time.Time
	Reason    api.Reason // of a failure
	ExitCode  int
	Signal    int
	Message   string
	Command   string // the line after wrapping
	Out, Err  executor.Range
	Status    graph.Status // it led to: a file that says otherwise makes the record void
	Mocked    bool         // it was not executed: its end was given
	Handled   bool         // it failed, and an edge fired for that
	Outputs   map[string]any
	inputs    *api.Inputs // of the execution; nil for a plain command
	Ending    *OutputEnd  // for those who follow its output; nil = nobody
}

// StateOf derives what people see from a status and the record, if any, of the execution that led to it.
func StateOf(status graph.Status, rec *Execution, blocked bool) api.State {
	switch status {
	case graph.Queued:
		return api.StateQueued
	case graph.Running:
		return api.StateRunning
	case graph.Ran:
		return api.StateOK
	case graph.Failed:
		if rec != nil && rec.Reason == api.ReasonCancelled {
			return api.StateCancelled
		}
		return api.StateFailed
	case graph.Skipped:
		return api.StateSkipped
	}
	if blocked {
		return api.StateBlocked
	}
	return api.StateIdle
}

func (rec *Execution) Describe(s *api.NodeStatus) {
	s.Message, s.Mocked, s.Handled = rec.Message, rec.Mocked, rec.Handled
	if rec.Live {
		s.PID = rec.PID
	} else {
		s.Reason = rec.Reason
	}
	if !rec.StartedAt.IsZero() {
		s.Started = new(rec.StartedAt)
	}
	if rec.Over() {
		s.DurationMS = new(clock.Milliseconds(rec.StartedAt, rec.EndedAt))
		s.ExitCode, s.Signal = rec.Exit(), SignalName(rec.Signal)
	}
}

// Over reports whether an execution has begun and ended.
func (rec *Execution) Over() bool { return !rec.Live && !rec.EndedAt.IsZero() }

// Exit is the exit code where there is one.
func (rec *Execution) Exit() *int {
	switch {
	case rec.Signal != 0 || rec.Reason == api.ReasonStart || rec.Reason == api.ReasonLost:
		return nil
	case rec.Number == 0 && !rec.Mocked && rec.Reason != "": // it ended without having run
		return nil
	}
	return new(rec.ExitCode)
}

// OutputEnd reports to readers of an output where it ends. out and err are set before done is closed.
type OutputEnd struct {
	Done     chan struct{}
	Out, Err executor.Range
}

// Recall takes over what a past execution was.
func (rec *Execution) Recall(e history.Execution) {
	rec.Number, rec.LastPID, rec.Command = e.Number, e.PID, e.Command
	rec.StartedAt, rec.EndedAt, rec.Message = e.Started, e.Ended, e.Message
	rec.Reason, rec.ExitCode, rec.Signal = api.Reason(e.Reason), e.ExitCode, e.Signal
	rec.Out, rec.Err = ExecutorRange(e.Out), ExecutorRange(e.Err)
	switch {
	case e.OK:
		rec.Status = graph.Ran
	case e.Over:
		rec.Status = graph.Failed
	}
	if rec.StartedAt.IsZero() {
		rec.StartedAt = e.Ended
	}
}

// Close tells those who follow the output of an execution where it ends. e may be nil.
func (e *OutputEnd) Close(rep executor.Report) {
	if e != nil {
		e.Out, e.Err = rep.Out, rep.Err
		close(e.Done)
	}
}

func (r *State) Reason(rep executor.Report) api.Reason {
	switch e := rep.Exit; {
	case e.Lost:
		return api.ReasonLost
	case e.Stopped && (r.Cause == "timeout" || r.Sched.Expired(rep.ID.Node)):
		return api.ReasonTimeout
	case e.Stopped:
		return api.ReasonCancelled
	case e.Failed:
		return api.ReasonStart
	case e.Signal != 0:
		return api.ReasonSignal
	case e.Code != 0:
		return api.ReasonExit
	}
	return ""
}

func ExecutorRange(r history.Range) executor.Range {
	return executor.Range{File: r.File, Start: r.Start, End: r.End}
}

// Elapsed is how long the run has taken, in milliseconds.
func (r *State) Elapsed(end time.Time) int64 { return clock.Milliseconds(r.Request.Time, end) }

// Cause says in a few words why an execution failed: "exit 2", "SIGKILL", "timeout".
func (rec *Execution) Cause() string {
	switch {
	case rec.Reason == api.ReasonTimeout:
		return string(rec.Reason)
	case rec.Signal != 0:
		return SignalName(rec.Signal)
	case rec.Reason == api.ReasonExit:
		return api.ExitText(rec.ExitCode)
	case rec.Reason == "":
		return "unknown"
	}
	return string(rec.Reason)
}

// SignalName is the name of a signal, "" for 0.
func SignalName(n int) string {
	if n == 0 {
		return ""
	}
	if name := unix.SignalName(unix.Signal(n)); name != "" {
		return name
	}
	return "signal " + strconv.Itoa(n)
}

// ErrorCode is the exit status as Python Workforce writes it: negative for a signal.
func (rec *Execution) ErrorCode() string {
	switch {
	case rec.Signal != 0:
		return "-" + history.RunID(rec.Signal)
	case rec.ExitCode == 0 && rec.Reason != "":
		return "" // cancelled, lost or never started: there is none
	case rec.ExitCode == 0:
		return "0"
	}
	return history.RunID(rec.ExitCode)
}

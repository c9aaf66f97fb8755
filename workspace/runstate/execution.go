package runstate

import (
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/executor"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/workspace/clock"
	"wf/workspace/history"
)

// Execution is a node's latest execution, or its end without one: a failure, a mock, a sub-flow.
type Execution struct {
	Run       int
	Number    int        // from 1, within the run; 0 if there was no execution
	Live      bool       // handed to the executor and not ended
	Started   bool       // its process exists or existed
	before    *Execution // the previous execution, until the process of this one exists
	PID       int        // while live
	LastPID   int
	StartedAt time.Time
	EndedAt   time.Time
	Reason    api.Reason // of a failure
	ExitCode  int
	Signal    int
	Message   string
	Command   string // the command line with its wrapper
	outputFiles
	Status   graph.Status // the status that the execution gave its node; if the node has another status, the execution does not explain it
	Mocked   bool         // the request set its result
	UpToDate bool         // there was no execution, because an earlier success holds
	Handled  bool         // it failed, and an edge for failures fired
	Outputs  map[string]any
	Stdout   *expression.Kept // nil if no text of the workfile reads it
	inputs   *api.Inputs      // of the execution; nil for a plain command
	Ending   *OutputEnd       // set if a client follows the output, otherwise nil
	engine   *engineJob       // nil = this machine executes it
	peak     int64            // of memory, in bytes; 0 = unknown
}

// outputFiles is where the outputs of an execution are.
type outputFiles struct{ Out, Err executor.Range }

// StateOf returns the state, as people see it, of a node with this status and this latest execution, which may be nil.
// blocked means that a failure upstream keeps the node idle.
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
	s.Message, s.Mocked, s.Handled, s.UpToDate = rec.Message, rec.Mocked, rec.Handled, rec.UpToDate
	s.Engine, s.PeakBytes = rec.Engine(), rec.peak
	if rec.Live {
		s.PID = rec.PID
	} else {
		s.Reason = rec.Reason
	}
	if !rec.StartedAt.IsZero() {
		s.Started = new(rec.StartedAt)
	}
	if rec.Over() && !rec.UpToDate {
		s.DurationMS = new(clock.Milliseconds(rec.StartedAt, rec.EndedAt))
		s.ExitCode, s.Signal = rec.Exit(), SignalName(rec.Signal)
	}
}

// Over reports whether the execution has started and ended.
func (rec *Execution) Over() bool { return !rec.Live && !rec.EndedAt.IsZero() }

// Exit returns the exit code, or nil if there is none.
func (rec *Execution) Exit() *int {
	switch {
	case rec.Signal != 0 || rec.Reason == api.ReasonStart || rec.Reason == api.ReasonLost || rec.Reason == api.ReasonHook:
		return nil
	case rec.ExitCode == 0 && rec.Reason.EngineText() != "": // its engine ended it and tells no code
		return nil
	case rec.Number == 0 && !rec.Mocked && rec.Reason != "": // the node failed without an execution
		return nil
	}
	return new(rec.ExitCode)
}

// OutputEnd tells readers of an output where it ends. Out and Err are set before Done is closed.
type OutputEnd struct {
	Done     chan struct{}
	Out, Err executor.Range
}

// SetEnd fills in an execution from the history.
func (rec *Execution) SetEnd(e history.Execution) {
	rec.Number, rec.LastPID, rec.Command = e.Number, e.PID, e.Command
	rec.StartedAt, rec.EndedAt, rec.Message = e.Started, e.Ended, e.Message
	rec.Reason, rec.ExitCode, rec.Signal = api.Reason(e.Reason), e.ExitCode, e.Signal
	rec.Out, rec.Err = e.Out, e.Err
	rec.noteEngine(&e.Engine)
	rec.peak = e.PeakBytes
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

// Close sets the end of an output from the report of its execution. e may be nil.
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
	case e.Cause != "":
		return api.Reason(e.Cause)
	case e.Failed:
		return api.ReasonStart
	case e.Signal != 0:
		return api.ReasonSignal
	case e.Code != 0:
		return api.ReasonExit
	}
	return ""
}

// Elapsed returns the duration of the run until end, in milliseconds.
func (r *State) Elapsed(end time.Time) int64 { return clock.Milliseconds(r.Request.Time, end) }

// Cause returns the reason of a failure in a few words: "exit 2", "SIGKILL", "timeout".
func (rec *Execution) Cause() string {
	switch {
	case rec.Reason == api.ReasonTimeout:
		return string(rec.Reason)
	case rec.Reason.EngineText() != "":
		return rec.Reason.EngineText()
	case rec.Signal != 0:
		return SignalName(rec.Signal)
	case rec.Reason == api.ReasonExit:
		return api.ExitText(rec.ExitCode)
	case rec.Reason == "":
		return "unknown"
	}
	return string(rec.Reason)
}

// SignalName returns the name of a signal; "" for 0.
func SignalName(n int) string {
	if n == 0 {
		return ""
	}
	if name := unix.SignalName(unix.Signal(n)); name != "" {
		return name
	}
	return "signal " + strconv.Itoa(n)
}

// ErrorCode returns the exit status in the form of Python Workforce: negative for a signal.
func (rec *Execution) ErrorCode() string {
	switch {
	case rec.Signal != 0:
		return "-" + history.RunID(rec.Signal)
	case rec.ExitCode == 0 && rec.Reason != "":
		return "" // a cancelled, lost or never started execution has none
	case rec.ExitCode == 0:
		return "0"
	}
	return history.RunID(rec.ExitCode)
}

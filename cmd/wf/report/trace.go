package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/words"
)

// A traceEvent is one entry of the Trace Event Format, which Perfetto and chrome://tracing read.
// Times are in microseconds since the run was requested.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"` // X: starts at Time and takes Duration; M: names a process or thread
	Time     int64          `json:"ts"`
	Duration *int64         `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

// A trace is a file in the Trace Event Format.
type trace struct {
	Events   []traceEvent      `json:"traceEvents"`
	TimeUnit string            `json:"displayTimeUnit"`
	Other    map[string]string `json:"otherData"`
}

// Trace writes a run as a trace: the run is a process, with one track for each of the commands that ran at the
// same time.
func Trace(w io.Writer, d api.RunDetail, now time.Time) error {
	const process = 1
	lanes := traceLanes(d.Execs, now)
	tracks := 0
	for _, lane := range lanes {
		tracks = max(tracks, lane+1)
	}
	t := trace{TimeUnit: "ms", Events: []traceEvent{
		{Name: "process_name", Phase: "M", Process: process, Args: map[string]any{"name": "run " + d.Run + " " + d.Workfile}},
	}, Other: map[string]string{"workfile": d.Workfile, "run": d.Run, "result": words.ResultWord(d.Result),
		"started": d.Started.UTC().Format(time.RFC3339Nano), "version": d.Version}}
	for lane := range tracks {
		t.Events = append(t.Events,
			traceEvent{Name: "thread_name", Phase: "M", Process: process, Thread: lane + 1, Args: map[string]any{"name": fmt.Sprintf("slot %d", lane+1)}},
			traceEvent{Name: "thread_sort_index", Phase: "M", Process: process, Thread: lane + 1, Args: map[string]any{"sort_index": lane + 1}})
	}
	for i, x := range d.Execs {
		begin, end := traceSpan(x, now)
		state, how := executionState(x)
		took := end.Sub(begin).Microseconds()
		t.Events = append(t.Events, traceEvent{Name: x.Name, Category: string(state), Phase: "X",
			Time: begin.Sub(d.Started).Microseconds(), Duration: &took, Process: process, Thread: lanes[i] + 1, Args: traceArgs(x, how)})
	}
	return console.WriteJSON(w, t)
}

// traceArgs returns what the viewer shows of an execution besides its name and times.
func traceArgs(x api.Execution, how string) map[string]any {
	args := map[string]any{"node": x.Node, "execution": x.Execution, "command": x.Command, "result": how}
	if x.PID != 0 {
		args["pid"] = x.PID
	}
	if x.ExitCode != nil {
		args["exit_code"] = *x.ExitCode
	}
	if x.WaitMS != nil {
		args["wait_ms"] = *x.WaitMS
	}
	if x.UserMS+x.SysMS > 0 {
		args["user_ms"], args["sys_ms"] = x.UserMS, x.SysMS
	}
	return args
}

// traceSpan returns when an execution started and ended.
func traceSpan(x api.Execution, now time.Time) (begin, end time.Time) {
	begin, end = now, now
	if x.Ended != nil {
		begin, end = *x.Ended, *x.Ended
	}
	if x.Started != nil {
		begin = *x.Started
	}
	return begin, end
}

// traceLanes assigns each execution to the first track that is free during it.
func traceLanes(execs []api.Execution, now time.Time) []int {
	order := make([]int, len(execs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, _ := traceSpan(execs[i], now)
		b, _ := traceSpan(execs[j], now)
		return cmp.Or(a.Compare(b), cmp.Compare(i, j))
	})
	lanes := make([]int, len(execs))
	var free []time.Time // when each track becomes free
	for _, i := range order {
		begin, end := traceSpan(execs[i], now)
		lane := slices.IndexFunc(free, func(until time.Time) bool { return !until.After(begin) })
		if lane < 0 {
			lane = len(free)
			free = append(free, end)
		}
		lanes[i], free[lane] = lane, end
	}
	return lanes
}

package inquiry

import (
	"context"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
)

// mostTimes bounds the number of returned samples. Longer lists are thinned out evenly.
const mostTimes = 20_000

// LogTimes returns when the parts of an output were written. info is the result of LogInfo.
func (q *Reader) LogTimes(ctx context.Context, info api.LogInfo) (*api.LogTimes, error) {
	if info.FromFile {
		return nil, nil // there are no samples
	}
	o, err := q.output(ctx, info.Node, info.Run, info.Execution, false)
	if err != nil {
		return nil, err
	}
	run, err := q.RunNumber(info.Run)
	if err != nil {
		return nil, err
	}
	req, err := q.store.Request(run)
	if err != nil {
		return nil, api.Internal("the run cannot be read", err)
	}
	t := &api.LogTimes{Known: req.Output != "", Started: o.started, Until: o.ended}
	if t.Until.IsZero() {
		t.Until = clock.Now()
	}
	marks, err := executor.ReadSamples(o.dir, o.out, t.Started, t.Until)
	if err != nil {
		return nil, api.Internal("the times of an output cannot be read", err)
	}
	every := 1 + len(marks)/mostTimes
	for i := every - 1; i < len(marks); i += every {
		m := marks[i]
		t.Marks = append(t.Marks, [3]int64{m.Time.UnixMilli(), max(0, m.Out-o.out.Start), max(0, m.Err-o.err.Start)})
	}
	return t, nil
}

// span is the start and the end of an execution. A zero time means that it has not happened yet.
type span struct{ started, ended time.Time }

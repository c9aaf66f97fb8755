package inquiry

import (
	"context"
	"time"

	"wf/api"
	"wf/executor"
	"wf/workspace/clock"
)

// mostTimes bounds the samples that are returned of one output; from a longer list every n-th is taken.
const mostTimes = 20_000

// LogTimes returns when an output that LogInfo has described was written, as far as the samples tell.
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

// span is when an execution started and ended; zero means not yet.
type span struct{ started, ended time.Time }

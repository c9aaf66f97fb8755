package inquiry

import (
	"context"

	"wf/api"
	"wf/workspace/loop"
	"wf/workspace/runstate"
)

// Analysis is like Run and adds where the time of the run went, and what was edited since. If the run cannot be replayed,
// the result says so and contains only what Run returns.
func (q *Reader) Analysis(ctx context.Context, name string) (api.RunDetail, error) {
	past, err := q.load(ctx, name)
	if err != nil {
		return api.RunDetail{}, err
	}
	p, err := OpenReplay(q.store, past.Request.Run)
	if err != nil {
		d, detailErr := q.detail(ctx, past, nil)
		d.Problem = joinProblem(d.Problem, "it cannot be analysed: "+err.Error())
		return d, detailErr
	}
	a := runstate.NewAnalyst(p.State, past)
	for _, rec := range p.Records {
		a.Take(rec)
	}
	d, err := q.detail(ctx, past, p.State)
	if err != nil {
		return d, err
	}
	d.Analysis = a.Describe(&d)
	a.Stages(&d, p.graph)
	d.Analysis.Changes, err = loop.Ask(ctx, q.loop, func() (*api.Changes, error) { return q.file.ChangesSince(p.graph), nil })
	return d, err
}

func joinProblem(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

package inquiry

import (
	"cmp"
	"context"
	"errors"

	"wf/api"
	"wf/graph"
	"wf/workspace/comparison"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// Compare returns what distinguishes two runs, or a run and the workfile as it is now.
func (q *Reader) Compare(ctx context.Context, query api.DiffQuery) (api.RunDiff, error) {
	d := api.RunDiff{Schema: api.SchemaDiff, Workfile: q.path, Params: []api.DiffValue{}, Options: []api.DiffValue{},
		Results: []api.DiffResult{}, Times: []api.DiffTime{}}
	from, to, err := q.sides(ctx, query)
	if err != nil {
		return d, err
	}
	before, err := q.version(ctx, from)
	if err != nil {
		return d, err
	}
	after, err := q.version(ctx, to)
	if err != nil {
		return d, err
	}
	d.Before, d.After = before.side, after.side
	for _, v := range []*version{before, after} {
		if v.problem != "" {
			d.Notes = append(d.Notes, "run "+v.side.Name+" cannot be compared in full: "+v.problem)
		}
	}
	if before.past != nil && after.past != nil {
		compareOptions(&d, before, after)
		compareOutcomes(&d, before, after)
	}
	err = q.compareDefinitions(ctx, &d, before, after)
	for _, v := range []*version{before, after} {
		if v.past != nil {
			d = hidden(q, v.past.Request.Run, d)
		}
	}
	return d, err
}

// sides returns the names of the runs to compare.
func (q *Reader) sides(ctx context.Context, query api.DiffQuery) (from, to string, err error) {
	from, to = query.From, query.To
	if from != "" && to != "" {
		return from, to, nil
	}
	list, err := q.Runs(ctx)
	if err != nil {
		return "", "", err
	}
	if len(list.Runs) == 0 {
		return "", "", &api.Error{Code: api.CodeNotFound, Message: "no run of " + q.path + " is recorded", Fix: "wf run"}
	}
	latest := list.Runs[0].Run
	switch {
	case to == "" && from == latest:
		return "", "", &api.Error{Code: api.CodeInvalid, Message: "run " + latest + " is the latest: there is no later run to compare it with",
			Fix: "wf runs diff " + latest + " " + api.DiffNow + " compares it with the workfile"}
	case to == "":
		to = latest
	}
	if from != "" {
		return from, to, nil
	}
	if to == api.DiffNow {
		return latest, to, nil
	}
	n, err := q.RunNumber(to)
	if err != nil {
		return "", "", err
	}
	for _, r := range list.Runs {
		if NumberOf(r.Run) < n {
			return r.Run, to, nil
		}
	}
	return "", "", &api.Error{Code: api.CodeInvalid, Message: "there is no run before run " + to,
		Fix: "wf runs diff " + to + " " + api.DiffNow + " compares it with the workfile"}
}

// A version is one side of a comparison.
type version struct {
	side    api.DiffSide
	past    *history.Details // nil for the workfile as it is now
	graph   *graph.Graph     // nil for the workfile as it is now, whose graph belongs to the loop
	state   *runstate.State  // after all records; nil if the run cannot be replayed
	took    map[string]int64 // durations of all executions of a node together, in milliseconds, by its id
	problem string           // why not all can be compared; "" = none
}

// version reads one side of a comparison.
func (q *Reader) version(ctx context.Context, name string) (*version, error) {
	v := &version{side: api.DiffSide{Name: name}, took: map[string]int64{}}
	if name == api.DiffNow {
		return v, nil
	}
	past, err := q.load(ctx, name)
	if err != nil {
		return nil, err
	}
	v.past = past
	v.side.Name = history.RunID(past.Request.Run)
	run := summaryOf(past.Request, past.Result, past.Problem)
	active, err := q.ActiveRuns(ctx)
	if err != nil {
		return nil, err
	}
	if s, is := active[past.Request.Run]; is {
		run = s // its journal is still being written, so a missing end is no damage
	}
	v.side.Run, v.problem = &run, run.Problem
	if replay, err := replayRun(q.store, past.Request.Run); err == nil {
		v.state, v.graph = replay.State, replay.graph
	} else if v.graph, err = q.frozen(past.Request.Run); err != nil {
		return nil, err
	} else if v.problem == "" {
		v.problem = "its records cannot be replayed"
	}
	for _, x := range past.Executions {
		if x.Over && !x.Started.IsZero() {
			ms := x.Ended.Sub(x.Started).Milliseconds()
			v.took[x.ID] += ms
			v.side.WorkMS += ms
		}
	}
	return v, nil
}

// FrozenWorkfile returns the bytes of the workfile as it was at the start of a run.
func (q *Reader) FrozenWorkfile(ctx context.Context, name string) ([]byte, error) {
	n, err := q.RunNumber(name)
	if err != nil {
		return nil, err
	}
	data, err := q.store.Workfile(n)
	switch {
	case errors.Is(err, history.ErrNoRun):
		return nil, q.noRun(ctx, n)
	case err != nil:
		return nil, frozenError(n, err)
	}
	return data, nil
}

// frozen returns the graph of the workfile as it was at the start of run n.
func (q *Reader) frozen(n int) (*graph.Graph, error) {
	g, err := workfile.FrozenGraph(q.store, n)
	if err != nil {
		return nil, frozenError(n, err)
	}
	return g, nil
}

// frozenError describes why the workfile of run n cannot be read.
func frozenError(n int, err error) *api.Error {
	return &api.Error{Code: api.CodeNotFound, Message: "the workfile of run " + history.RunID(n) + " cannot be read", Why: err.Error(),
		Fix: "use another run: wf runs lists them"}
}

// compareDefinitions compares the workfiles. The graph of the present workfile belongs to the loop.
func (q *Reader) compareDefinitions(ctx context.Context, d *api.RunDiff, before, after *version) (err error) {
	if before.graph != nil && after.graph != nil {
		d.Definition = comparison.Definition(before.graph, after.graph)
		return nil
	}
	d.Definition, err = workfile.Ask(ctx, q.file, func() (api.DefinitionDiff, error) {
		return comparison.Definition(cmp.Or(before.graph, q.file.Graph()), cmp.Or(after.graph, q.file.Graph())), nil
	})
	return err
}

package workspace

import (
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// A replay is a run of the history, made again from its records.
type replay struct {
	*runstate.State
	graph   *graph.Graph // that the run began with
	records []history.Record
}

// openReplay reads run n as it was when it began, and its records, which are not applied yet. It is safe to call from
// any goroutine.
func openReplay(store *history.Store, n int) (replay, error) {
	r := &runstate.State{Number: n, ID: history.RunID(n), Dir: store.Dir(n), Phase: runstate.Going, Replayed: true}
	g, err := workfile.Frozen(store, n)
	if err != nil {
		return replay{}, err
	}
	var records []history.Record
	r.Request, err = store.Replay(n, func(rec history.Record) error { records = append(records, rec); return nil })
	if err != nil {
		return replay{}, err
	}
	if err := r.Reschedule(g); err != nil {
		return replay{}, err
	}
	r.FreezeNodes(g)
	return replay{r, g, records}, nil
}

// replayRun is openReplay with all records applied.
func replayRun(store *history.Store, n int) (replay, error) {
	p, err := openReplay(store, n)
	for _, rec := range p.records {
		p.Apply(rec)
	}
	return p, err
}

package inquiry

import (
	"wf/graph"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// A Replay is a run of the history, rebuilt from its records.
type Replay struct {
	*runstate.State
	graph   *graph.Graph // of the workfile that the run started with
	Records []history.Record
}

// OpenReplay reads the start of run n and its records, without applying them. It is safe to call on any goroutine.
func OpenReplay(store *history.Store, n int) (Replay, error) {
	r := &runstate.State{Number: n, ID: history.RunID(n), Dir: store.Dir(n), Phase: runstate.Active, Replayed: true}
	g, err := workfile.Frozen(store, n)
	if err != nil {
		return Replay{}, err
	}
	var records []history.Record
	r.Request, err = store.Replay(n, func(rec history.Record) error { records = append(records, rec); return nil })
	if err != nil {
		return Replay{}, err
	}
	if err := r.Reschedule(g); err != nil {
		return Replay{}, err
	}
	r.FreezeNodes(g)
	return Replay{r, g, records}, nil
}

// replayRun is OpenReplay with all records applied.
func replayRun(store *history.Store, n int) (Replay, error) {
	p, err := OpenReplay(store, n)
	for _, rec := range p.Records {
		p.Apply(rec)
	}
	return p, err
}

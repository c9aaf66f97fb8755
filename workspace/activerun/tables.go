package activerun

import (
	"encoding/json"
	"path/filepath"

	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/loop"
	"wf/workspace/runstate"
	"wf/workspace/table"
)

// tables reads the tables of sub-flows. Each is read once, when its sub-flow begins; the journal then contains its rows. A
// daemon that takes up the run before that reads the table itself.
type tables struct {
	run     *Run
	latest  map[int]int // the latest request of a node that was not answered
	request int
}

// A listing is the answer to a request.
type listing struct {
	items json.RawMessage
	err   error
}

// ask requests the rows of the table of node i.
func (t *tables) ask(i int) {
	if t.latest == nil {
		t.latest = map[int]int{}
	}
	t.request++
	request := t.request
	t.latest[i] = request
	source, folder := t.run.Sched.Table(i), filepath.Dir(t.run.host.Path)
	loop.Go(t.run.host.Loop, func() listing { return list(folder, source) }, func(l listing) {
		if t.latest[i] == request {
			t.answer(i, l)
		}
	})
}

// list reads a table. It is called on a helper.
func list(folder string, source scheduler.Table) listing {
	rows, err := table.Read(folder, source.File, table.Limits{Key: source.Key, MaxRows: source.MaxRows})
	if err != nil {
		return listing{err: err}
	}
	items, err := json.Marshal(rows)
	return listing{items, err}
}

// answer records the rows, unless the sub-flow does not want them any more.
func (t *tables) answer(i int, l listing) {
	delete(t.latest, i)
	if t.run.Phase != runstate.Active || !t.run.Sched.Lists(i) {
		return
	}
	rec := history.Record{Type: history.RecordItems, Node: i, ID: t.run.Nodes[i].ID, OK: l.err == nil, Items: l.items}
	if l.err != nil {
		rec.Message = l.err.Error()
	}
	t.run.commit(rec)
}

// askAgain requests the tables that an earlier daemon has not read.
func (t *tables) askAgain() {
	for i := range t.run.Nodes {
		if t.run.Sched.Lists(i) {
			t.ask(i)
		}
	}
}

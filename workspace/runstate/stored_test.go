package runstate

import (
	"errors"
	"testing"

	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/flow"
	"wf/workspace/history"
)

// storedValues is a store in memory.
type storedValues struct {
	values map[string]string
	err    error
}

func (v *storedValues) Value(workspace, key string) ([]byte, bool, error) {
	text, known := v.values[key]
	return []byte(text), known && workspace == "w", v.err
}

// A record contains the values that have changed since the last one, and why none are known; the events that follow from the
// records are the same when the journal is read again.
func TestStored(t *testing.T) {
	g, err := graph.Build([]graph.NodeSpec{{ID: "a", Label: "a", Parent: -1, Extra: map[string]string{"env": "X=${{ kv.x ?? kv.y }}"}}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := flow.Read(g)
	values := &storedValues{values: map[string]string{"x": "1", "z": "not read"}}
	var now, again Stored
	step := func(want string) {
		t.Helper()
		rec := history.Record{Type: history.RecordTick}
		now.Read(&rec, f, values, "w")
		got := ""
		if rec.Stored != nil {
			got = string(rec.Stored.Values) + rec.Stored.Problem
		}
		if got != want {
			t.Errorf("the record contains %q, want %q", got, want)
		}
		var first, second scheduler.Event
		now.note(rec, &first)
		again.note(rec, &second)
		if len(first.Stored) != len(second.Stored) || first.StoreProblem != second.StoreProblem || len(now.known) != len(again.known) {
			t.Errorf("%+v and then %+v", first, second)
		}
	}
	step(`{"x":"1","y":null}`)
	step("")
	values.values["y"] = "2"
	delete(values.values, "x")
	step(`{"x":null,"y":"2"}`)
	values.err = errors.New("damaged")
	step("damaged")
	values.err = nil
	step("")

	rec := history.Record{Type: history.RecordAnswer}
	values.values["y"] = "3"
	if now.Read(&rec, f, values, "w"); rec.Stored != nil {
		t.Error("the scheduler does not see the values of this record")
	}
	if now.Read(&rec, nil, values, "w"); rec.Stored != nil {
		t.Error("a plain run reads no values")
	}
}

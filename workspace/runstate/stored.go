package runstate

import (
	"encoding/json"
	"maps"

	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/history"
)

// Values are the values of wf kv. The daemon owns them; reading one takes some microseconds.
type Values interface {
	// Value returns the value of a key of a workspace. known is false if it has none.
	Value(workspace, key string) (value []byte, known bool, err error)
}

// StoredValue returns a value of wf kv as expressions see it, nil if there is none.
func StoredValue(values Values, workspace, key string) (*expression.Kept, error) {
	value, known, err := values.Value(workspace, key)
	if err != nil || !known {
		return nil, err
	}
	return expression.Keep(string(value)), nil
}

// Stored are the values of wf kv that texts of the workfile read, as in the journal.
type Stored struct{ known map[string]*expression.Kept }

// Read adds to a record the values that have changed since the last record. f is the flow of the run, nil for none.
func (s *Stored) Read(rec *history.Record, f *flow.Flow, values Values, workspace string) {
	if f == nil || values == nil || rec.Type == history.RecordAnswer {
		return
	}
	changed := map[string]*expression.Kept{}
	for _, key := range f.Stored() {
		now, err := StoredValue(values, workspace, key)
		if err != nil {
			rec.Stored = &history.Stored{Problem: err.Error()}
			return
		}
		if was, known := s.known[key]; !known || !same(was, now) {
			changed[key] = now
		}
	}
	if len(changed) > 0 {
		data, _ := json.Marshal(changed) // texts and numbers always encode
		rec.Stored = &history.Stored{Values: data}
	}
}

func same(a, b *expression.Kept) bool { return a == b || a != nil && b != nil && *a == *b }

// note takes over what a record contains and adds it to the event that the record represents.
func (s *Stored) note(rec history.Record, ev *scheduler.Event) {
	if rec.Stored == nil {
		return
	}
	ev.StoreProblem = rec.Stored.Problem
	var values map[string]*expression.Kept
	if len(rec.Stored.Values) == 0 || json.Unmarshal(rec.Stored.Values, &values) != nil {
		return
	}
	if s.known == nil {
		s.known = map[string]*expression.Kept{}
	}
	maps.Copy(s.known, values)
	ev.Stored = values
}

package scheduler

import (
	"errors"

	"wf/scheduler/expression"
)

// noteStored takes over the values of wf kv that came with an event. The scheduler reads no store, so that the same events give the
// same decisions.
func (st *state) noteStored(ev *Event) {
	st.storeProblem = ev.StoreProblem
	for key, value := range ev.Stored {
		if st.stored == nil {
			st.stored = map[string]*expression.Kept{}
		}
		st.stored[key] = value
	}
}

// storedValue returns the value of kv.NAME as of the present event. A dry run does not know what it will be.
func (t *texts) storedValue(key string) (*expression.Kept, error) {
	if t.dry != nil {
		t.dry.unknown = true
	}
	if t.storeProblem != "" {
		return nil, errors.New(t.storeProblem)
	}
	return t.stored[key], nil
}

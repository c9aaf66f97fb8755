package workspace

import (
	"wf/workspace/history"
	"wf/workspace/inquiry"
	"wf/workspace/tracing"
)

// TraceOf describes run n of the workspace id as a trace, also if the workspace is not open. over is false if the run goes
// on: then there is no trace yet.
func TraceOf(state, id string, n int) (t *tracing.Trace, over bool, err error) {
	store := history.At(history.Folder(state, id))
	if !store.Over(n) {
		return nil, false, nil
	}
	t, err = inquiry.TraceOf(store, n)
	return t, true, err
}

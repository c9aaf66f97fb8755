package workspace

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"wf/api"
	"wf/workspace/history"
	"wf/workspace/tracing"
)

// TestTraceNote: a traced run has a note from its start, with what its environment says, and its trace is there when it is
// over. A run without an endpoint has neither.
func TestTraceNote(t *testing.T) {
	b := newTestbed(t, "a")
	b.open()
	id := b.w.presence.Info().ID
	note := func(n int) string { return filepath.Join(b.cfg.State, tracing.Folder, tracing.NoteName(id, n)) }
	v := b.watch()
	_, s := b.run(api.RunRequest{Mode: api.ModeFresh, Env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://c", "OTEL_EXPORTER_OTLP_HEADERS=k=geheim"}})
	data, err := os.ReadFile(note(1))
	target := tracing.Target{}
	if err == nil {
		err = json.Unmarshal(data, &target)
	}
	if info, _ := os.Stat(note(1)); err != nil || target.Endpoint != "http://c/v1/traces" || target.Headers["k"] != "geheim" || info.Mode() != 0o600 {
		t.Errorf("%s, %v", data, err)
	}
	if _, over, err := TraceOf(b.cfg.State, id, 1); over || err != nil {
		t.Errorf("while the run goes on: over %v, %v", over, err)
	}
	b.play(v, s, nil)
	tr, over, err := TraceOf(b.cfg.State, id, 1)
	if !over || err != nil || len(tr.Spans) != 2 {
		t.Errorf("over %v, %v, %+v", over, err, tr)
	}
	v = b.watch()
	_, s = b.run(api.RunRequest{Mode: api.ModeFresh})
	b.play(v, s, nil)
	if _, err := os.Stat(note(2)); err == nil {
		t.Error("a run without an endpoint has a note")
	}
	if err := b.w.retention.RemoveRun(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	if _, over, err := TraceOf(b.cfg.State, id, 1); !over || !errors.Is(err, history.ErrNoRun) {
		t.Errorf("after its removal: over %v, %v", over, err)
	}
	b.close(b.w)
}

// TestWrongEndpoint: a run does not fail because it cannot be traced.
func TestWrongEndpoint(t *testing.T) {
	b := newTestbed(t, "a")
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{Mode: api.ModeFresh, Env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4317"}})
	b.play(v, s, nil)
	if notes, _ := os.ReadDir(filepath.Join(b.cfg.State, tracing.Folder)); len(notes) != 0 {
		t.Errorf("notes %v", notes)
	}
	if req, err := b.w.store.Request(1); err != nil || req.Trace != nil {
		t.Errorf("%+v, %v", req.Trace, err)
	}
	b.close(b.w)
}

package client

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"wf/api"
)

// runEvents returns the events at the start and at the end of a run.
func runEvents() []api.Event {
	took := int64(16)
	at := time.Date(2026, 3, 1, 12, 30, 0, 123456789, time.UTC)
	return []api.Event{
		{Seq: 1, Time: at, Type: api.RunStarted, Run: "5", Client: "c7", Workfile: "/tmp/w.graphml", Mode: "fresh", Nodes: 1, Jobs: 2},
		{Seq: 2, Time: at, Type: api.RunComplete, Run: "5", Client: "c7", ExitCode: new(int), DurationMS: &took, Result: "succeeded",
			Counts: &api.Counts{OK: 1, Failed: 2, Blocked: 3, Idle: 4, Kept: 5, Skipped: 6}},
	}
}

// idleSnapshots returns snapshots of a workspace before and after its first run.
func idleSnapshots() []api.Frame {
	at := time.Date(2026, 3, 1, 12, 30, 0, 123456789, time.UTC)
	took := int64(20)
	status := api.Status{Schema: "wf.status/v1", Workfile: "/tmp/größe.graphml", Workspace: "3ec5", ActiveRuns: []string{},
		Counts: api.Counts{OK: 1}, Results: "status"}
	first := api.Frame{Snapshot: &api.Snapshot{Seq: 23, Status: status}}
	status.LastRun = &api.RunSummary{Run: "4", Result: "succeeded", Mode: "fresh", Nodes: 1, Counts: api.Counts{OK: 1, Kept: 2},
		Client: "c7", Started: at, Ended: &at, DurationMS: &took, ExitCode: new(int)}
	return []api.Frame{first, {Snapshot: &api.Snapshot{Seq: 24, Status: status}}}
}

// nodeEvents returns one event of each type that is frequent during a run, with all of its fields.
func nodeEvents() []api.Event {
	code, minus, took := 2, -1, int64(812)
	at := time.Date(2026, 3, 1, 12, 30, 0, 123456789, time.UTC)
	return []api.Event{
		{Seq: 1, Time: at, Type: api.NodeReady, Run: "42", Node: "n1", Name: "align"},
		{Seq: 2, Time: at, Type: api.NodeStarted, Run: "42", Node: "n1", Name: "align", Execution: 3, PID: 4121},
		{Seq: 3, Time: at, Type: api.NodeFinished, Run: "42", Node: "n1", Name: "align", Execution: 3, ExitCode: new(int), DurationMS: &took},
		{Seq: 4, Time: at, Type: api.NodeFailed, Run: "42", Node: "n1", Name: "größe", ExitCode: &code, Reason: api.ReasonExit, DurationMS: &took},
		{Seq: 5, Time: at, Type: api.NodeFailed, Run: "42", Node: "n2", ExitCode: &minus, Signal: "SIGKILL", Reason: api.ReasonSignal},
		{Seq: 6, Time: at, Type: api.NodeReset, Run: "42", Node: "n2", Client: "c7"},
	}
}

// TestFramesByHand checks that frames of node events are decoded by hand, with the same result as encoding/json.
func TestFramesByHand(t *testing.T) {
	var p frameReader
	for _, want := range []api.Frame{
		{Events: nodeEvents()[:1]}, {Events: nodeEvents()}, {Events: nodeEvents(), After: 3, Through: 17}, {Events: nodeEvents(), Through: 6},
		{Events: runEvents(), Through: 9},
	} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := p.byHand(data); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is decoded by hand: %v, as\n%+v, not\n%+v", data, ok, got, want)
		}
	}
}

// TestFramesNotByHand checks that all other frames are left to encoding/json.
func TestFramesNotByHand(t *testing.T) {
	for _, text := range []string{``, `{}`, `{"events":[]}`, `{"events":[{}]}`, `{"events":null}`, `{"snapshot":{"seq":4}}`,
		`{"events":[{"seq":1,"type":"run_started","no_limit":true}]}`, `{"events":[{"seq":01}]}`, `{"events":[{"seq":-1}]}`,
		`{"events":[{"seq":1e3}]}`, `{"events":[{"seq":99999999999999999999}]}`, `{"events":[{"seq":1,}]}`, `{"events":[{"node":"a\u0062"}]}`,
		"{\"events\":[{\"node\":\"\xff\"}]}", `{"events":[{"seq":1}]`, `{"events":[{"seq":1}]}x`, `{"events":[{"time":"noon"}]}`,
		`{"events":[{"node":null}]}`, `{"events":[{"seq":1}],"dropped":"too slow"}`} {
		var p frameReader
		if f, ok := p.byHand([]byte(text)); ok {
			t.Errorf("%s is decoded by hand as %+v", text, f)
		}
	}
}

// TestSnapshotsByHand checks that the snapshot of a workspace without an active run is decoded by hand, with the same result
// as encoding/json, and that all other frames are left to encoding/json.
func TestSnapshotsByHand(t *testing.T) {
	for _, want := range idleSnapshots() {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := snapshotByHand(data); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is decoded by hand: %v, as\n%+v, not\n%+v", data, ok, got.Snapshot, want.Snapshot)
		}
	}
	for _, text := range []string{``, `{}`, `{"snapshot":null}`, `{"snapshot":{}}`, `{"snapshot":{"seq":1}}x`, `{"snapshot":{"seq":1},"dropped":"x"}`,
		`{"snapshot":{"status":{"active_runs":["1"]}}}`, `{"snapshot":{"status":{"counts":{"running":1}}}}`,
		`{"snapshot":{"status":{"last_run":{"stopping":true}}}}`, `{"snapshot":{"status":{"nodes":[]}}}`} {
		if f, ok := snapshotByHand([]byte(text)); ok {
			t.Errorf("%s is decoded by hand as %+v", text, f)
		}
	}
}

// TestKnownTexts checks that repeated texts share memory, up to a limit.
func TestKnownTexts(t *testing.T) {
	var p frameReader
	for i := range maxKnown + 10 {
		data, err := json.Marshal(api.Frame{Events: []api.Event{{Type: api.NodeReady, Node: time.Duration(i).String()}}})
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := p.byHand(data); !ok || f.Events[0].Node != time.Duration(i).String() {
			t.Fatalf("%s is decoded by hand: %v, as %+v", data, ok, f)
		}
		if len(p.known) > maxKnown {
			t.Fatalf("%d texts are kept", len(p.known))
		}
	}
}

// FuzzFrame compares decoding by hand with encoding/json.
func FuzzFrame(f *testing.F) {
	for i := range nodeEvents() {
		data, err := json.Marshal(api.Frame{Events: nodeEvents()[i:], Through: 9})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, frame := range append(idleSnapshots(), api.Frame{Events: runEvents()}) {
		data, err := json.Marshal(frame)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"snapshot":{"status":{"last_run":{"run":"1"},"last_run":{"nodes":2},"counts":{"ok":1},"counts":{"failed":1}}}}`))
	f.Add([]byte(`{"events":[{"seq":1,"seq":2,"exit_code":3,"exit_code":4}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p frameReader
		got, ok := p.byHand(data)
		if !ok {
			got, ok = snapshotByHand(data)
		}
		if !ok {
			return
		}
		var want api.Frame
		if err := json.NewDecoder(bytes.NewReader(data)).Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is decoded by hand as\n%+v, by encoding/json as\n%+v, %v", data, got, want, err)
		}
	})
}

// BenchmarkFrame decodes a frame of a busy run in both ways.
func BenchmarkFrame(b *testing.B) {
	var f api.Frame
	for range 50 {
		f.Events = append(f.Events, nodeEvents()...)
	}
	data, err := json.Marshal(f)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		var p frameReader
		for b.Loop() {
			if _, err := p.read(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var f api.Frame
			if err := json.Unmarshal(data, &f); err != nil {
				b.Fatal(err)
			}
		}
	})
}

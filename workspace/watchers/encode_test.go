package watchers

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"wf/api"
)

// TestEncodedEvents compares frames with what encoding/json writes: with each field of an event set alone, and with texts
// that need escapes.
func TestEncodedEvents(t *testing.T) {
	at := time.Date(2026, 11, 22, 23, 4, 5, 67, time.UTC)
	events := []api.Event{{}, {
		Seq: 1 << 63, Time: at, Type: api.NodeFailed, Run: "3", Client: "c\u2028", Node: "a\"b\\", Name: "é<b>&", Item: "x\ty\x01",
		Execution: 2, PID: 77, ExitCode: new(int), Signal: "SIGKILL", Reason: api.ReasonTimeout, DurationMS: new(int64),
	}}
	for i := range reflect.TypeFor[api.Event]().NumField() {
		ev := api.Event{Seq: 7, Time: at, Type: api.NodeFinished}
		set(reflect.ValueOf(&ev).Elem().Field(i))
		events = append(events, ev)
	}
	for _, f := range []api.Frame{
		{Events: events},
		{Events: events[:1], After: 5, Through: 9},
		{Dropped: "too slow"},
		{Snapshot: &api.Snapshot{Seq: 3}},
	} {
		want, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var got, wanted any
		if err := json.Unmarshal(encodeFrame(f), &got); err != nil {
			t.Fatalf("%v: %s", err, encodeFrame(f))
		}
		if err := json.Unmarshal(want, &wanted); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("encoded\n%s\nwant\n%s", encodeFrame(f), want)
		}
	}
}

// set sets a field to a value that is not zero.
func set(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-3)
	case reflect.Uint64:
		v.SetUint(5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	}
}

func BenchmarkEncodeFrame(b *testing.B) {
	ms := int64(3)
	ev := api.Event{Seq: 123456, Time: time.Now().UTC(), Type: api.NodeFinished, Run: "12", Client: "wf run",
		Node: "n123", Name: "align-123", Execution: 1, ExitCode: new(int), DurationMS: &ms}
	f := api.Frame{Events: []api.Event{ev, ev, ev, ev}}
	for b.Loop() {
		encodeFrame(f)
	}
}

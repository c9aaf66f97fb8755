package client

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"testing"
	"time"

	"wf/api"
)

// FuzzRequest checks that the daemon decodes requests as encoding/json would have encoded them.
func FuzzRequest(f *testing.F) {
	f.Add("/tmp/größe\n", "status", "a=1", "fresh", 3, []byte(`{"umask":18}`), "me", uint8(0))
	f.Add("", "", "\xff\u2028<&>", "", 0, []byte(nil), "", uint8(255))
	f.Add("/w", "", "", "resume", -1, []byte(`{"umask":`), "", uint8(3))
	f.Fuzz(func(t *testing.T, path, results, assignment, mode string, jobs int, world []byte, user string, bits uint8) {
		set := func(bit int) bool { return bits>>bit&1 == 1 }
		run := api.RunRequest{Mode: mode, World: world, User: user, Detached: set(0), Env: []string{assignment, "b"}, FailFast: set(1)}
		if set(2) {
			run.Jobs = &jobs
		}
		if set(3) {
			run.Env = nil
		}
		if set(4) {
			run.Env = []string{}
		}
		if set(5) {
			run.Wrapper = &path
		}
		sameEncoding(t, api.OpenRequest{Path: path, Retry: set(0), Results: results})
		sameEncoding(t, run)
	})
}

// sameEncoding compares encode with encoding/json.
func sameEncoding[T any](t *testing.T, q T) {
	t.Helper()
	want, wantErr := json.Marshal(q)
	got, err := encode(q)
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%+v: error %v, want %v", q, err, wantErr)
	}
	if err != nil {
		return
	}
	if !reflect.DeepEqual(members(t, got), members(t, want)) {
		t.Errorf("%+v is encoded as\n%s, by encoding/json as\n%s", q, got, want)
	}
}

// members decodes an object. Numbers stay as they are, because a float64 cannot hold all of them.
func members(t *testing.T, text []byte) (list map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&list); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("%s: more than an object", text)
	}
	return list
}

// TestRunRequestsByHand checks that every field that is not encoded by hand leaves the request to encoding/json.
func TestRunRequestsByHand(t *testing.T) {
	jobs := 3
	usual := api.RunRequest{Env: []string{"A=1"}, Mode: "fresh", Jobs: &jobs, World: json.RawMessage(`{"nice":0}`), User: "me", Detached: true}
	if _, ok := runRequestByHand(usual); !ok {
		t.Error("a usual request is not encoded by hand")
	}
	byHand := 0
	for i := range reflect.TypeFor[api.RunRequest]().NumField() {
		field := reflect.TypeFor[api.RunRequest]().Field(i)
		q := usual
		value := reflect.ValueOf(&q).Elem().Field(i)
		if !value.IsZero() {
			byHand++
			continue
		}
		value.Set(nonZero(field.Type))
		if _, ok := runRequestByHand(q); ok {
			t.Errorf("a request with %s is encoded by hand", field.Name)
		}
	}
	if byHand != 6 {
		t.Errorf("%d fields are encoded by hand", byHand)
	}
}

// nonZero returns a value of a type of a field that is not its zero value.
func nonZero(t reflect.Type) reflect.Value {
	switch t.Kind() {
	case reflect.Pointer:
		return reflect.New(t.Elem())
	case reflect.Slice:
		return reflect.MakeSlice(t, 1, 1)
	case reflect.Map:
		return reflect.MakeMap(t)
	case reflect.Chan:
		return reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 0).Convert(t)
	case reflect.Bool:
		return reflect.ValueOf(true)
	case reflect.String:
		return reflect.ValueOf("x").Convert(t)
	}
	return reflect.ValueOf(1).Convert(t)
}

// usualAnswers are the answers that a client decodes in a usual wf run.
func usualAnswers() []any {
	at := time.Date(2026, 3, 1, 12, 30, 0, 123456789, time.UTC)
	took := int64(20)
	return []any{
		&api.VersionInfo{Version: "v1", Protocol: api.Version, PID: 4121, Runs: 2, Requests: true},
		&api.WorkspaceInfo{ID: "8b", Workfile: "/tmp/größe.graphml", Clients: 1, Runs: []string{}, State: "idle", Results: "status",
			LastRun: &api.RunSummary{Run: "4", Result: "succeeded", Mode: "fresh", Nodes: 1, Counts: api.Counts{OK: 1},
				Client: "c7", Started: at, Ended: &at, DurationMS: &took, ExitCode: new(int)}},
		&api.RunAccepted{Run: "5", Mode: "fresh", Nodes: 3, Total: 4},
		&api.Registry{PID: 7, StartTime: 8, BootID: "9", Socket: "/s", URL: "http://127.0.0.1:1", Token: "t", Version: "v", Protocol: "v1", Requests: true, Given: "--slots 3"},
	}
}

// TestUsualAnswersByHand checks that the usual answers are decoded by hand, with the same result as encoding/json.
func TestUsualAnswersByHand(t *testing.T) {
	for _, want := range usualAnswers() {
		data, err := json.MarshalIndent(want, "", "")
		if _, registry := want.(*api.Registry); err == nil && !registry {
			data, err = json.Marshal(want)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(reflect.TypeOf(want).Elem()).Interface()
		if !decodeByHand(data, got) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is decoded by hand as\n%+v, not\n%+v", data, got, want)
		}
	}
}

// FuzzAnswer compares decoding by hand with encoding/json.
func FuzzAnswer(f *testing.F) {
	for _, answer := range usualAnswers() {
		data, err := json.Marshal(answer)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"runs":["1"],"last_run":{"run":"1"},"last_run":{"nodes":2},"later":1}`))
	f.Add([]byte(`{"run":"1","run":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, kind := range usualAnswers() {
			got, want := reflect.New(reflect.TypeOf(kind).Elem()).Interface(), reflect.New(reflect.TypeOf(kind).Elem()).Interface()
			if !decodeByHand(data, got) {
				continue
			}
			if err := json.NewDecoder(bytes.NewReader(data)).Decode(want); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q is decoded by hand as\n%+v, by encoding/json as\n%+v, %v", data, got, want, err)
			}
		}
	})
}

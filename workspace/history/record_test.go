package history

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"wf/executor/jsonline"
	"wf/executor/rundir"
)

func rangeGen() *rapid.Generator[rundir.Range] {
	return rapid.Custom(func(t *rapid.T) rundir.Range {
		return rundir.Range{File: rapid.SampledFrom([]string{"", "out/s1.out", "o\"ü"}).Draw(t, "file"),
			Start: rapid.Int64Range(0, 1<<40).Draw(t, "start"), End: rapid.Int64Range(-1, 1<<40).Draw(t, "end")}
	})
}

// recordGen generates records with every field, set or not.
func recordGen() *rapid.Generator[Record] {
	return rapid.Custom(func(t *rapid.T) Record {
		text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringMatching(`[ -~]{1,20}`))
		number := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 300), rapid.Int())
		r := Record{
			Seq:  rapid.Uint64().Draw(t, "seq"),
			Time: time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "sec"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
			Type: rapid.SampledFrom([]RecordType{RecordBegin, RecordDispatch, RecordStart, RecordEnd, RecordStop,
				RecordItems, RecordCancel, RecordComplete}).Draw(t, "type"),
			Node: rapid.IntRange(NoNode, 1<<20).Draw(t, "node"),
			ID:   text.Draw(t, "id"), Execution: number.Draw(t, "execution"),
			PID: number.Draw(t, "pid"), Command: text.Draw(t, "command"), OK: rapid.Bool().Draw(t, "ok"),
			Reason: text.Draw(t, "reason"), ExitCode: number.Draw(t, "exit_code"), Signal: number.Draw(t, "signal"),
			Message: text.Draw(t, "message"), Cause: text.Draw(t, "cause"), Client: text.Draw(t, "client"), User: text.Draw(t, "user"),
			Out: rangeGen().Draw(t, "out"), Err: rangeGen().Draw(t, "err"),
			UserMS: rapid.Int64().Draw(t, "user_ms"), SysMS: rapid.Int64Range(0, 9).Draw(t, "sys_ms"),
			PeakBytes: rapid.Int64Range(0, 1<<50).Draw(t, "peak_bytes"),
		}
		if rapid.Bool().Draw(t, "engine") {
			r.Engine = &EngineJob{Executor: text.Draw(t, "executor"), ID: text.Draw(t, "job"), Host: text.Draw(t, "host")}
		}
		for _, raw := range []*json.RawMessage{&r.Outputs, &r.Stdout, &r.Items} {
			*raw = rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{"a":null,"b":"c"}`), json.RawMessage(`"d"`), json.RawMessage("70000")}).Draw(t, "raw")
		}
		if rapid.Bool().Draw(t, "stored") {
			r.Stored = &Stored{Values: json.RawMessage(`{"a":null}`), Problem: text.Draw(t, "store_problem")}
		}
		if r.Type.wholeRun() {
			r.Node = NoNode
		}
		if r.Type == RecordComplete {
			r.Result = &Result{Result: "failed", Counts: Counts{OK: 3}, Started: r.Time, Ended: r.Time, Cause: text.Draw(t, "why")}
		}
		return r
	})
}

// TestRecordRoundTrip compares encoder and decoder with encoding/json.
func TestRecordRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := recordGen().Draw(t, "record")
		line, err := appendRecord(nil, &want)
		if err != nil {
			t.Fatal(err)
		}
		got := Record{Node: NoNode}
		if err := json.Unmarshal(line, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("encoding/json reads %s\nas   %+v\nwant %+v (%v)", line, got, want, err)
		}
		if err := decodeRecord(line, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("decodeRecord reads %s\nas   %+v\nwant %+v (%v)", line, got, want, err)
		}
	})
}

func TestRecordNodeZeroAndNone(t *testing.T) {
	for _, tc := range []struct {
		in   Record
		node int
	}{
		{Record{Type: RecordStart, Node: 0}, 0},
		{Record{Type: RecordStart, Node: NoNode}, NoNode},
		{Record{Type: RecordBegin}, NoNode}, // the zero Node of a record about the whole run is not node 0
		{Record{Type: RecordComplete}, NoNode},
	} {
		line, err := appendRecord(nil, &tc.in)
		if err != nil {
			t.Fatal(err)
		}
		var got Record
		if err := decodeRecord(line, &got); err != nil || got.Node != tc.node {
			t.Errorf("%s: node %d (%v), want %d", line, got.Node, err, tc.node)
		}
	}
}

// TestRecordHotPath checks that the records of a usual execution are read without encoding/json.
func TestRecordHotPath(t *testing.T) {
	for _, rec := range hotRecords() {
		line, err := appendRecord(nil, &rec)
		if err != nil {
			t.Fatal(err)
		}
		got := Record{Node: NoNode}
		if !jsonline.ReadObject(line, (&decoder{Record: &got}).member) || !reflect.DeepEqual(got, rec) {
			t.Errorf("%s was not read by the fast decoder, or wrongly: %+v", line, got)
		}
	}
}

func TestRecordUnknownFieldsAreSkipped(t *testing.T) {
	var got Record
	line := `{"seq":1,"time":"2026-03-01T12:00:00Z","type":"paused","node":0,"host":{"name":"n7"}}`
	if err := decodeRecord([]byte(line), &got); err != nil || got.Type != "paused" || got.Node != 0 || got.Seq != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRecordInvalid(t *testing.T) {
	for _, line := range []string{"", "{", "[]", `{"seq":"x"}`, `{"node":1e99}`, `{"seq":1}x`, `{"node":01}`, `{"seq":-0}`, `{"time":"noon"}`} {
		if err := decodeRecord([]byte(line), new(Record)); err == nil {
			t.Errorf("%q was accepted as a record", line)
		}
	}
}

// FuzzDecodeRecord checks that the fast decoder accepts no text that encoding/json reads differently.
func FuzzDecodeRecord(f *testing.F) {
	for _, rec := range hotRecords() {
		line, err := appendRecord(nil, &rec)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		fast := Record{Node: NoNode}
		if !jsonline.ReadObject(line, (&decoder{Record: &fast}).member) {
			return
		}
		slow := Record{Node: NoNode}
		if err := json.Unmarshal(line, &slow); err != nil || !reflect.DeepEqual(fast, slow) {
			t.Fatalf("%s: fast %+v, slow %+v (%v)", line, fast, slow, err)
		}
	})
}

func hotRecords() []Record {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123_456_000, time.UTC)
	id := "864cd165-0c3c-4d3b-9c0f-6f7d5b0a3c11"
	return []Record{
		{Seq: 17, Time: at, Type: RecordDispatch, Node: 0, ID: id, Execution: 1, Command: "bwa mem ref.fa x.fq > x.sam"},
		{Seq: 18, Time: at, Type: RecordStart, Node: 0, ID: id, Execution: 1, PID: 51234,
			Out: rundir.Range{File: "out/s1.out", Start: 10, End: -1}, Err: rundir.Range{File: "out/s1.err", Start: 0, End: -1}},
		{Seq: 19, Time: at, Type: RecordEnd, Node: 0, ID: id, Execution: 1, OK: true,
			Out: rundir.Range{File: "out/s1.out", Start: 10, End: 1520}, Err: rundir.Range{File: "out/s1.err", Start: 0, End: 0}, UserMS: 12, SysMS: 3},
	}
}

func BenchmarkRecordEncode(b *testing.B) {
	recs, buf := hotRecords(), make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		for i := range recs {
			buf, _ = appendRecord(buf[:0], &recs[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(3*b.N), "ns/record")
}

func BenchmarkRecordDecode(b *testing.B) {
	var lines [][]byte
	for _, rec := range hotRecords() {
		line, err := appendRecord(nil, &rec)
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, line)
	}
	var rec Record
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			if err := decodeRecord(line, &rec); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(3*b.N), "ns/record")
}

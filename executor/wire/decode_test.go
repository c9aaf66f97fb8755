package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"wf/executor/jsonline"
	"wf/executor/proc"
)

// FuzzDecode compares the hand-written decoder with encoding/json.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"k":"start","n":1,"e":1,"t":1763706000000000000,"p":77,"b":[123,124],"s":3,"o":[5,-1],"x":[0,-1]}`,
		`{"k":"end","n":1,"e":2,"t":-5,"s":3,"o":[5,9],"c":1,"u":1000,"y":2000}`,
		`{"k":"end","n":0,"e":0,"failed":true,"m":"no \u003csuch\u003e"}`,
		`{"k":"start","n":7,"e":1,"shell":"bash","line":"a > b && c","env":["A=1","B=\"2\""]}`,
		`{"k":"start","n":7,"e":1,"line":"","env":[]}`, `{"k":"end","N":1,"n":01}`, `{"k":"end","n":1e3}`,
		`{"n":999999999999999999999}`, `{"t":9223372036854775807}`, `{"t":9223372036854775808}`,
		`{"t":-9223372036854775808}`, `{"t":-9223372036854775807}`, `{"t":9999999999999999999}`, `{"n":1,"n":2}`, `{"o":[1]}`, `{"o":[1,2,3]}`, `{}`, `{"k":"end"} x`, `[`, `,"n":1}`,
		`{"k":"start","line":"\ud800","env":null,"n":-0}`, `{"k":"width","w":8}`, `{"line":"é","shell":"\xff"}`,
		`{"k":"gated","n":7,"e":1,"line":"x","after":[[6,1],[5,2]]}`, `{"k":"gated","after":[[1],[1,2,3]]}`, `{"k":"gated","after":[]}`, `{"after":[[1,2],]}`,
		`{"k":"start","n":1,"merge":true}`, `{"k":"gated","foreseen":true}`, `{"merge":false}`, `{"merge":true,"merge":false,"n":1}`, `{"merge":truex}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var gotEntry, wantEntry Entry
		check(t, line, gotEntry.Decode(line), json.Unmarshal(line, &wantEntry), &gotEntry, &wantEntry)
		var gotCommand, wantCommand Command
		check(t, line, gotCommand.Decode(line), json.Unmarshal(line, &wantCommand), &gotCommand, &wantCommand)
	})
}

func check(t *testing.T, line []byte, gotErr, wantErr error, got, want any) {
	t.Helper()
	if (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%q: error %v, want %v", line, gotErr, wantErr)
	}
	if gotErr == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%q:\n got %+v\nwant %+v", line, got, want)
	}
}

// TestFrequentLinesAreDecodedByHand checks that the lines of each execution are decoded without encoding/json.
func TestFrequentLinesAreDecodedByHand(t *testing.T) {
	now := time.Now().UnixNano()
	for _, e := range []Entry{
		{Kind: EntryStart, Node: 1, Execution: 1, Time: now, PID: 77, StartWindow: proc.Window{1, 2}, Slot: 3, Out: Extent{5, -1}, Err: Extent{0, -1}},
		{Kind: EntryEnd, Node: 1, Execution: 1, Time: now, Slot: 3, Out: Extent{5, 9}, Code: 1, User: 1000, System: 2000},
		{Kind: EntryEnd, Node: 1, Execution: 1, Time: now, Signal: 9},
		{Kind: EntryEnd, Node: 1, Execution: 1, Time: now, Slot: 3, Out: Extent{5, 9}, Err: NoExtent},
	} {
		line, err := ReadLine(bufio.NewReader(bytes.NewReader(append(e.Append(nil), '\n')))) // as the daemon reads it
		if err != nil {
			t.Fatal(err)
		}
		var got Entry
		if !jsonline.ReadObject(line, got.member) || got != e {
			t.Errorf("%s is read as %+v", line, got)
		}
	}
	for _, line := range [][]byte{
		AppendJob(nil, Job{ID: ID{1, 1}, Shell: "/bin/sh", Command: "true", Env: []string{"WF_NODE_ID=n1"}, Foreseen: true}),
		AppendLine(nil, Command{Kind: LineHello, Version: Version, Since: 2}),
		AppendLine(nil, Command{Kind: LineWidth, Width: 2}),
		AppendLine(nil, Command{Kind: LineClose}),
	} {
		var c Command
		if !jsonline.ReadObject(line[:len(line)-1], c.member) {
			t.Errorf("%s is left to encoding/json", line)
		}
	}
}

// TestNoticesAreLinesOfJSON compares the hand-written encoder with encoding/json.
func TestNoticesAreLinesOfJSON(t *testing.T) {
	for _, n := range []Notice{
		{Kind: LineHello, Version: 3, PID: 77, Message: "disk full"},
		{Kind: LineHello, Version: 3, PID: 77, Adopted: []int{5, 6}},
		{Kind: LineWidth},
		{Kind: LineWidth, Width: 8},
		{Kind: LineClosed},
		{Kind: LineClosed, Survivors: []int{9}, Left: []Leftover{{PID: 9}}, LeftCount: 1},
		{Kind: LineClosed, LeftCount: 3},
		{Kind: LineBroken, Gone: true, Message: "gone"},
	} {
		if got, want := n.Append(nil), AppendLine(nil, n); !bytes.Equal(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestStartRoundTrip checks that a job is the same after encoding and decoding.
func TestStartRoundTrip(t *testing.T) {
	for _, want := range []Job{
		{ID: ID{Node: 3, Execution: 2}, Command: "true"},
		{ID: ID{Node: 0, Execution: 1}, Shell: "/bin/bash", Command: "a 'b' \"c\" \\ > d\n\té", Env: []string{"A=", "B=\x01"}},
		{ID: ID{Node: 4, Execution: 1}, Command: "true", Env: []string{"A=1"}, After: []ID{{3, 2}, {0, 1}}},
		{ID: ID{Node: 5, Execution: 1}, Command: "true", Merge: true, Foreseen: true},
		{ID: ID{Node: 6, Execution: 1}, Command: "true", Env: []string{"A=1"}, Merge: true, After: []ID{{3, 2}}},
		{ID: ID{Node: 7, Execution: 1}, Shell: "bash", Command: "true", Env: []string{"A=1"}, Merge: true, Around: &Around{
			Before: []Hook{{Event: "before_node", Command: "a 'b'", From: "x", TimeoutMS: 5}}, Env: []string{"B=2"}, Name: "n", Log: "/l", Fate: "/f"}},
		{ID: ID{Node: 8, Execution: 1}, Command: "true", Launcher: []string{"/bin/sh", "-c", `cd "$1"`, "sh", "a b"}, After: []ID{{3, 2}}},
		{ID: ID{Node: 9, Execution: 1}, Command: "true", Launcher: []string{"docker", "run", "x"}, Box: &Box{Program: "docker"}, Around: &Around{Name: "n"}},
	} {
		line := AppendJob(nil, want)
		launched := want.Launcher != nil
		var c Command
		if err := c.Decode(line[:len(line)-1]); err != nil || !reflect.DeepEqual(c.Job(), want) || (c.Kind == LineLaunch) != launched ||
			!launched && ((c.Kind == LineGated) != (want.After != nil) || (c.Kind == LineAround) != (want.Around != nil)) {
			t.Errorf("%s: %+v (%v), want %+v", line, c.Job(), err, want)
		}
	}
}

var updateLines = flag.Bool("update-lines", false, "rewrite testdata/lines.json")

// allLines returns an example of every kind of line.
func allLines() []byte {
	id := ID{Node: 3, Execution: 1}
	var b []byte
	b = AppendLine(b, Command{Kind: LineHello, Version: Version, Since: 2})
	b = AppendJob(b, Job{ID: id, Shell: "/bin/sh", Command: "echo", Env: []string{"A=b"}})
	b = AppendJob(b, Job{ID: ID{Node: 4, Execution: 1}, Command: "echo", After: []ID{id}})
	b = AppendLine(b, Command{Kind: LineStop, IDs: []ID{id}, Grace: 1})
	b = AppendLine(b, Command{Kind: LineClose})
	b = AppendLine(b, Notice{Kind: LineHello, Version: 9, PID: 5})
	for _, e := range []Entry{
		{Kind: EntryRunner, PID: 4, Boot: "b"}, {Kind: EntryIntent, Node: 3, Execution: 1},
		{Kind: EntryStart, Node: 3, Execution: 1, PID: 77, StartWindow: proc.Window{1, 2}, Slot: 1, Out: Extent{0, -1}},
		{Kind: EntryStop, Node: 3, Execution: 1, Time: 5}, {Kind: EntryExit, Node: 3, Execution: 1, Code: 2},
		{Kind: "future", Node: 4, Execution: 1},
		{Kind: EntryEnd, Node: 3, Execution: 1, Signal: 9, Stopped: true, Message: "m"},
	} {
		b = append(e.Append(b), '\n')
	}
	b = AppendLine(b, Notice{Kind: LineHeld, Message: "full"})
	b = AppendLine(b, Notice{Kind: LineHeld, Message: "full"})
	b = AppendLine(b, Notice{Kind: LineBroken, Message: "full"})
	return AppendLine(b, Notice{Kind: LineClosed, Survivors: []int{7}})
}

// TestSampleLines checks that testdata/lines.json, which tests of other packages read, contains the lines of this version.
func TestSampleLines(t *testing.T) {
	path := filepath.Join("testdata", "lines.json")
	if *updateLines {
		if err := os.WriteFile(path, allLines(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(text, allLines()) {
		t.Errorf("%s differs (%v): go test ./executor/wire -update", path, err)
	}
}

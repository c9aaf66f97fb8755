package executor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"testing"

	"wf/executor/wire"
)

// sampleLines returns an example of every kind of line, see TestSampleLines of package wire.
func sampleLines(f *testing.F) []byte {
	text, err := os.ReadFile(filepath.Join("wire", "testdata", "lines.json"))
	if err != nil {
		f.Fatal(err)
	}
	return text
}

// FuzzSessionReads sends any text to a session as the news of a run: each start and end is reported once and in order, lines
// of an unknown kind are ignored, and a line that cannot be decoded ends the reading.
func FuzzSessionReads(f *testing.F) {
	f.Add(sampleLines(f))
	f.Add([]byte(`{"k":"start","n":1,"e":1,"o":[1,2,3]}` + "\n" + `{"k":"end","n":1,"e":1,"g":-1,"m":"\ud800"}` + "\n"))
	f.Add([]byte(`{"k":"later","n":{"x":1}}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got []Report
		caughtUp := 0
		s := newSession(Spec{Report: func(rs []Report) {
			for _, r := range rs {
				if r.Kind == CaughtUp {
					caughtUp++
				} else {
					got = append(got, r)
				}
			}
		}}, &runnerHandle{claim: newReaper().add("")})
		ours, theirs := net.Pipe()
		go func() {
			ours.Write(data)
			ours.Close()
		}()
		if s.read(theirs) == nil {
			t.Error("a connection ended without an error")
		}
		theirs.Close()
		var want []Report
		held := ""
		reader := bufio.NewReader(bytes.NewReader(data))
		for {
			line, err := wire.ReadLine(reader)
			var e wire.Entry
			if err != nil || json.Unmarshal(line, &e) != nil {
				break
			}
			if e.Kind == wire.EntryStart || e.Kind == wire.EntryEnd {
				want = append(want, reportOf(&e))
				continue
			}
			var n wire.Notice
			if json.Unmarshal(line, &n) != nil {
				break
			}
			switch n.Kind {
			case wire.LineBroken:
				want = append(want, Report{Kind: Broken, Message: n.Message})
			case wire.LineClosed:
				if n.LeftCount > 0 {
					want = append(want, Report{Kind: Leftovers})
				}
			case wire.LineWidth:
				want = append(want, Report{Kind: Resized, Width: n.Width})
			case wire.LineHello, wire.LineHeld: // both say whether the run is held; a repetition is not reported
				if n.Message != held {
					held = n.Message
					want = append(want, Report{Kind: Held, Message: held})
				}
			}
		}
		// Reports that arrived together with the line that ended the reading may be lost, earlier ones not.
		if len(got) > len(want) || caughtUp > 1 {
			t.Fatalf("%d reports of %d starts and ends, %d times caught up", len(got), len(want), caughtUp)
		}
		for i, r := range got {
			if r.Kind != want[i].Kind || r.ID != want[i].ID || r.Message != want[i].Message {
				t.Fatalf("report %d: %+v, want %+v", i, r, want[i])
			}
		}
	})
}

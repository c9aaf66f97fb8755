package runner

import (
	"bytes"
	"encoding/json"
	"testing"

	"wf/executor/wire"
)

// FuzzLogReplay replays any text as the log of an earlier runner. Starts and ends are announced again, byte for byte; an
// entry of an unknown kind changes nothing.
func FuzzLogReplay(f *testing.F) {
	f.Add(sampleLines(f))
	f.Add([]byte(`{"k":"end","n":1,"e":1}` + "\n" + `{"k":"intent","n":1,"e":1}` + "\n" + `{"k":"start","n":1,"e":1,"s":-4}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newReplayState()
		var announced []byte
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			var e, again wire.Entry
			if json.Unmarshal(line, &e) != nil {
				continue
			}
			if json.Unmarshal(e.Append(nil), &again) == nil && again != e && isKnown(e.Kind) {
				t.Fatalf("%+v is %+v after a round trip", e, again)
			}
			open, order := len(p.open), len(p.order)
			p.replay(&e, line)
			if e.Kind == wire.EntryStart || e.Kind == wire.EntryEnd {
				announced = append(append(announced, line...), '\n')
			}
			if !isKnown(e.Kind) && (len(p.open) != open || len(p.order) != order) {
				t.Fatalf("an entry of the kind %q changed what is open", e.Kind)
			}
		}
		if !bytes.Equal(p.news, announced) {
			t.Fatalf("news %q, want %q", p.news, announced)
		}
	})
}

func isKnown(kind string) bool {
	switch kind {
	case wire.EntryRunner, wire.EntryIntent, wire.EntryFork, wire.EntryForget, wire.EntryStart, wire.EntryStop, wire.EntryExit, wire.EntryEnd:
		return true
	}
	return false
}

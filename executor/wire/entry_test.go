package wire

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEntryRoundTrip compares the hand-written encoder with encoding/json.
func TestEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pair := rapid.Custom(func(t *rapid.T) [2]int64 {
			return [2]int64{rapid.Int64().Draw(t, "from"), rapid.Int64().Draw(t, "to")}
		})
		want := Entry{
			Kind:        rapid.SampledFrom([]string{EntryIntent, EntryFork, EntryForget, EntryStart, EntryStop, EntryExit, EntryEnd}).Draw(t, "kind"),
			Node:        rapid.Int().Draw(t, "node"),
			Execution:   rapid.Int().Draw(t, "execution"),
			Time:        rapid.Int64().Draw(t, "time"),
			PID:         rapid.Int().Draw(t, "pid"),
			StartWindow: pair.Draw(t, "born"),
			Boot:        rapid.String().Draw(t, "boot"),
			Slot:        rapid.Int().Draw(t, "slot"),
			Out:         pair.Draw(t, "out"),
			Err:         pair.Draw(t, "err"),
			Code:        rapid.Int().Draw(t, "code"),
			Signal:      rapid.Int().Draw(t, "signal"),
			Stopped:     rapid.Bool().Draw(t, "stopped"),
			Failed:      rapid.Bool().Draw(t, "failed"),
			Lost:        rapid.Bool().Draw(t, "lost"),
			User:        rapid.Int64().Draw(t, "user"),
			System:      rapid.Int64().Draw(t, "system"),
			Peak:        rapid.Int64().Draw(t, "peak"),
			Message:     rapid.String().Draw(t, "message"),
			Mark:        rapid.String().Draw(t, "mark"),
		}
		line := want.Append(nil)
		var got Entry
		if err := json.Unmarshal(line, &got); err != nil || got != want {
			t.Fatalf("%s\n got %+v (%v)\nwant %+v", line, got, err, want)
		}
		if slices.Contains(line, '\n') {
			t.Fatalf("%q is more than a line", line)
		}
	})
}

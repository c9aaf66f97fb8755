package main

import (
	"bytes"
	"testing"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/tail"
)

// TestStamps checks that each line has the time of the first mark after its first byte, lines after the last mark the time
// of the end, and lines that arrive during --follow the current time.
func TestStamps(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 0, 0, time.Local)
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	info := api.LogInfo{Merged: true, OutBytes: 18, Times: &api.LogTimes{Known: true, Started: begin, Until: at(9), Marks: [][3]int64{
		{at(2).UnixMilli(), 6, 0}, {at(3).UnixMilli(), 8, 0}, {at(5).UnixMilli(), 15, 0}}}}
	for name, c := range map[string]struct {
		live   bool
		pieces []string
		want   string
	}{
		"over": {false, []string{"one\ntwo\nthr", "ee\n\nlast\n"}, "2026-01-02 03:04:02 one\n2026-01-02 03:04:02 two\n" +
			"2026-01-02 03:04:05 three\n2026-01-02 03:04:05 \n2026-01-02 03:04:09 last\n"},
		"followed": {true, []string{"one\ntwo\nthree\n", "\nlast\n", "more\n"}, "2026-01-02 03:04:02 one\n2026-01-02 03:04:02 two\n" +
			"2026-01-02 03:04:05 three\n2026-01-02 03:04:05 \n2026-01-02 03:04:09 last\n2026-01-02 03:04:30 more\n"},
	} {
		var b bytes.Buffer
		s := newStamps(info, tail.StreamsOf(info)[0], c.live)
		if c.live {
			s.size = 20
		}
		s.now = func() time.Time { return at(30) }
		w := &stamper{Flusher: (&console.Console{}).OutputWriter(&b, true), stamps: s}
		for _, p := range c.pieces {
			if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
		}
		if b.String() != c.want {
			t.Errorf("%s:\n%swant\n%s", name, b.String(), c.want)
		}
	}
	info.Times.Known = false
	if newStamps(info, tail.StreamsOf(info)[0], false) != nil {
		t.Error("times of a run without marks")
	}
}

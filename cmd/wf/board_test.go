package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/cmd/wf/console"
)

// node events of a run that began at noon, at so many seconds.
func startedAt(s float64, node string, execution int) api.Event {
	return api.Event{Type: api.NodeStarted, Time: seconds64(s), Run: "1", Node: node, Name: node, Execution: execution}
}

func endedAt(s float64, node string, execution int, took float64, code int) api.Event {
	ev := api.Event{Type: api.NodeFinished, Time: seconds64(s), Run: "1", Node: node, Name: node, Execution: execution,
		DurationMS: number(int64(took * 1000)), ExitCode: &code}
	if code != 0 {
		ev.Type, ev.Reason = api.NodeFailed, api.ReasonExit
	}
	return ev
}

func seconds64(s float64) time.Time { return after(time.Duration(s * float64(time.Second))) }

func boardOf(events ...api.Event) *board {
	b := newBoard()
	for _, ev := range append([]api.Event{{Type: api.RunStarted, Time: noon}}, events...) {
		b.take(ev)
	}
	return b
}

// TestBoardRows are the rows of progress at several sizes.
func TestBoardRows(t *testing.T) {
	b := boardOf(endedAt(2, "fetch", 1, 2, 0), endedAt(3, "trim_S002", 1, 1, 1),
		startedAt(4, "align_of_a_sample_with_a_long_name_S001", 1), startedAt(5, "align_S003", 1), startedAt(6, "multiqc", 1),
		api.Event{Type: api.NodeReady, Node: "q"})
	b.total, b.blocked = 30, 5
	b.running["align_S003"].tail = "[M::mem] Processed 110000 reads in 12.3 CPU sec, 4.5 real sec"
	uni, asc := console.Paint{}, console.Paint{ASCII: true}
	for _, c := range []struct {
		p             console.Paint
		width, height int
		want          string
	}{
		{uni, 80, 24, `● align_of_a_s…g_name_S001      27s
● align_S003                    26s  [M::mem] Processed 110000 reads in 12.3 C…
● multiqc                       25s
  ○ 1 queued
2/30  ✗ 1  ⊘ 5  ━━─────────────────────────────────  31s   d detach · ^C cancel`},
		{asc, 60, 24, `* align_of...ame_S001      27s
* align_S003               26s  [M::mem] Processed 11000...
* multiqc                  25s
  o 1 queued
2/30  x 1  ! 5  =--------------  31s   d detach | ^C cancel`},
		{uni, 40, 8, `● align_…e_S001      27s
● align_S003         26s  [M::mem] Pro…
  + 1 running  ○ 1 queued
2/30  ✗ 1  ⊘ 5  ━─────────────────  31s`},
	} {
		hint := "d detach " + c.p.Dot() + " ^C cancel"
		rows := b.rows(c.p, seconds64(31), c.width, c.height, hint)
		if got := strings.Join(rows, "\n"); got != c.want {
			t.Errorf("%dx%d:\n%s\nwant\n%s", c.width, c.height, got, c.want)
		}
	}
}

// TestBoardRowsFit: no row is as wide as the terminal, and there are at most half as many as it has.
func TestBoardRowsFit(t *testing.T) {
	b := boardOf()
	b.total, b.blocked = 10000, 9999
	for i := range 300 {
		name := fmt.Sprintf("node\u4e2d\u6587 %d of a name that is long", i)
		b.take(startedAt(float64(i), name, 1))
		b.running[name].tail = strings.Repeat("\u4e2d", 200)
		b.take(endedAt(1, fmt.Sprint("f", i), 1, 1, 1))
	}
	for width := console.LeastWidth; width < 220; width++ {
		for _, height := range []int{console.LeastHeight, 24, 60} {
			rows := b.rows(console.Paint{Colored: true}, seconds64(5000), width, height, "d detach · ^C cancel")
			if len(rows) > height/2 || len(rows) > maxRunningRows+2 {
				t.Fatalf("%d rows at a height of %d", len(rows), height)
			}
			for _, row := range rows {
				if w := ansi.StringWidth(row); w >= width {
					t.Fatalf("%d columns of %d: %q", w, width, row)
				}
			}
			if last := rows[len(rows)-1]; !strings.Contains(ansi.Strip(last), "300/10000  ✗ 300  ⊘ 9999") {
				t.Fatalf("the numbers are cut at width %d: %q", width, last)
			}
		}
	}
}

func outlookOf(state api.State, nodes ...string) api.RunOutlook {
	o := api.RunOutlook{Run: "1", Earlier: 1}
	for _, n := range nodes {
		o.Nodes = append(o.Nodes, api.NodeOutlook{Node: n, Name: n, State: state, ExpectedMS: number(int64(10000)), PathMS: 10000})
	}
	return o
}

func TestRemaining(t *testing.T) {
	b := boardOf()
	if _, ok := b.remaining(seconds64(1)); ok {
		t.Error("a guess without an earlier run")
	}
	b.learn(outlookOf(api.StateIdle, "a", "b", "c", "d"))
	guess := func(at float64) float64 {
		d, ok := b.remaining(seconds64(at))
		if !ok {
			t.Fatal("no guess")
		}
		return d.Seconds()
	}
	b.take(startedAt(0, "a", 1))
	if got := guess(0); got != 40 {
		t.Errorf("four of 10 s, one at a time: %v", got)
	}
	b.take(startedAt(0, "b", 1))
	if got := guess(4); got != 16 {
		t.Errorf("32 s of work, two at a time: %v", got)
	}
	b.take(endedAt(10, "a", 1, 10, 0))
	b.take(endedAt(10, "b", 1, 10, 1))
	b.blocked = 1
	b.take(startedAt(10, "c", 1))
	if got := guess(10); got != 10 {
		t.Errorf("one runs 10 s, one is blocked: %v", got)
	}
	if d, ok := b.remaining(seconds64(60)); ok {
		t.Errorf("it takes longer than ever, and %v is said to be left", d)
	}
	b.ahead.expected["c"] = expectation{10 * time.Second, time.Minute}
	if got := guess(12); got != 58 {
		t.Errorf("the way from c to the end takes a minute: %v", got)
	}
	b.ahead.unknown = 5
	if _, ok := b.remaining(seconds64(12)); ok {
		t.Error("a guess though most of what is left is unknown")
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "~10s left", 23 * time.Second: "~25s left", 58 * time.Second: "~1m00s left", 61 * time.Second: "~1m left",
		95 * time.Second: "~2m left", 64 * time.Minute: "~1h00m left", 26 * time.Hour: "~1d 2h left"} {
		if got := roughly(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestLearn: an outlook tells who comes late what it has missed, and nothing that events told since.
func TestLearn(t *testing.T) {
	b := boardOf(startedAt(5, "b", 1), endedAt(6, "b", 1, 1, 0), startedAt(6, "c", 2))
	b.missed = 2
	o := outlookOf(api.StateOK, "a", "b", "c", "kept", "late")
	for i := range o.Nodes[:3] {
		o.Nodes[i].Executions, o.Nodes[i].Started = 1, number(noon)
	}
	o.Nodes[1].State, o.Nodes[2].State = api.StateRunning, api.StateQueued // older than the events
	o.Nodes[4] = api.NodeOutlook{Node: "late", Name: "late\x1b[2J", State: api.StateRunning, Executions: 1, Started: number(noon)}
	o.Total, o.Kept = 5, 1
	b.learn(o)
	if n, total := b.ended(); n != 2 || total != 4 || b.kept != 1 {
		t.Errorf("%d of %d ended, %d kept", n, total, b.kept)
	}
	if len(b.running) != 2 || b.running["late"].name != "late" || b.running["c"] == nil || len(b.queued) != 0 {
		t.Errorf("running %v, queued %v", b.running, b.queued)
	}
}

func TestStages(t *testing.T) {
	for name, want := range map[string]string{"align_S001": "align", "split_fasta_00000003": "split_fasta", "call_S1_chr2": "call",
		"sleep~12": "sleep", "job7": "job", "multiqc": "multiqc", "42": "42", "_1": "_"} {
		if got := stageName(api.NodeOutlook{Name: name}); got != want {
			t.Errorf("%s: stage %q, want %q", name, got, want)
		}
	}
	if got := stageName(api.NodeOutlook{Name: "x_1", Group: "QC"}); got != "QC" {
		t.Errorf("group: %q", got)
	}
	b := boardOf(endedAt(1, "a_1", 1, 1, 0), endedAt(2, "b_1", 1, 1, 0))
	finished := b.learn(outlookOf(api.StateIdle, "a_1", "a_2", "b_1"))
	if len(finished) != 1 || finished[0].name != "b" {
		t.Fatalf("finished already: %+v", finished)
	}
	s := b.take(endedAt(9, "a_2", 1, 4, 1))
	if s == nil || s.name != "a" || s.failed != 1 || s.last.Sub(s.first) != 4*time.Second {
		t.Errorf("%+v", s)
	}
	if s := b.take(endedAt(12, "a_2", 2, 1, 0)); s != nil {
		t.Errorf("a second execution finishes %+v again", s)
	}
}

func TestSlowest(t *testing.T) {
	b := newBoard()
	for i, s := range []int{5, 1, 9, 7, 3, 9} {
		b.time(fmt.Sprint(i), time.Duration(s)*time.Second)
	}
	if len(b.slowest) != 3 || b.slowest[1].took != 9*time.Second || b.slowest[2] != (timedNode{"3", 7 * time.Second}) || b.work != 34*time.Second {
		t.Errorf("%v, %v of work", b.slowest, b.work)
	}
}

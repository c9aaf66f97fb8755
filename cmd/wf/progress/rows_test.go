package progress

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/console"
)

// startedAt and the functions below return node events of a run, at s seconds after noon.
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

func boardOf(events ...api.Event) *runview.Run {
	b := runview.New()
	for _, ev := range append([]api.Event{{Type: api.RunStarted, Time: noon}}, events...) {
		b.Apply(ev)
	}
	return b
}

// TestBoardRows checks the rows of progress at several sizes.
func TestBoardRows(t *testing.T) {
	b := boardOf(endedAt(2, "fetch", 1, 2, 0), endedAt(3, "trim_S002", 1, 1, 1),
		startedAt(4, "align_of_a_sample_with_a_long_name_S001", 1), startedAt(5, "align_S003", 1), startedAt(6, "multiqc", 1),
		api.Event{Type: api.NodeReady, Node: "q"})
	b.Total, b.Blocked = 30, 5
	b.Running["align_S003"].Tail = "[M::mem] Processed 110000 reads in 12.3 CPU sec, 4.5 real sec"
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
		rows := boardRows(b, c.p, seconds64(31), c.width, c.height, hint)
		if got := strings.Join(rows, "\n"); got != c.want {
			t.Errorf("%dx%d:\n%s\nwant\n%s", c.width, c.height, got, c.want)
		}
	}
}

// TestBoardRowsFit checks that every row is narrower than the terminal, and that the rows fill at most half of it.
func TestBoardRowsFit(t *testing.T) {
	b := boardOf()
	b.Total, b.Blocked = 10000, 9999
	for i := range 300 {
		name := fmt.Sprintf("node\u4e2d\u6587 %d of a name that is long", i)
		b.Apply(startedAt(float64(i), name, 1))
		b.Running[name].Tail = strings.Repeat("\u4e2d", 200)
		b.Apply(endedAt(1, fmt.Sprint("f", i), 1, 1, 1))
	}
	for width := console.LeastWidth; width < 220; width++ {
		for _, height := range []int{console.LeastHeight, 24, 60} {
			rows := boardRows(b, console.Paint{Colored: true}, seconds64(5000), width, height, "d detach · ^C cancel")
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

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "~10s left", 23 * time.Second: "~25s left", 58 * time.Second: "~1m00s left", 61 * time.Second: "~1m left",
		95 * time.Second: "~2m left", 64 * time.Minute: "~1h00m left", 26 * time.Hour: "~1d 2h left"} {
		if got := roughly(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestBoardOfControlFlow checks that waiting nodes are not queued, retried nodes have not failed, skipped nodes have ended,
// and instances do not count as nodes of the run.
func TestBoardOfControlFlow(t *testing.T) {
	now := time.Now()
	soon := now.Add(4 * time.Second)
	b := runview.New()
	b.Total = 4
	one := int64(1000)
	for _, ev := range []api.Event{
		{Type: api.NodeReady, Node: "ask", Name: "ask"},
		{Type: api.NodeWaiting, Node: "ask", Name: "ask", Wait: &api.Wait{Kind: api.WaitApproval, Text: "?"}},
		{Type: api.NodeStarted, Node: "flaky", Name: "flaky", Execution: 1},
		{Type: api.NodeFailed, Node: "flaky", Name: "flaky", Execution: 1, Reason: api.ReasonExit, DurationMS: &one},
		{Type: api.NodeWaiting, Node: "flaky", Name: "flaky", Wait: &api.Wait{Kind: api.WaitRetry, Until: &soon}},
		{Type: api.NodeStarted, Node: "each", Name: "each"},
		{Type: api.NodeFinished, Node: "each[0]/x", Name: "each[0]/x", Execution: 1},
		{Type: api.NodeFailed, Node: "bad", Name: "bad", Execution: 1, Reason: api.ReasonExit, Handled: true},
		{Type: api.NodeSkipped, Node: "good", Name: "good"},
	} {
		ev.Time = now
		b.Apply(ev)
	}
	if n, total := b.Ended(); n != 4 || total != 4 {
		t.Errorf("%d of %d ended, want 4 of 4: flaky once, each[0]/x, bad, good", n, total)
	}
	if len(b.Queued) != 0 || len(b.Failed) != 0 || b.InstancesEnded["each"] != 1 {
		t.Errorf("queued %v, failed %v, within %v", b.Queued, b.Failed, b.InstancesEnded)
	}
	text := waitingText(b, console.Paint{ASCII: true}, now)
	if text != "? 1 for a person: ask  r 1 to retry  next in 4s" {
		t.Errorf("%q", text)
	}
	b.Apply(api.Event{Type: api.NodeDecided, Node: "ask", Name: "ask", Time: now})
	b.Apply(api.Event{Type: api.NodeStarted, Node: "flaky", Name: "flaky", Execution: 2, Time: now})
	if text := waitingText(b, console.Paint{ASCII: true}, now); text != "" {
		t.Errorf("still %q", text)
	}
}

// Nodes that wait at an engine are counted with the latest that it told about one of them.
func TestBoardOfNodesAtAnEngine(t *testing.T) {
	b := boardOf(api.Event{Type: api.NodeReady, Node: "a"}, api.Event{Type: api.NodeReady, Node: "b"},
		api.Event{Type: api.NodeEngine, Node: "a", Engine: &api.EngineJob{Executor: "hpc", ID: "7", State: "PENDING", Why: "Priority"}})
	if got := boardRows(b, console.Paint{}, seconds64(31), 80, 24, "")[0]; got != "  ○ 2 queued, hpc PENDING: Priority" {
		t.Errorf("%q", got)
	}
}

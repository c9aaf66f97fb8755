package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
)

// pipelineStatus returns the status of an active run of 11 nodes.
func pipelineStatus() api.Status {
	running := func(name string, ago time.Duration) api.NodeStatus {
		return api.NodeStatus{Name: name, State: api.StateRunning, Started: number(after(-ago))}
	}
	return api.Status{Workfile: "/data/Workfile", Counts: api.Counts{OK: 5, Failed: 1, Running: 2, Blocked: 3},
		Runs: []api.RunSummary{{Run: "42", Nodes: 11, Started: after(-131 * time.Second), Counts: api.Counts{OK: 5, Failed: 1, Running: 2, Blocked: 3}}},
		Stages: []api.Stage{
			{Name: "fetch_ref", Nodes: 1, Counts: api.Counts{OK: 1}, Notable: []api.NodeStatus{{Name: "fetch_ref", State: api.StateOK, DurationMS: number(int64(2100))}}},
			{Name: "index_ref", Nodes: 1, Counts: api.Counts{OK: 1}, After: []int{0}, Notable: []api.NodeStatus{{Name: "index_ref", State: api.StateOK, DurationMS: number(int64(14000)), Executions: 3}}},
			{Name: "trim", Nodes: 3, Counts: api.Counts{OK: 2, Failed: 1}, After: []int{0}, Notable: []api.NodeStatus{
				{Name: "trim_S002", State: api.StateFailed, Reason: api.ReasonExit, ExitCode: number(1), Run: "42", Executions: 1}}},
			{Name: "align", Nodes: 3, Counts: api.Counts{Running: 2, Blocked: 1}, After: []int{1, 2},
				Notable: []api.NodeStatus{running("align_S001", 64*time.Second), running("align_S003\x1b[2J", 58*time.Second)}},
			{Name: "sort", Nodes: 2, Counts: api.Counts{Blocked: 2}, After: []int{3}},
			{Name: "notes", Nodes: 1, Counts: api.Counts{OK: 1}, Notable: []api.NodeStatus{{Name: "notes", State: api.StateOK}}},
		}}
}

func TestPrintStatus(t *testing.T) {
	for _, c := range []struct {
		name   string
		status api.Status
		paint  console.Paint
		want   string
	}{
		{"never run", api.Status{Workfile: "/data/Workfile", Counts: api.Counts{Idle: 2}}, console.Paint{}, "Workfile: never run. 2 idle\n"},
		{"over", api.Status{Workfile: "/data/Workfile", Counts: api.Counts{OK: 30}, Stages: []api.Stage{{Name: "unseen"}},
			LastRun: &api.RunSummary{Run: "43", Result: api.Succeeded, Ended: number(after(-4 * time.Minute)), DurationMS: number(int64(100000)), Counts: api.Counts{OK: 6, Kept: 24}}},
			console.Paint{}, "Workfile: no run is active. Last: run 43 ok 4m ago (6 ok, 24 kept, 1m40s).\n"},
		{"running", pipelineStatus(), console.Paint{}, `run 42  Workfile  running  2m11s   6/11   ● 2  ✗ 1  ⊘ 3
  ✓   fetch_ref           ok  2.1s
  ├─✓ index_ref           ok  14.0s  3 executions
  ✗ │ trim       ×3  2/3  ✗ 1  trim_S002 exit 1
  ●─╯ align      ×3  0/3  ● 2  ⊘ 1  align_S001 1m04s, align_S003 58.0s
  ⊘   sort       ×2  0/2  ⊘ 2
  ✓   notes               ok
attach: wf attach 42 --file x    log: wf logs 42/trim_S002 --file x
`},
		{"in ASCII", pipelineStatus(), console.Paint{ASCII: true}, `run 42  Workfile  running  2m11s   6/11   * 2  x 1  ! 3
  +   fetch_ref           ok  2.1s
  +-+ index_ref           ok  14.0s  3 executions
  x | trim       x3  2/3  x 1  trim_S002 exit 1
  *-' align      x3  0/3  * 2  ! 1  align_S001 1m04s, align_S003 58.0s
  !   sort       x2  0/2  ! 2
  +   notes               ok
attach: wf attach 42 --file x    log: wf logs 42/trim_S002 --file x
`},
	} {
		var b bytes.Buffer
		if err := Status(&b, c.paint, c.status, noon, " --file x"); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, b.String(), c.want)
		}
	}
}

// TestPrintStatusOfMany checks that of many stages only the notable ones are shown, with a count of the others, and that a
// long idle end is one row.
func TestPrintStatusOfMany(t *testing.T) {
	status := api.Status{Workfile: "/w", Problem: "not readable", Counts: api.Counts{OK: 100, Failed: 1}, MoreStages: 100, Stages: []api.Stage{
		{Name: "bad", Nodes: 1, Counts: api.Counts{Failed: 1}, Notable: []api.NodeStatus{{Name: "bad", State: api.StateFailed, Reason: api.ReasonLost}}}}}
	var b bytes.Buffer
	Status(&b, console.Paint{ASCII: true}, status, noon, "")
	want := "w: never run. 100 ok | 1 failed\nnote: not readable\n  x bad  failed  lost\n" +
		"  ...100 more stages: wf ls     100 ok | 1 failed\ncontinue: wf resume\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
	status = api.Status{Stages: []api.Stage{{Name: "a", Nodes: 2, Counts: api.Counts{OK: 1, Idle: 1}}}}
	for range 6 {
		status.Stages = append(status.Stages, api.Stage{Name: "later", Nodes: 2, Counts: api.Counts{Idle: 2}})
	}
	b.Reset()
	Status(&b, console.Paint{}, status, noon, "")
	if want := "  · a               ×2  1/2\n  · later           ×2  0/2\n  · …5 more stages\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%s", b.String())
	}
}

// TestLanes checks that a lane ends at its last target, and that all edges of a source share it.
func TestLanes(t *testing.T) {
	for _, c := range []struct {
		name  string
		after [][]int
		want  []string
	}{
		{"chain", [][]int{{}, {0}, {1}}, []string{"o", "o", "o"}},
		{"diamond", [][]int{{}, {0}, {0}, {1, 2}}, []string{"o", "├─o", "o │", "o─╯"}},
		{"apart", [][]int{{}, {}, {0}, {1}}, []string{"o", "│ o", "o │", "  o"}},
		{"crossing", [][]int{{}, {}, {}, {0, 2}, {0, 1}}, []string{"o", "│ o", "│ │ o", "├─┼─o", "o─╯"}},
		{"many in", [][]int{{}, {}, {}, {0, 1, 2}, {0, 1}}, []string{"o", "│ o", "│ │ o", "├─┼─o", "o─╯"}},
		{"ends within", [][]int{{}, {}, {}, {0, 1, 2}, {0}}, []string{"o", "│ o", "│ │ o", "├─o─╯", "o"}},
	} {
		var got []string
		for _, row := range lanes(c.after) {
			got = append(got, strings.TrimRight(row.Text(console.Paint{}, "o", 0), " "))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	wide := make([][]int, 2*maxLanes)
	for i := range maxLanes + 1 {
		wide[maxLanes+8] = append(wide[maxLanes+8], i)
	}
	if lanes(wide) != nil {
		t.Error("too many lanes are drawn")
	}
}

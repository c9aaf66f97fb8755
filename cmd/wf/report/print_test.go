package report

import (
	"bytes"
	"testing"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/words"
)

func TestPrintPlan(t *testing.T) {
	plan := api.Plan{Mode: api.ModeFresh, Total: 30, Nodes: 2, Jobs: 8, Wrapper: "bash -c {}", Notes: []string{"careful"}, Steps: []api.PlanStep{
		{Name: "align", Command: "bwa mem\n  ref.fa", Line: "bash -c 'bwa mem'", Why: "selected"},
		{Name: "merge", Command: "cat a b", Line: "bash -c 'cat a b'", Why: "downstream of align", After: []string{"align"}, Ignored: []string{"call"}},
	}, Beyond: []string{"report"}}
	var b bytes.Buffer
	want := `would run 2 of 30 nodes (8 jobs), in this order:
  1  align  selected             bwa mem ⏎ ref.fa
  2  merge  downstream of align  cat a b
     does not wait for call (not selected)
next, but not selected: report
wrapper: bash -c {}
note: careful
nothing was run.
`
	if err := Plan(&b, console.Paint{}, plan, false, 0); err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
	}
	b.Reset()
	Plan(&b, console.Paint{}, api.Plan{Mode: api.ModeResume, Resumes: "7", Total: 3, Kept: 3}, false, 0)
	if want := "nothing to resume: no node has failed\nnothing was run.\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

func TestPrintRuns(t *testing.T) {
	var b bytes.Buffer
	Runs(&b, console.Paint{}, []api.RunSummary{
		{Run: "43", Started: after(-4 * time.Minute), Result: api.Succeeded, Mode: api.ModeResume, Resumes: "42", Counts: api.Counts{OK: 6, Kept: 24}, DurationMS: number(int64(100000)), User: "u1"},
		{Run: "42", Started: after(-25 * time.Hour), Mode: api.ModeFresh, Selection: []string{"+multiqc"}, Counts: api.Counts{Running: 1}},
		{Run: "41", Started: after(-26 * time.Hour), Result: api.Succeeded, From: []string{"id:n3"}, Counts: api.Counts{OK: 1}, User: "u1", Client: api.ClientTrigger},
	}, func(t time.Time) string { return words.Ago(t, noon) })
	want := `RUN  WHEN    RESULT     NODES          TIME   BY            WHAT
43   4m ago  ✓ ok       6 ok, 24 kept  1m40s  u1            resume 42
42   1d ago  ● running  1 running                           --nodes +multiqc
41   1d ago  ✓ ok       1 ok                  u1 (trigger)  --from id:n3
`
	if b.String() != want {
		t.Errorf("\n%s\nwant\n%s", b.String(), want)
	}
}

// TestPrintNodes checks that a table fits the terminal, and that names and commands contain no control sequences.
func TestPrintNodes(t *testing.T) {
	nodes := []api.NodeStatus{{Name: "a\x1b[2J", State: api.StateIdle, Command: "echo one\necho two; echo \x1b]0;x\x07three"}}
	var b bytes.Buffer
	Nodes(&b, console.Paint{}, nodes, 0)
	if want := "· a  idle    echo one ⏎ echo two; echo three\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	Nodes(&b, console.Paint{}, nodes, 10)
	if want := "· a  idle    echo one ⏎ echo two…\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

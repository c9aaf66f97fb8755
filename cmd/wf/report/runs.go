package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// by returns who has asked for a run, as wf audit does.
func by(r api.RunSummary) string {
	user := plain.Line(r.User)
	if r.Client == api.ClientTrigger {
		user = strings.TrimSpace(user + " (trigger)")
	}
	return user
}

// Runs prints the runs as a table.
func Runs(w io.Writer, p console.Paint, runs []api.RunSummary, when func(time.Time) string) error {
	var t console.Table
	t.Row("RUN", "WHEN", "RESULT", "NODES", "TIME", "BY", "WHAT")
	for _, r := range runs {
		t.Row(r.Run, when(r.Started), p.Glyph(words.RunState(r))+" "+words.RunWord(r),
			strings.Join(words.CountParts(r.Counts, "not reached"), ", "), words.SpanMS(r.DurationMS), by(r), words.Asked(r))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, r := range runs {
		if r.Problem != "" {
			fmt.Fprintf(w, "note: the history of run %s: %s\n", r.Run, plain.Line(r.Problem))
		}
	}
	return nil
}

package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// Status prints the state: lines about the runs, the stages unless everything is done, and commands to type next.
// file is the --file flag for those commands.
func Status(w io.Writer, p console.Paint, s api.Status, now time.Time, file string) error {
	var b strings.Builder
	for _, line := range statusHead(p, s, now, file) {
		fmt.Fprintln(&b, line)
	}
	if done := s.Counts.OK > 0 && s.Counts == (api.Counts{OK: s.Counts.OK}); len(s.Runs) > 0 || !done {
		stageRows(&b, p, s, now)
	}
	if next := statusNext(s, file); next != "" {
		fmt.Fprintln(&b, next)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// statusHead returns one line per active run, or one about the last run.
func statusHead(p console.Paint, s api.Status, now time.Time, flags string) []string {
	file := plain.Line(filepath.Base(s.Workfile))
	var lines []string
	for _, r := range s.Runs {
		state := "running"
		switch {
		case r.Stopping:
			state = "stopping"
		case r.Held != "":
			state = "held"
		}
		c := r.Counts
		ended := fmt.Sprintf("%d/%d", c.OK+c.Failed+c.Cancelled+c.Skipped, r.Nodes-c.Kept)
		lines = append(lines, strings.TrimRight(fmt.Sprintf("run %s  %s  %s  %s   %s   %s", r.Run, file, state,
			words.Span(now.Sub(r.Started)), ended, strings.Join(countGlyphs(p, c), "  ")), " "))
		switch {
		case r.Held == api.HeldWorkfile:
			lines = append(lines, "held: the workfile is quarantined, so its runs are not recovered (wf server status)")
		case r.Held != "":
			lines = append(lines, "held: nothing starts: "+plain.Line(r.Held)+"; the run continues by itself when that ends")
		}
		if r.Short != nil {
			lines = append(lines, "note: "+words.Short(*r.Short))
		}
	}
	switch {
	case len(s.Runs) > 0:
	case s.LastRun == nil:
		head := "never run."
		if s.FromFile > 0 {
			head = "never run here. From the file:"
		}
		lines = append(lines, fmt.Sprintf("%s: %s %s", file, head, strings.Join(words.CountParts(s.Counts, "idle"), " "+p.Dot()+" ")))
	default:
		lines = append(lines, fmt.Sprintf("%s: no run is active. Last: run %s %s %s (%s).", file, s.LastRun.Run,
			words.ResultWord(s.LastRun.Result), EndedAgo(*s.LastRun, now), lastRunParts(*s.LastRun)))
	}
	if s.LastRun != nil && len(s.Runs) == 0 && s.LastRun.Result == api.ResFailed && s.LastRun.Cause != "" {
		lines = append(lines, "note: run "+s.LastRun.Run+": "+plain.Line(s.LastRun.Cause))
	}
	if s.LastRun != nil && len(s.Runs) == 0 && len(s.LastRun.Survivors) > 0 {
		lines = append(lines, "note: "+words.Survivors(s.LastRun.Survivors))
	}
	if s.LastRun != nil && s.FromFile > 0 {
		lines = append(lines, fmt.Sprintf("note: the status of %s came with the file, not from a run here", words.Plural(s.FromFile, "node")))
	}
	for _, q := range s.Queued {
		lines = append(lines, fmt.Sprintf("%s has been queued since %s: wf stop %s%s removes it", plain.Line(q.Queued), words.Ago(q.Since, now), plain.Line(q.Queued), flags))
	}
	if s.MovedFrom != "" {
		lines = append(lines, "note: looks like "+plain.Line(s.MovedFrom)+" was moved here; its history comes with: wf mv "+
			words.Quote(s.MovedFrom)+" "+words.Quote(s.Workfile))
	}
	if s.Problem != "" {
		lines = append(lines, "note: "+plain.Line(s.Problem))
	}
	return lines
}

// fromFileWord marks a status that does not come from a run on this machine.
const fromFileWord = "from the file"

// countGlyphs returns the counts of states other than done and idle: "● 5", "✗ 1".
func countGlyphs(p console.Paint, c api.Counts) []string {
	var parts []string
	for _, part := range []struct {
		state api.State
		n     int
	}{
		{api.StateRunning, c.Running}, {api.StateQueued, c.Queued}, {api.StateWaiting, c.Waiting}, {api.StateRetrying, c.Retrying},
		{api.StateFailed, c.Failed}, {api.StateHandled, c.Handled},
		{api.StateCancelled, c.Cancelled}, {api.StateBlocked, c.Blocked},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", p.Glyph(part.state), part.n))
		}
	}
	return parts
}

// stageRows writes one row per stage, with the edges between them to the left.
func stageRows(b *strings.Builder, p console.Paint, s api.Status, now time.Time) {
	after := make([][]int, len(s.Stages))
	for i, stage := range s.Stages {
		after[i] = stage.After
	}
	drawn := lanes(after)
	width := 1
	for _, row := range drawn {
		width = max(width, len(row.cells))
	}
	shown := len(s.Stages) - quietTail(s.Stages)
	folded := slices.ContainsFunc(s.Stages[:shown], func(s api.Stage) bool { return s.Nodes > 1 })
	var t console.Table
	for i, stage := range s.Stages[:shown] {
		glyph := p.Glyph(stage.Counts.Worst())
		if drawn != nil {
			glyph = drawn[i].Text(p, glyph, width)
		}
		size, how := stageCells(p, stage, now)
		cells := []string{"  " + glyph + " " + plain.Line(stage.Name), size, how}
		if !folded {
			cells = slices.Delete(cells, 1, 2)
		}
		t.Row(cells...)
	}
	if rest := len(s.Stages) - shown; rest > 0 {
		t.Row("  " + pad(p.Glyph(api.StateIdle), width) + " " + p.Ellipsis() + words.Plural(rest, "more stage"))
	}
	t.Write(b) // writing to a strings.Builder cannot fail
	if s.MoreStages > 0 {
		fmt.Fprintf(b, "  %s%s: wf ls     %s\n", p.Ellipsis(), words.Plural(s.MoreStages, "more stage"),
			strings.Join(words.CountParts(s.Counts, "idle"), " "+p.Dot()+" "))
	}
}

// longTail is the least number of rows that are folded into one.
const longTail = 3

// quietTail returns how many idle stages at the end are folded: all but the first one, or 0 if they are few.
func quietTail(stages []api.Stage) int {
	quiet := 0
	for _, s := range slices.Backward(stages) {
		if s.Counts != (api.Counts{Idle: s.Nodes}) {
			break
		}
		quiet++
	}
	if quiet == len(stages) || quiet-1 < longTail {
		return 0 // if all stages are idle, show them
	}
	return quiet - 1
}

// stageCells returns the progress of a stage and its notable nodes. A stage with a single node has no size, and shows
// the state of the node.
func stageCells(p console.Paint, s api.Stage, now time.Time) (size, how string) {
	if s.Nodes == 1 && len(s.Notable) == 1 {
		return "", stateDetail(s.Notable[0], now)
	}
	var names []string
	for _, n := range s.Notable {
		name := plain.Line(n.Name)
		switch {
		case n.State == api.StateFailed:
			name += " " + words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message)
		case n.Wait != nil:
			name += " " + words.Wait(*n.Wait, now)
		case n.State == api.StateQueued && n.Engine != nil:
			name += " " + words.Engine(n.Engine, n.State)
		case n.Started != nil:
			name += " " + words.Span(now.Sub(*n.Started))
		}
		names = append(names, name)
	}
	size = fmt.Sprintf("%s%d  %d/%d", p.Either("×", "x"), s.Nodes, s.Counts.OK+s.Counts.Kept, s.Nodes)
	parts := countGlyphs(p, s.Counts)
	if s.Counts.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%s %d", p.Glyph(api.StateSkipped), s.Counts.Skipped))
	}
	if s.Counts.Kept > 0 {
		parts = append([]string{fmt.Sprintf("%d kept", s.Counts.Kept)}, parts...)
	}
	return size, strings.Join(append(parts, strings.Join(names, ", ")), "  ")
}

// statusNext returns commands that the user may want to type next.
func statusNext(s api.Status, file string) string {
	var parts []string
	failed := firstFailed(s.Stages)
	if len(s.Runs) > 0 {
		parts = append(parts, "attach: wf attach "+s.Runs[0].Run+file)
	}
	if failed != nil && failed.Run != "" && failed.Executions > 0 {
		parts = append(parts, "log: wf logs "+words.Quote(failed.Run+"/"+failed.Name)+file)
	}
	if waitsForPeople(s.Stages) {
		parts = append(parts, "waiting for a person: wf approvals"+file)
	}
	if len(s.Runs) == 0 && (s.Counts.Cancelled > 0 && !lastSucceeded(s) || s.Counts.Failed > 0 && !allHandled(s)) {
		parts = append(parts, "continue: wf resume"+file)
	}
	return strings.Join(parts, "    ")
}

// firstFailed returns the first failed notable node, or nil.
func firstFailed(stages []api.Stage) *api.NodeStatus {
	for _, s := range stages {
		for i := range s.Notable {
			if s.Notable[i].State == api.StateFailed {
				return &s.Notable[i]
			}
		}
	}
	return nil
}

// allHandled says whether every failure is handled. Failed nodes of instances do not matter here, because their sub-flow
// decides whether the workflow has failed.
func allHandled(s api.Status) bool {
	handled := false
	for _, stage := range s.Stages { // unhandled failures come first in a stage
		for _, n := range stage.Notable {
			if n.State == api.StateFailed && !n.Handled {
				return false
			}
			handled = handled || n.Handled
		}
	}
	return handled
}

// lastSucceeded says whether the last run succeeded. Cancelled nodes are then those that a join did not need.
func lastSucceeded(s api.Status) bool { return s.LastRun != nil && s.LastRun.Result == api.Succeeded }

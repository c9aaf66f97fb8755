// Package report prints what wf knows of workfiles, runs and nodes as text, and writes the reports of --report. It only
// formats: the commands get the data from the daemon.
package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// Run prints one run. file is the --file flag for the commands in it.
func Run(w io.Writer, p console.Paint, d api.RunDetail, verbose bool, now time.Time, file string) error {
	var b strings.Builder
	runHead(&b, p, d, now)
	a := d.Analysis
	if a != nil && len(a.Stages)+a.MoreStages > 0 {
		b.WriteByte('\n')
		stageRows(&b, p, api.Status{Stages: a.Stages, MoreStages: a.MoreStages, Counts: d.Counts}, now)
	}
	runFailures(&b, p, d, file)
	runDecisions(&b, d)
	runNotes(&b, d)
	if a != nil {
		runTimes(&b, p, *a)
		if line := changeLine(a.Changes); line != "" {
			fmt.Fprintf(&b, "\nedits since: %s\n", line)
		}
	}
	if verbose || a == nil {
		b.WriteByte('\n')
		executionRows(&b, p, d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// runHead writes how a run ended and how it was started.
func runHead(b *strings.Builder, p console.Paint, d api.RunDetail, now time.Time) {
	fmt.Fprintf(b, "%s run %s %s  %s  %s\n", p.Glyph(words.ResultState(d.Result)), d.Run, words.ResultWord(d.Result),
		strings.Join(words.CountParts(d.Counts, "not reached"), " "+p.Dot()+" "), words.SpanMS(d.DurationMS))
	ended := ""
	if d.Ended != nil {
		ended = moment(*d.Ended, now)
	}
	code := ""
	if d.ExitCode != nil {
		code = strconv.Itoa(*d.ExitCode)
		if d.Cause != "" {
			code += " (" + d.Cause + ")"
		}
	}
	by := d.User
	if by != "" && d.Host != "" {
		by += "@" + d.Host
	}
	limits := runLimits(d)
	survivors := ""
	if len(d.Survivors) > 0 {
		survivors = words.Survivors(d.Survivors)
	}
	var t console.Table
	for _, field := range [][2]string{
		{"workfile", d.Workfile}, {"what", words.Asked(d.RunSummary)}, {"started", moment(d.Started, now)}, {"ended", ended},
		{"exit code", code}, {"by", by}, {"trigger", triggerText(d.Trigger)}, {"profile", d.Profile}, {"wrapper", d.Wrapper}, {"params", words.Values(d.Params)}, {"mocked", mocksText(d.Mocks)}, {"cwd", d.Cwd}, {"limits", limits}, {"version", d.Version},
		{"records", d.Folder}, {"damage", d.Problem}, {"left", survivors},
	} {
		if field[1] != "" {
			t.Row("  "+field[0], plain.Line(field[1]))
		}
	}
	t.Write(b)
}

// runDecisions lists the decisions of people in the run.
func runDecisions(b *strings.Builder, d api.RunDetail) {
	if len(d.Decisions) == 0 {
		return
	}
	b.WriteString("\ndecisions\n")
	var t console.Table
	for _, made := range d.Decisions {
		more := ""
		if made.Comment != "" {
			more = strconv.Quote(made.Comment)
		}
		if values := words.Values(made.Values); values != "" {
			more = strings.TrimSpace(more + "  " + values)
		}
		t.Row("  "+plain.Line(made.Name), words.Decided(made.Approved), "by "+plain.Line(made.Who()), made.Time.Local().Format(time.DateTime), plain.Line(more))
	}
	t.Write(b)
}

// runNotes lists the notes of the run.
func runNotes(b *strings.Builder, d api.RunDetail) {
	for i, note := range d.Notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "note: %s\n", plain.Line(note))
	}
}

// moment formats a time, absolute and relative.
func moment(t, now time.Time) string {
	return t.Local().Format(time.DateTime) + " (" + words.Ago(t, now) + ")"
}

// runLimits returns the limits of a run.
func runLimits(d api.RunDetail) string {
	var parts []string
	if jobs := words.Jobs(d.Jobs, d.NoLimit); jobs != "" {
		parts = append(parts, jobs)
	}
	if d.TimeoutMS > 0 {
		parts = append(parts, "timeout "+words.Span(time.Duration(d.TimeoutMS)*time.Millisecond))
	}
	if d.FailFast {
		parts = append(parts, "fail-fast")
	}
	if d.NoCache {
		parts = append(parts, "no-cache")
	}
	return strings.Join(parts, ", ")
}

// runFailures writes one line per failed node, with the command that prints its output.
func runFailures(b *strings.Builder, p console.Paint, d api.RunDetail, file string) {
	failed := runview.FailedExecutions(d)
	if len(failed) == 0 {
		return
	}
	var t console.Table
	for _, x := range failed[:min(len(failed), words.ShownNames)] {
		t.Row("  "+p.Glyph(api.StateFailed)+" "+plain.Line(x.Name), words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message), words.SpanMS(x.DurationMS),
			"wf logs "+words.Quote(d.Run+"/"+x.Name)+file)
	}
	b.WriteString("\nfailed:\n")
	t.Write(b)
	if rest := len(failed) - words.ShownNames; rest > 0 {
		fmt.Fprintf(b, "  %s%d more: wf logs --failed --run %s%s\n", p.Ellipsis(), rest, d.Run, file)
	}
	if blocked := runview.NamesIn(d.Left, api.StateBlocked); len(blocked) > 0 {
		fmt.Fprintf(b, "  %s blocked by %s: %s\n", p.Glyph(api.StateBlocked), words.ItOrThem(len(failed)), words.NameList(blocked, words.ShownNames))
	}
}

const (
	shownSlowest = 5
	shownPath    = 20 // steps of a critical path
)

// runTimes writes where the time of a run went.
func runTimes(b *strings.Builder, p console.Paint, a api.Analysis) {
	if len(a.Slowest) == 0 {
		return
	}
	fmt.Fprintf(b, "\ntime: %s for %s of work: %.1f%s parallel, at most %d at once", words.SpanMS(&a.WallMS), words.SpanMS(&a.WorkMS),
		a.Parallel, p.Either("×", "x"), a.Most)
	if a.CPUMS > 0 {
		fmt.Fprintf(b, "; %s of CPU", words.SpanMS(&a.CPUMS))
	}
	b.WriteByte('\n')
	var slow []string
	for _, x := range a.Slowest[:min(len(a.Slowest), shownSlowest)] {
		slow = append(slow, plain.Line(stepName(x))+" "+words.SpanMS(&x.DurationMS))
	}
	fmt.Fprintf(b, "slowest: %s\n", strings.Join(slow, " "+p.Dot()+" "))
	if len(a.Critical) < 2 {
		return
	}
	var work, wait int64
	for _, x := range a.Critical {
		work += x.DurationMS
		wait += x.WaitMS
	}
	fmt.Fprintf(b, "critical path: %s, %s of work and %s of waiting\n", words.Plural(len(a.Critical), "execution"), words.SpanMS(&work), words.SpanMS(&wait))
	steps, left := a.Critical, 0
	if len(steps) > shownPath {
		left, steps = len(steps)-shownPath, steps[len(steps)-shownPath:]
		fmt.Fprintf(b, "  %s%d before\n", p.Ellipsis(), left)
	}
	var t console.Table
	for _, x := range steps {
		waited := ""
		if x.WaitMS >= 100 { // shorter waits do not matter
			waited = "after a wait of " + words.SpanMS(&x.WaitMS)
		}
		t.Row("  "+plain.Line(stepName(x)), words.SpanMS(&x.DurationMS), waited)
	}
	t.Write(b)
}

// stepName returns the node of an execution, with the number of the execution if it is not the first.
func stepName(x api.PathStep) string {
	if x.Execution < 2 {
		return x.Name
	}
	return fmt.Sprintf("%s (execution %d)", x.Name, x.Execution)
}

// changeLine describes changes in one line; "" if there are none.
func changeLine(c *api.Changes) string {
	if c == nil {
		return ""
	}
	edges := func(list []api.EdgeChange) []string {
		var names []string
		for _, e := range list {
			names = append(names, e.Source+" -> "+e.Target)
		}
		return names
	}
	var parts []string
	for _, part := range []struct {
		what  string
		names []string
	}{
		{"command of", c.Commands}, {"new", c.Added}, {"removed", c.Removed}, {"new edge", edges(c.EdgesAdded)},
		{"removed edge", edges(c.EdgesRemoved)}, {"other type of edge", edges(c.EdgesRetyped)}, {"attribute", c.Attributes},
	} {
		if len(part.names) > 0 {
			parts = append(parts, part.what+" "+words.NameList(part.names, words.ShownNames))
		}
	}
	return strings.Join(parts, "; ")
}

// executionRows writes one row per execution, in order of start.
func executionRows(b *strings.Builder, p console.Paint, d api.RunDetail) {
	var t console.Table
	for _, x := range d.Execs {
		state, how := executionState(x)
		started := ""
		if x.Started != nil {
			started = "+" + words.Span(x.Started.Sub(d.Started))
		}
		for _, text := range []string{words.Engine(x.Engine, state), words.Peak(x.PeakBytes)} {
			if text != "" {
				how += ", " + text
			}
		}
		t.Row(p.Glyph(state)+" "+plain.Line(x.Name), strconv.Itoa(x.Execution), started, words.SpanMS(x.DurationMS), how, plain.Command(words.Beginning(x.Command), p.ASCII))
	}
	t.Write(b)
}

// executionState returns how an execution ended, as a state and in words.
func executionState(x api.Execution) (api.State, string) {
	switch {
	case !x.Over:
		return api.StateRunning, "running"
	case x.OK:
		return api.StateOK, "ok"
	case x.Reason == api.ReasonCancelled:
		return api.StateCancelled, "cancelled"
	}
	return api.StateFailed, words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message) + ci.HandledText(x.Handled)
}

// mostFiles bounds how many of the files of a trigger are shown.
const mostFiles = 3

// triggerText describes the trigger that started a run, "" for none.
func triggerText(t *api.RunTrigger) string {
	if t == nil {
		return ""
	}
	text := t.Name + ", for " + t.Time.Format(time.DateTime+" -07:00")
	if n := len(t.Files); n > 0 {
		text += ", " + words.Plural(n, "file") + ": " + strings.Join(t.Files[:min(n, mostFiles)], ", ")
		if n > mostFiles {
			text += ", …"
		}
	}
	return text
}

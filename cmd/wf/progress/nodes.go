package progress

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// started prints the header of the run.
func (v *Display) started(ev api.Event) {
	if !v.progress() || v.opt.Quiet {
		return
	}
	size := words.Plural(v.Run.Total, "node")
	if v.Run.Kept > 0 {
		size += fmt.Sprintf(", %d kept", v.Run.Kept)
	}
	if jobs := words.Jobs(ev.Jobs, ev.NoLimit); jobs != "" {
		size += ", " + jobs
	}
	v.at(ev.Time, "run %s %s: %s", ev.Run, v.workfile(), size)
}

func (v *Display) nodeStarted(ev api.Event) {
	if v.streams != nil {
		v.streams.follow(ev)
	}
	if !v.progress() || !v.opt.Verbose {
		return
	}
	step, planned := v.steps[ev.Node]
	why := ""
	if planned && ev.Execution < 2 {
		why = ": " + step.Why
	}
	v.at(ev.Time, "%s %s started%s%s", v.p.Glyph(api.StateRunning), plain.Line(ev.Name), executionText(ev), why)
	if planned && step.Line != "" {
		v.field("command", step.Line)
	}
}

func (v *Display) nodeEnded(ctx context.Context, ev api.Event) {
	failed := ev.Type == api.NodeFailed
	delete(v.refused, ev.Node)
	if runview.EndState(ev) == api.StateFailed && !ev.Handled && ev.Reason != api.ReasonInstances &&
		(!runview.HasOutput(ev) || ev.Reason == api.ReasonLimit || ev.Reason == api.ReasonExpression) {
		v.refused[ev.Node] = plain.Line(ev.Name) + "  " + words.Cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message) + notExecuted(ev)
	}
	if v.progress() && (failed || !v.opt.Quiet && !v.folded()) {
		v.endLine(ev)
	}
	switch {
	case v.opt.Output == "grouped":
		if runview.HasOutput(ev) {
			v.wholeOutput(ctx, ev)
		}
	case runview.FinalFailure(ev) && ev.Reason != api.ReasonCancelled && runview.HasOutput(ev) && v.showsBlocks():
		v.failedOutput(ctx, ev)
	}
	if v.opt.Output != "none" && runview.EndState(ev) == api.StateFailed && runview.FinalFailure(ev) && !ev.Handled {
		v.printBlocked(ctx, ev)
	}
}

// folded reports whether there are too many nodes for a line each.
func (v *Display) folded() bool {
	return v.live != nil && !v.opt.Verbose && v.Run.Total > foldedNodes
}

// endLine prints "03:12:18 ✗ trim_S002 0.8s exit 1 (3/30)". On a screen its parts are in columns, without the count.
func (v *Display) endLine(ev api.Event) {
	glyph, name := v.p.Glyph(runview.EndState(ev)), plain.Line(ev.Name)
	took, why := words.SpanMS(ev.DurationMS), executionText(ev)+notExecuted(ev)
	if ev.Type == api.NodeFailed {
		why = " " + words.Cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message) + why + ci.HandledText(ev.Handled)
	}
	if ev.Retry != nil {
		glyph, why = v.p.Glyph(api.StateRetrying), " "+words.Cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message)+ci.AttemptText(ev)
	}
	if v.live != nil {
		v.at(ev.Time, "%s", v.columns(glyph, name, took, strings.TrimSpace(why)))
		return
	}
	if took != "" {
		name += " " + took
	}
	n, total := v.Run.Ended()
	v.at(ev.Time, "%s %s%s (%d/%d)", glyph, name, why, n, total)
}

// columns formats a permanent line in the columns of the redrawn rows. The name is not cut.
func (v *Display) columns(glyph, name, took, rest string) string {
	width, _ := v.term.Size()
	room := max(nameWidth(width-1), console.Columns(name))
	line := fmt.Sprintf("%s %s %*s", glyph, v.p.Column(name, room), timeWidth, took)
	if rest != "" {
		line += "  " + rest
	}
	return strings.TrimRight(line, " ")
}

// stageEnded prints the line about a finished stage, if nodes have no lines.
func (v *Display) stageEnded(s *runview.Stage) {
	if s == nil || !v.folded() {
		return
	}
	state, rest := api.StateOK, ""
	if s.Failed > 0 {
		state, rest = api.StateFailed, fmt.Sprintf("%d failed", s.Failed)
	}
	took := ""
	if !s.First.IsZero() {
		took = words.Span(s.Last.Sub(s.First))
	}
	v.at(s.Last, "%s", v.columns(v.p.Glyph(state), plain.Line(s.Name)+" "+v.p.Either("×", "x")+fmt.Sprint(s.Total), took, rest))
}

// executionText returns " execution N" for a node that has run before in this run, otherwise "".
func executionText(ev api.Event) string {
	if ev.Execution < 2 {
		return ""
	}
	return fmt.Sprintf(" execution %d", ev.Execution)
}

// resync continues from a snapshot.
func (v *Display) resync(run api.RunSummary) {
	v.Run.Resync(run)
	v.hasEvents, v.partial = true, true
	if v.progress() {
		v.print("note: connected to the daemon again, run %s is active (%s)", run.Run, v.ended())
	}
}

// ended returns how many nodes of how many have ended: "3/30".
func (v *Display) ended() string {
	n, total := v.Run.Ended()
	return fmt.Sprintf("%d/%d", n, total)
}

// learn stores the nodes of the run and their earlier durations.
func (v *Display) learn(o api.RunOutlook) {
	finished := v.Run.Learn(o)
	if v.live != nil {
		v.live.dirty = true
	}
	for _, s := range finished {
		v.stageEnded(s)
	}
}

// heartbeat prints the nodes that are still running.
func (v *Display) heartbeat(now time.Time) {
	v.silence.Reset(silenceLimit)
	if !v.progress() || v.opt.Quiet || v.live != nil || len(v.Run.Running) == 0 {
		return
	}
	var names []string
	for _, n := range v.Run.Longest() {
		names = append(names, n.Name+" "+words.Span(now.Sub(n.Started)))
	}
	v.at(now, "%s still running: %s (%s)", v.p.Ellipsis(), words.NameList(names, maxStillNames), v.ended())
}

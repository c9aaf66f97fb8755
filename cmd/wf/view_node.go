package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// started is the header of the run.
func (v *view) started(ev api.Event) {
	if !v.progress() || v.opt.quiet {
		return
	}
	size := words.Plural(v.board.Total, "node")
	if v.board.Kept > 0 {
		size += fmt.Sprintf(", %d kept", v.board.Kept)
	}
	if jobs := jobsText(ev.Jobs, ev.NoLimit); jobs != "" {
		size += ", " + jobs
	}
	v.at(ev.Time, "run %s %s: %s", ev.Run, v.workfile(), size)
}

// jobsText is how many commands a run has at once; "" where the machine's slots are the only limit.
func jobsText(jobs int, noLimit bool) string {
	switch {
	case noLimit:
		return "any number of jobs"
	case jobs > 0:
		return words.Plural(jobs, "job")
	}
	return ""
}

func (v *view) nodeStarted(ev api.Event) {
	if v.streams != nil {
		v.streams.follow(ev)
	}
	if !v.progress() || !v.opt.verbose {
		return
	}
	step, planned := v.steps[ev.Node]
	why := ""
	if planned && ev.Execution < 2 {
		why = ": " + step.Why
	}
	v.at(ev.Time, "%s %s started%s%s", v.p.Glyph(api.StateRunning), plain.Line(ev.Name), again(ev), why)
	if planned && step.Line != "" {
		v.field("command", step.Line)
	}
}

func (v *view) nodeEnded(ctx context.Context, ev api.Event) {
	failed := ev.Type == api.NodeFailed
	delete(v.refused, ev.Node)
	if runview.EndState(ev) == api.StateFailed && !ev.Handled && ev.Reason != api.ReasonInstances &&
		(!runview.HasOutput(ev) || ev.Reason == api.ReasonLimit || ev.Reason == api.ReasonExpression) {
		v.refused[ev.Node] = plain.Line(ev.Name) + "  " + words.Cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message) + notExecuted(ev)
	}
	if v.progress() && (failed || !v.opt.quiet && !v.folded()) {
		v.endLine(ev)
	}
	switch {
	case v.opt.output == "grouped":
		if runview.HasOutput(ev) {
			v.wholeOutput(ctx, ev)
		}
	case runview.FinalFailure(ev) && ev.Reason != api.ReasonCancelled && runview.HasOutput(ev) && v.showsBlocks():
		v.failedOutput(ctx, ev)
	}
	if v.opt.output != "none" && runview.EndState(ev) == api.StateFailed && runview.FinalFailure(ev) && !ev.Handled {
		v.sayBlocked(ctx, ev)
	}
}

// folded says that nodes are too many for a line each.
func (v *view) folded() bool {
	return v.live != nil && !v.opt.verbose && v.board.Total > foldedNodes
}

// endLine is "03:12:18 ✗ trim_S002 0.8s exit 1 (3/30)"; on a screen its parts stand in columns, and
// the count in the line of totals.
func (v *view) endLine(ev api.Event) {
	glyph, name := v.p.Glyph(runview.EndState(ev)), plain.Line(ev.Name)
	took, why := words.SpanMS(ev.DurationMS), again(ev)+notExecuted(ev)
	if ev.Type == api.NodeFailed {
		why = " " + words.Cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message) + why + handledWord(ev.Handled)
	}
	if ev.Retry != nil {
		glyph, why = v.p.Glyph(api.StateRetrying), " "+words.Cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message)+attemptWord(ev)
	}
	if v.live != nil {
		v.at(ev.Time, "%s", v.columns(glyph, name, took, strings.TrimSpace(why)))
		return
	}
	if took != "" {
		name += " " + took
	}
	n, total := v.board.Ended()
	v.at(ev.Time, "%s %s%s (%d/%d)", glyph, name, why, n, total)
}

// columns is a line that stays, in the columns of the rows that are redrawn. The name is whole.
func (v *view) columns(glyph, name, took, rest string) string {
	width, _ := v.term.Size()
	room := max(nameWidth(width-1), console.Columns(name))
	line := fmt.Sprintf("%s %s %*s", glyph, v.p.Column(name, room), timeWidth, took)
	if rest != "" {
		line += "  " + rest
	}
	return strings.TrimRight(line, " ")
}

// stageEnded is the line about a stage whose last node has ended, where nodes have no lines.
func (v *view) stageEnded(s *runview.Stage) {
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

// again names the execution of a node that ran before in this run.
func again(ev api.Event) string {
	if ev.Execution < 2 {
		return ""
	}
	return fmt.Sprintf(" execution %d", ev.Execution)
}

// attemptWord is ", attempt 1 of 4" for one after which another follows.
func attemptWord(ev api.Event) string {
	if ev.Retry == nil {
		return ""
	}
	return fmt.Sprintf(", attempt %d of %d", ev.Retry.Attempt, ev.Retry.Of)
}

// resync goes on from a snapshot.
func (v *view) resync(run api.RunSummary) {
	v.board.Resync(run)
	v.begun, v.partial = true, true
	if v.progress() {
		v.say("note: connected to the daemon again, run %s is going (%s)", run.Run, v.ended())
	}
}

// ended is how many nodes of how many have ended: "3/30".
func (v *view) ended() string {
	n, total := v.board.Ended()
	return fmt.Sprintf("%d/%d", n, total)
}

// learn takes over what is known of the nodes of the run.
func (v *view) learn(o api.RunOutlook) {
	finished := v.board.Learn(o)
	if v.live != nil {
		v.live.dirty = true
	}
	for _, s := range finished {
		v.stageEnded(s)
	}
}

// heartbeat says what takes so long.
func (v *view) heartbeat(now time.Time) {
	v.silence.Reset(silenceLimit)
	if !v.progress() || v.opt.quiet || v.live != nil || len(v.board.Running) == 0 {
		return
	}
	var names []string
	for _, n := range v.board.Longest() {
		names = append(names, n.Name+" "+words.Span(now.Sub(n.Started)))
	}
	v.at(now, "%s still running: %s (%s)", v.p.Ellipsis(), words.NameList(names, maxStillNames), v.ended())
}

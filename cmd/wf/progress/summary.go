package progress

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/cmd/wf/tail"
	"wf/tui/plain"
	"wf/tui/words"
)

const (
	shownFailures = 3 // failures that are shown in detail; equal ones count as one

	leastEffort = time.Second // shorter runs do not show their work
)

// Finish prints the summary of a run: its result and, if something failed, the details that help to fix it.
func (v *Display) Finish(ctx context.Context, ev api.Event) error {
	v.endLive()
	if v.streams != nil {
		v.streams.drain(v.printStreamed)
	}
	v.headline(ev)
	var err error
	if ev.Result != api.Succeeded {
		err = v.details(ctx, ev)
	}
	var unreachable *client.UnreachableError
	if errors.As(err, &unreachable) {
		// The daemon may have been stopped with the run. The result is known anyway.
		err = nil
		if ev.Counts != nil && ev.Counts.Failed > 0 {
			v.say("note: the daemon has ended; for details: wf runs show %s%s", ev.Run, v.s.FileFlag)
		}
	}
	if ferr := v.flush(); err == nil {
		err = ferr
	}
	return err
}

// headline prints "✗ run 42 failed  24 ok · 1 failed · 5 blocked  3m02s", and notes.
func (v *Display) headline(ev api.Event) {
	verb := ""
	if ev.Result != api.Succeeded {
		verb = " " + string(ev.Result)
	}
	text := fmt.Sprintf("%s run %s%s", v.p.Glyph(words.ResultState(ev.Result)), ev.Run, verb)
	if ev.Counts != nil {
		text += "  " + strings.Join(words.CountParts(*ev.Counts, "not reached"), " "+v.p.Dot()+" ")
	}
	if d := words.SpanMS(ev.DurationMS); d != "" {
		text += "  " + d
	}
	if ev.Result == api.Cancelled {
		text += "    continue: wf resume" + v.s.FileFlag
	}
	v.say("%s%s", text, v.effort(ev))
	for _, note := range ev.Notes {
		v.say("  note: %s", plain.Line(note))
	}
	v.slowest(ev)
	switch {
	case len(ev.Survivors) > 0:
		v.say("  %s", words.Survivors(ev.Survivors))
	case ev.Message != "":
		v.say("  %s", plain.Line(ev.Message))
	}
}

// effort returns "   (12m24s of work, 4.1× parallel)" for a run that succeeded and was watched from its start.
func (v *Display) effort(ev api.Event) string {
	if !v.showsEffort(ev) {
		return ""
	}
	text := "   (" + words.Span(v.Run.Work) + " of work"
	if ratio := float64(v.Run.Work.Milliseconds()) / float64(*ev.DurationMS); ratio > 1.05 {
		text += fmt.Sprintf(", %.1f%s parallel", ratio, v.p.Either("×", "x"))
	}
	return text + ")"
}

// slowest prints the slowest nodes.
func (v *Display) slowest(ev api.Event) {
	if !v.showsEffort(ev) || len(v.Run.Slowest) < 2 {
		return
	}
	var names []string
	for _, t := range v.Run.Slowest {
		names = append(names, plain.Line(t.Name)+" "+words.Span(t.Took))
	}
	v.say("  slowest  %s", strings.Join(names, " "+v.p.Dot()+" "))
}

// showsEffort says whether the work of the run is shown. It is unknown if events of the run are missing.
func (v *Display) showsEffort(ev api.Event) bool {
	return ev.Result == api.Succeeded && ev.DurationMS != nil && *ev.DurationMS >= leastEffort.Milliseconds() &&
		v.progress() && !v.opt.Quiet && !v.partial && v.Run.Executed() > 1
}

// details explains from the history why a run did not succeed.
func (v *Display) details(ctx context.Context, ev api.Event) error {
	detail, err := v.s.Workspace.Run(ctx, ev.Run)
	if err != nil {
		return err
	}
	failed := runview.FailedExecutions(detail)
	if ev.Result == api.Cancelled && len(failed) == 0 {
		return nil
	}
	for _, x := range failed {
		delete(v.refused, x.Node) // shown with its execution
	}
	for _, id := range slices.Sorted(maps.Keys(v.refused)) {
		v.say("\n  %s %s", v.p.Glyph(api.StateFailed), v.refused[id])
	}
	shown, rest := v.groupAlike(ctx, detail.Run, failed)
	for _, g := range shown {
		v.failureDetail(detail, g)
	}
	if len(rest) > 0 {
		v.otherFailures(rest, detail.Run)
	}
	if ev.Counts != nil && ev.Counts.Blocked > 0 {
		if err := v.blockedBy(ctx, len(failed)+len(v.refused)); err != nil {
			return err
		}
	}
	if ev.Result == api.ResFailed {
		v.advice(detail.Counts)
	}
	return nil
}

// blockedBy prints the nodes that wait for the failed nodes.
func (v *Display) blockedBy(ctx context.Context, failed int) error {
	status, err := v.s.Workspace.Status(ctx, true)
	if err != nil {
		return err
	}
	names := runview.NamesIn(status.Nodes, api.StateBlocked)
	if len(names) == 0 {
		return nil // they are in instances, which show them
	}
	v.say("  %s blocked by %s: %s", v.p.Glyph(api.StateBlocked), words.ItOrThem(failed), words.NameList(names, words.ShownNames))
	return nil
}

// alike are failures with the same cause and the same end of the output.
type alike struct {
	first api.Execution
	tail  tail.Tail
	err   error    // why the tail is unknown
	also  []string // the names of the others
}

// groupAlike reads the ends of the outputs of failures and groups equal failures. It returns the groups to show, and the
// remaining failures.
func (v *Display) groupAlike(ctx context.Context, run string, failed []api.Execution) (shown []alike, rest []api.Execution) {
	seen := map[string]int{} // place in shown
	for i, x := range failed {
		if i == maxBlocks {
			return shown, append(rest, failed[i:]...)
		}
		t, err := tail.Read(ctx, v.s.Workspace, client.LogQuery{Node: x.Node, Run: run, Execution: x.Execution})
		words := words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message) + "\n" + strings.Join(t.Lines, "\n")
		g, known := seen[words]
		switch {
		case known && len(t.Lines) > 0:
			shown[g].also = append(shown[g].also, x.Name)
		case len(shown) == shownFailures:
			rest = append(rest, x)
		default:
			seen[words] = len(shown)
			shown = append(shown, alike{first: x, tail: t, err: err})
		}
	}
	return shown, rest
}

// failureDetail prints the paragraph about a group of failures.
func (v *Display) failureDetail(detail api.RunDetail, g alike) {
	x := g.first
	head := fmt.Sprintf("%s %s  %s", v.p.Glyph(api.StateFailed), plain.Line(x.Name), words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message))
	if d := words.SpanMS(x.DurationMS); d != "" {
		head += " after " + d
	}
	v.say("\n  %s", head)
	v.field("command", words.Beginning(x.Command))
	if detail.Wrapper != "" {
		v.field("wrapper", detail.Wrapper)
	}
	v.field("cwd", detail.Cwd)
	v.tailField(g)
	v.field("log", v.logCommand(detail.Run, x.Name))
	if len(g.also) > 0 {
		v.field("alike", fmt.Sprintf("%s: %s", words.Plural(len(g.also), "more node"), words.NameList(g.also, words.ShownNames)))
	}
}

// field prints one field of the paragraph; further lines of a value are below its first one.
func (v *Display) field(name, value string) {
	text := strings.ReplaceAll(strings.TrimSpace(plain.Text(value)), "\n", "\n             ")
	v.say("    %-8s %s", name, text)
}

// tailField prints the end of the output.
func (v *Display) tailField(g alike) {
	switch {
	case g.err != nil:
		v.field("output", "unknown: "+g.err.Error())
	case len(g.tail.Lines) == 0:
		v.field("output", "none")
	case v.quotedNearby(g.first):
		v.field("output", "above ("+g.tail.Title()+")")
	default:
		v.field("output", "("+g.tail.Title()+")")
		for _, line := range g.tail.Lines {
			v.say("      | %s", line)
		}
	}
}

// otherFailures names the failures that are not shown in detail.
func (v *Display) otherFailures(rest []api.Execution, run string) {
	names := make([]string, len(rest))
	for i, x := range rest {
		names[i] = x.Name
	}
	v.say("\n  %s %d more failed: %s", v.p.Glyph(api.StateFailed), len(rest), words.NameList(names, words.ShownNames))
	v.field("logs", "wf logs --failed --run "+run+v.s.FileFlag)
}

// advice prints the command to type next, and what it will do.
func (v *Display) advice(c api.Counts) {
	left := c.Failed + c.Blocked + c.Cancelled + c.Idle
	v.say("\n  fix it, then:  wf resume%s   reruns %s, keeps %d", v.s.FileFlag, words.Plural(left, "node"), c.OK+c.Kept+c.Handled)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/client"
	"wf/tui/plain"
	"wf/tui/words"
)

const (
	shownFailures = 3  // failures with all that is known, those that are alike counting as one
	shownNames    = 12 // names in a list of the others

	leastEffort = time.Second // a shorter run needs no account of its work
)

// finish is the last thing said about a run, so that it is on the screen: its result and, where
// something failed, all that is needed to mend it.
func (v *view) finish(ctx context.Context, ev api.Event) error {
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
		// It was stopped together with the run, say. The result is known and counts all the same.
		err = nil
		if ev.Counts != nil && ev.Counts.Failed > 0 {
			v.say("note: the daemon has ended: for more,  wf runs show %s%s", ev.Run, v.e.fileFix(v.s.path))
		}
	}
	if ferr := v.flush(); err == nil {
		err = ferr
	}
	return err
}

// headline is "✗ run 42 failed  24 ok · 1 failed · 5 blocked  3m02s".
func (v *view) headline(ev api.Event) {
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
		text += "    continue: wf resume" + v.e.fileFix(v.s.path)
	}
	v.say("%s%s", text, v.effort(ev))
	for _, note := range ev.Notes {
		v.say("  note: %s", plain.Line(note))
	}
	v.slowest(ev)
	switch {
	case len(ev.Survivors) > 0:
		v.say("  %s", survivorsText(ev.Survivors))
	case ev.Message != "":
		v.say("  %s", plain.Line(ev.Message))
	}
}

// survivorsText names the processes of a run that are still there in spite of KILL.
func survivorsText(pids []int) string {
	names := make([]string, len(pids))
	for i, pid := range pids {
		names[i] = strconv.Itoa(pid)
	}
	return "processes that could not be killed: " + words.NameList(names, shownNames)
}

// effort is "   (12m24s of work, 4.1× parallel)" for a run that went well and was seen whole.
func (v *view) effort(ev api.Event) string {
	if !v.tellsEffort(ev) {
		return ""
	}
	text := "   (" + words.Span(v.board.Work) + " of work"
	if ratio := float64(v.board.Work.Milliseconds()) / float64(*ev.DurationMS); ratio > 1.05 {
		text += fmt.Sprintf(", %.1f%s parallel", ratio, v.p.Either("×", "x"))
	}
	return text + ")"
}

// slowest names the nodes that took longest.
func (v *view) slowest(ev api.Event) {
	if !v.tellsEffort(ev) || len(v.board.Slowest) < 2 {
		return
	}
	var names []string
	for _, t := range v.board.Slowest {
		names = append(names, plain.Line(t.Name)+" "+words.Span(t.Took))
	}
	v.say("  slowest  %s", strings.Join(names, " "+v.p.Dot()+" "))
}

// tellsEffort says whether it is known and long enough to matter. The work of nodes that ended
// unseen is not known.
func (v *view) tellsEffort(ev api.Event) bool {
	return ev.Result == api.Succeeded && ev.DurationMS != nil && *ev.DurationMS >= leastEffort.Milliseconds() &&
		v.progress() && !v.opt.quiet && !v.partial && v.board.Executed() > 1
}

// details explains a run that did not succeed, from its record.
func (v *view) details(ctx context.Context, ev api.Event) error {
	detail, err := v.s.ws.Run(ctx, ev.Run)
	if err != nil {
		return err
	}
	failed := failedExecutions(detail)
	if ev.Result == api.Cancelled && len(failed) == 0 {
		return nil
	}
	for _, x := range failed {
		delete(v.refused, x.Node) // its execution says it
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

// failedExecutions are the last executions of the nodes that ended as failed, in order of start.
// What a person stopped is no failure of the node, and one that an edge has fired for is no failure of
// the run.
func failedExecutions(detail api.RunDetail) []api.Execution {
	last := make(map[string]int, len(detail.Execs))
	for i, x := range detail.Execs {
		last[x.Node] = i
	}
	var failed []api.Execution
	for i, x := range detail.Execs {
		if last[x.Node] == i && x.Over && !x.OK && x.Reason != api.ReasonCancelled && !x.Handled {
			failed = append(failed, x)
		}
	}
	return failed
}

// namesIn lists the nodes in a state.
func namesIn(nodes []api.NodeStatus, state api.State) []string {
	var names []string
	for _, n := range nodes {
		if n.State == state {
			names = append(names, n.Name)
		}
	}
	return names
}

// blockedBy names what waits for the failed nodes.
func (v *view) blockedBy(ctx context.Context, failed int) error {
	status, err := v.s.ws.Status(ctx, true)
	if err != nil {
		return err
	}
	names := namesIn(status.Nodes, api.StateBlocked)
	if len(names) == 0 {
		return nil // they lie in instances, and these tell of them
	}
	v.say("  %s blocked by %s: %s", v.p.Glyph(api.StateBlocked), itOrThem(failed), words.NameList(names, shownNames))
	return nil
}

func itOrThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// alike are failures with the same cause and the same last words.
type alike struct {
	first api.Execution
	tail  tail
	err   error    // why the tail is not known
	also  []string // the names of the others
}

// groupAlike reads the last words of the failures and puts those together that say the same. It
// returns the groups to show, and the failures that belong to none of them.
func (v *view) groupAlike(ctx context.Context, run string, failed []api.Execution) (shown []alike, rest []api.Execution) {
	seen := map[string]int{} // place in shown
	for i, x := range failed {
		if i == maxBlocks {
			return shown, append(rest, failed[i:]...)
		}
		t, err := v.s.tail(ctx, client.LogQuery{Node: x.Node, Run: run, Execution: x.Execution}, tailLines)
		words := words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message) + "\n" + strings.Join(t.lines, "\n")
		g, known := seen[words]
		switch {
		case known && len(t.lines) > 0:
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

// failureDetail is the paragraph about a failed node and those that failed alike.
func (v *view) failureDetail(detail api.RunDetail, g alike) {
	x := g.first
	head := fmt.Sprintf("%s %s  %s", v.p.Glyph(api.StateFailed), plain.Line(x.Name), words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message))
	if d := words.SpanMS(x.DurationMS); d != "" {
		head += " after " + d
	}
	v.say("\n  %s", head)
	v.field("command", beginning(x.Command))
	if detail.Wrapper != "" {
		v.field("wrapper", detail.Wrapper)
	}
	v.field("cwd", detail.Cwd)
	v.tailField(g)
	v.field("log", v.logCommand(detail.Run, x.Name))
	if len(g.also) > 0 {
		v.field("alike", fmt.Sprintf("%s: %s", words.Plural(len(g.also), "more node"), words.NameList(g.also, shownNames)))
	}
}

// field is one line of the paragraph; further lines of a value stand below its first.
func (v *view) field(name, value string) {
	text := strings.ReplaceAll(strings.TrimSpace(plain.Text(value)), "\n", "\n             ")
	v.say("    %-8s %s", name, text)
}

// tailField is the end of the node's output.
func (v *view) tailField(g alike) {
	switch {
	case g.err != nil:
		v.field("output", "not known: "+g.err.Error())
	case len(g.tail.lines) == 0:
		v.field("output", "none")
	case v.quotedNearby(g.first):
		v.field("output", "above ("+g.tail.title()+")")
	default:
		v.field("output", "("+g.tail.title()+")")
		for _, line := range g.tail.lines {
			v.say("      | %s", line)
		}
	}
}

// otherFailures names the failures that are not shown.
func (v *view) otherFailures(rest []api.Execution, run string) {
	names := make([]string, len(rest))
	for i, x := range rest {
		names[i] = x.Name
	}
	v.say("\n  %s %d more failed: %s", v.p.Glyph(api.StateFailed), len(rest), words.NameList(names, shownNames))
	v.field("logs", "wf logs --failed --run "+run+v.e.fileFix(v.s.path))
}

// advice is the command to type next and what it will do.
func (v *view) advice(c api.Counts) {
	again := c.Failed + c.Blocked + c.Cancelled + c.Idle
	v.say("\n  fix it, then:  wf resume%s   reruns %s, keeps %d", v.e.fileFix(v.s.path), words.Plural(again, "node"), c.OK+c.Kept+c.Handled)
}

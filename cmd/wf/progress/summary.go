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
	"wf/client/alike"
	"wf/client/runview"
	"wf/tui/plain"
	"wf/tui/tail"
	"wf/tui/words"
)

const (
	shownFailures = 3   // failures that are shown in detail; those that look the same count as one
	mostTails     = 200 // failures whose outputs are read, to find those that look the same

	leastEffort = time.Second // shorter runs do not show their work
)

// Finish prints the summary of a run: its result and, if something failed, the details that help to fix it.
func (v *Display) Finish(ctx context.Context, ev api.Event) error {
	v.endLive()
	if v.streams != nil {
		v.streams.drain(v.printStreamed)
	}
	s := &summary{v, ev}
	s.headline()
	var err error
	if ev.Result != api.Succeeded {
		err = s.details(ctx)
	}
	var unreachable *client.UnreachableError
	if errors.As(err, &unreachable) {
		// The daemon may have been stopped with the run. The result is known anyway.
		err = nil
		if ev.Counts != nil && ev.Counts.Failed > 0 {
			v.print("note: the daemon has ended; for details: wf runs show %s%s", ev.Run, v.target.FileFlag)
		}
	}
	if ferr := v.flush(); err == nil {
		err = ferr
	}
	return err
}

// A summary prints the result of a run whose last event is ev.
type summary struct {
	*Display
	ev api.Event
}

// headline prints "✗ run 42 failed  24 ok · 1 failed · 5 blocked  3m02s", and notes.
func (s *summary) headline() {
	verb := ""
	if s.ev.Result != api.Succeeded {
		verb = " " + string(s.ev.Result)
	}
	text := fmt.Sprintf("%s run %s%s", s.p.Glyph(words.ResultState(s.ev.Result)), s.ev.Run, verb)
	if s.ev.Counts != nil {
		text += "  " + strings.Join(words.CountParts(*s.ev.Counts, "not reached"), " "+s.p.Dot()+" ")
	}
	if d := words.SpanMS(s.ev.DurationMS); d != "" {
		text += "  " + d
	}
	if s.ev.Result == api.Cancelled {
		text += "    continue: wf resume" + s.target.FileFlag
	}
	s.print("%s%s", text, s.effort())
	for _, note := range s.ev.Notes {
		s.print("  note: %s", plain.Line(note))
	}
	s.slowest()
	switch {
	case len(s.ev.Survivors) > 0:
		s.print("  %s", words.Survivors(s.ev.Survivors))
	case s.ev.Message != "":
		s.print("  %s", plain.Line(s.ev.Message))
	}
}

// effort returns "   (12m24s of work, 4.1× parallel)" for a run that succeeded and was watched from its start.
func (s *summary) effort() string {
	if !s.showsEffort() {
		return ""
	}
	text := "   (" + words.Span(s.Run.Work) + " of work"
	if ratio := float64(s.Run.Work.Milliseconds()) / float64(*s.ev.DurationMS); ratio > 1.05 {
		text += fmt.Sprintf(", %.1f%s parallel", ratio, s.p.Either("×", "x"))
	}
	return text + ")"
}

// slowest prints the slowest nodes.
func (s *summary) slowest() {
	if !s.showsEffort() || len(s.Run.Slowest) < 2 {
		return
	}
	var names []string
	for _, t := range s.Run.Slowest {
		names = append(names, plain.Line(t.Name)+" "+words.Span(t.Took))
	}
	s.print("  slowest  %s", strings.Join(names, " "+s.p.Dot()+" "))
}

// showsEffort reports whether the work of the run is shown. It is unknown if events of the run are missing.
func (s *summary) showsEffort() bool {
	return s.ev.Result == api.Succeeded && s.ev.DurationMS != nil && *s.ev.DurationMS >= leastEffort.Milliseconds() &&
		s.progress() && !s.opt.Quiet && !s.partial && s.Run.Executed() > 1
}

// details explains from the history why a run did not succeed.
func (s *summary) details(ctx context.Context) error {
	detail, err := s.target.Workspace.Run(ctx, s.ev.Run)
	if err != nil {
		return err
	}
	failed := runview.FailedExecutions(detail)
	if s.ev.Result == api.Cancelled && len(failed) == 0 {
		return nil
	}
	for _, x := range failed {
		delete(s.refused, x.Node) // shown with its execution
	}
	for _, id := range slices.Sorted(maps.Keys(s.refused)) {
		s.print("\n  %s %s", s.p.Glyph(api.StateFailed), s.refused[id])
	}
	shown, rest := s.groupAlike(ctx, detail.Run, failed)
	for _, g := range shown {
		s.failureDetail(detail, g)
	}
	if len(rest) > 0 {
		s.otherFailures(rest, detail.Run)
	}
	if s.ev.Counts != nil && s.ev.Counts.Blocked > 0 {
		if err := s.blockedBy(ctx, len(failed)+len(s.refused)); err != nil {
			return err
		}
	}
	if s.ev.Result == api.ResFailed {
		s.advice(detail.Counts)
	}
	return nil
}

// blockedBy prints the nodes that wait for the failed nodes.
func (s *summary) blockedBy(ctx context.Context, failed int) error {
	status, err := s.target.Workspace.Status(ctx, true)
	if err != nil {
		return err
	}
	names := runview.NamesIn(status.Nodes, api.StateBlocked)
	if len(names) == 0 {
		return nil // they are in instances, which show them
	}
	s.print("  %s blocked by %s: %s", s.p.Glyph(api.StateBlocked), words.ItOrThem(failed), words.NameList(names, words.ShownNames))
	return nil
}

// A likeness is a group of failures that look the same, with the end of the output of the first one.
type likeness struct {
	first api.Execution
	tail  tail.Tail
	err   error    // why the tail is unknown
	also  []string // the names of the others
}

// groupAlike reads the ends of the outputs of at most mostTails failures and groups those that look the same. It returns the
// largest groups, to be shown, and the remaining failures.
func (s *summary) groupAlike(ctx context.Context, run string, failed []api.Execution) (shown []likeness, rest []api.Execution) {
	read := failed[:min(len(failed), mostTails)]
	all, like := make([]likeness, len(read)), make([]alike.Failure, len(read))
	for i, x := range read {
		t, err := tail.Read(ctx, s.target.Workspace, client.LogQuery{Node: x.Node, Run: run, Execution: x.Execution})
		all[i] = likeness{first: x, tail: t, err: err}
		like[i] = alike.Failure{Name: x.Name, Cause: words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message), Command: x.Command, Tail: t.Lines}
	}
	for _, g := range alike.Groups(like) {
		if len(shown) == shownFailures {
			for _, i := range g.Members {
				rest = append(rest, read[i])
			}
			continue
		}
		one := all[g.Members[0]]
		for _, i := range g.Members[1:] {
			one.also = append(one.also, read[i].Name)
		}
		shown = append(shown, one)
	}
	return shown, append(rest, failed[len(read):]...)
}

// failureDetail prints the paragraph about a group of failures.
func (s *summary) failureDetail(detail api.RunDetail, g likeness) {
	x := g.first
	head := fmt.Sprintf("%s %s  %s", s.p.Glyph(api.StateFailed), plain.Line(x.Name), words.Cause(x.Reason, x.ExitCode, x.Signal, x.Message))
	if d := words.SpanMS(x.DurationMS); d != "" {
		head += " after " + d
	}
	s.print("\n  %s", head)
	s.field("command", words.Beginning(x.Command))
	own := map[string]bool{}
	for _, text := range x.Surroundings {
		name, value, _ := strings.Cut(text, "=")
		own[name] = true
		s.field(name, value)
	}
	if detail.Wrapper != "" && !own["wrapper"] {
		s.field("wrapper", detail.Wrapper)
	}
	if !own["cwd"] {
		s.field("cwd", detail.Cwd)
	}
	s.tailField(g)
	s.field("log", s.logCommand(detail.Run, x.Name))
	if len(g.also) > 0 {
		s.field("alike", fmt.Sprintf("%s: %s", words.Plural(len(g.also), "more node"), words.NameList(g.also, words.ShownNames)))
	}
}

// field prints one field of the paragraph; further lines of a value are below its first one.
func (v *Display) field(name, value string) {
	text := strings.ReplaceAll(strings.TrimSpace(plain.Text(value)), "\n", "\n             ")
	v.print("    %-8s %s", name, text)
}

// tailField prints the end of the output.
func (s *summary) tailField(g likeness) {
	switch {
	case g.err != nil:
		s.field("output", "unknown: "+g.err.Error())
	case len(g.tail.Lines) == 0:
		s.field("output", "none")
	case s.quotedNearby(g.first):
		s.field("output", "above ("+g.tail.Title()+")")
	default:
		s.field("output", "("+g.tail.Title()+")")
		for _, line := range g.tail.Lines {
			s.print("      | %s", line)
		}
	}
}

// otherFailures names the failures that are not shown in detail.
func (s *summary) otherFailures(rest []api.Execution, run string) {
	names := make([]string, len(rest))
	for i, x := range rest {
		names[i] = x.Name
	}
	s.print("\n  %s %d more failed: %s", s.p.Glyph(api.StateFailed), len(rest), words.NameList(names, words.ShownNames))
	s.field("logs", "wf logs --failed --run "+run+s.target.FileFlag)
}

// advice prints the command to type next, and what it will do.
func (s *summary) advice(c api.Counts) {
	left := c.Failed + c.Blocked + c.Cancelled + c.Idle
	s.print("\n  fix it, then:  wf resume%s   reruns %s, keeps %d", s.target.FileFlag, words.Plural(left, "node"), c.OK+c.Kept+c.Handled)
}

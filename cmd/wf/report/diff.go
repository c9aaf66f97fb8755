package report

import (
	"fmt"
	"io"
	"strings"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// shownTimes is how many nodes the list of times has at most.
const shownTimes = 10

// Diff prints what distinguishes two runs, or a run and the workfile as it is now.
func Diff(w io.Writer, p console.Paint, d api.RunDiff) error {
	r := &diffReport{p: p}
	fmt.Fprintf(r, "%s %s %s\n", sideName(d.Before), p.Either("→", "->"), sideName(d.After))
	runs := d.Before.Run != nil && d.After.Run != nil
	if runs {
		r.summaries(d)
	}
	r.definition(d.Definition)
	r.values("parameters", d.Params)
	r.values("options", d.Options)
	if runs {
		r.results(d)
		r.times(d)
	}
	for i, note := range d.Notes {
		if i == 0 {
			r.WriteByte('\n')
		}
		fmt.Fprintf(r, "note: %s\n", plain.Line(note))
	}
	_, err := io.WriteString(w, r.String())
	return err
}

// diffReport collects the text of a comparison.
type diffReport struct {
	strings.Builder
	p console.Paint
}

func sideName(s api.DiffSide) string {
	if s.Name == api.DiffNow {
		return "the workfile now"
	}
	return "run " + plain.Line(s.Name)
}

// summaries writes how the two runs ended.
func (r *diffReport) summaries(d api.RunDiff) {
	var t console.Table
	for _, s := range []api.DiffSide{d.Before, d.After} {
		t.Row("  "+r.p.Glyph(words.RunState(*s.Run))+" run "+plain.Line(s.Name), words.RunWord(*s.Run), words.SpanMS(s.Run.DurationMS), words.SpanMS(&s.WorkMS)+" of work",
			strings.Join(words.CountParts(s.Run.Counts, "not reached"), " "+r.p.Dot()+" "))
	}
	t.Write(r)
}

// definition writes how the workfile differs.
func (r *diffReport) definition(d api.DefinitionDiff) {
	if len(d.Nodes)+len(d.Edges)+len(d.Graph) == 0 {
		r.WriteString("\ndefinition: no differences")
		if d.Moved > 0 {
			fmt.Fprintf(r, ", except %s in the drawing", words.Plural(d.Moved, "position"))
		}
		r.WriteByte('\n')
		return
	}
	r.WriteString("\ndefinition\n")
	for _, n := range d.Nodes {
		name := plain.Line(n.Name)
		if n.Was != "" {
			name += ", was " + plain.Line(n.Was)
		}
		r.change(n.Change, name, n.Values)
	}
	arrow := " " + r.p.Either("→", "->") + " "
	for _, e := range d.Edges {
		r.change(e.Change, "edge "+plain.Line(e.Source)+arrow+plain.Line(e.Target), e.Values)
	}
	if len(d.Graph) > 0 {
		r.change(api.DiffChanged, "the workfile", d.Graph)
	}
	if d.Moved > 0 {
		fmt.Fprintf(r, "  %s in the drawing\n", words.Plural(d.Moved, "other position"))
	}
}

// change writes an element that was added, removed or changed, with its values.
func (r *diffReport) change(how, name string, values []api.DiffValue) {
	switch how {
	case api.DiffAdded:
		name = r.added("+ " + name)
	case api.DiffRemoved:
		name = r.removed("- " + name)
	default:
		name = "~ " + name
	}
	fmt.Fprintf(r, "  %s\n", name)
	for _, v := range values {
		r.value("      ", how, v)
	}
}

func (r *diffReport) added(text string) string   { return r.p.SGR("32", text) }
func (r *diffReport) removed(text string) string { return r.p.SGR("31", text) }

// shortValue is how many columns a value may have to be written in the line of its name.
const shortValue = 60

// value writes a value: in one line, or, if it is long, as the lines that differ.
func (r *diffReport) value(indent, how string, v api.DiffValue) {
	before, after := valueText(v.Before), valueText(v.After)
	name := plain.Line(v.Name)
	short := console.Columns(before)+console.Columns(after) <= shortValue && !strings.Contains(before+after, "\n")
	switch {
	case short && how == api.DiffAdded:
		fmt.Fprintf(r, "%s%s: %s\n", indent, name, plain.Line(after))
	case short && how == api.DiffRemoved:
		fmt.Fprintf(r, "%s%s: %s\n", indent, name, plain.Line(before))
	case short:
		fmt.Fprintf(r, "%s%s: %s %s %s\n", indent, name, orNone(v.Before, before), r.p.Either("→", "->"), orNone(v.After, after))
	default:
		fmt.Fprintf(r, "%s%s:\n", indent, name)
		r.lines(indent+"  ", before, after)
	}
}

// valueText returns a value as text, "" for an absent one.
func valueText(value any) string {
	if value == nil {
		return ""
	}
	if text, ok := value.(string); ok {
		return text
	}
	return words.Value(value)
}

// orNone returns a text, or a word for an absent value.
func orNone(value any, text string) string {
	switch {
	case value == nil:
		return "(none)"
	case text == "":
		return "''"
	}
	return plain.Line(text)
}

// values writes a section of values, or nothing.
func (r *diffReport) values(title string, values []api.DiffValue) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(r, "\n%s\n", title)
	for _, v := range values {
		r.value("  ", api.DiffChanged, v)
	}
}

// results writes the nodes that ended differently.
func (r *diffReport) results(d api.RunDiff) {
	if len(d.Results)+len(d.OnlyBefore)+len(d.OnlyAfter) == 0 {
		r.WriteString("\nresults: no differences\n")
		return
	}
	r.WriteString("\nresults\n")
	var t console.Table
	for _, x := range d.Results {
		t.Row("  "+r.p.Glyph(x.After.State)+" "+plain.Line(x.Name), outcomeText(x.Before)+" "+r.p.Either("→", "->")+" "+outcomeText(x.After))
	}
	t.Write(r)
	for _, only := range []struct {
		names []string
		side  api.DiffSide
	}{{d.OnlyBefore, d.Before}, {d.OnlyAfter, d.After}} {
		if len(only.names) > 0 {
			fmt.Fprintf(r, "  only in %s: %s\n", sideName(only.side), words.NameList(only.names, words.ShownNames))
		}
	}
}

// outcomeText returns how a node ended: "failed, exit 3, 2 executions".
func outcomeText(o api.DiffOutcome) string {
	parts := []string{string(o.State)}
	if o.State == api.StateFailed {
		parts = append(parts, words.Cause(o.Reason, o.ExitCode, o.Signal, o.Message))
	}
	if o.Handled {
		parts = append(parts, "handled")
	}
	if o.Executions > 1 {
		parts = append(parts, words.Plural(o.Executions, "execution"))
	}
	return strings.Join(parts, ", ")
}

// times writes the nodes that became slower or faster.
func (r *diffReport) times(d api.RunDiff) {
	if len(d.Times) == 0 {
		return
	}
	r.WriteString("\ntimes\n")
	var t console.Table
	for _, x := range d.Times[:min(len(d.Times), shownTimes)] {
		t.Row("  "+plain.Line(x.Name), words.SpanMS(&x.BeforeMS)+" "+r.p.Either("→", "->")+" "+words.SpanMS(&x.AfterMS), paceText(x))
	}
	t.Write(r)
	if rest := len(d.Times) - shownTimes; rest > 0 {
		fmt.Fprintf(r, "  %s%d more: --json lists them\n", r.p.Ellipsis(), rest)
	}
}

// paceText returns how much slower or faster a node became.
func paceText(x api.DiffTime) string {
	if ms := x.AfterMS - x.BeforeMS; ms > 0 {
		return words.SpanMS(&ms) + " slower"
	}
	ms := x.BeforeMS - x.AfterMS
	return words.SpanMS(&ms) + " faster"
}

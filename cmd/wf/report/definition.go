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

// Definition prints what distinguishes two versions of a workfile.
func Definition(w io.Writer, p console.Paint, d api.WorkfileDiff) error {
	r := &diffReport{p: p}
	r.sides(d)
	r.definition(d.Definition)
	_, err := io.WriteString(w, r.String())
	return err
}

// DefinitionStat prints which elements differ between two versions of a workfile, and how many.
func DefinitionStat(w io.Writer, p console.Paint, d api.WorkfileDiff) error {
	r := &diffReport{p: p}
	r.sides(d)
	var t console.Table
	row := func(how, name string, values []api.DiffValue) {
		var names []string
		for _, v := range values {
			names = append(names, v.Name)
		}
		switch how {
		case api.DiffAdded:
			t.Row("  "+r.added("+ "+name), "")
		case api.DiffRemoved:
			t.Row("  "+r.removed("- "+name), "")
		default:
			t.Row("  ~ "+name, words.NameList(names, words.ShownNames))
		}
	}
	counts := map[string]map[string]int{"node": {}, "edge": {}}
	for _, n := range d.Definition.Nodes {
		counts["node"][n.Change]++
		row(n.Change, plain.Line(n.Name), n.Values)
	}
	arrow := " " + r.p.Either("→", "->") + " "
	for _, e := range d.Definition.Edges {
		counts["edge"][e.Change]++
		row(e.Change, "edge "+plain.Line(e.Source)+arrow+plain.Line(e.Target), e.Values)
	}
	if len(d.Definition.Graph) > 0 {
		row(api.DiffChanged, "the workfile", d.Definition.Graph)
	}
	t.Write(r)
	var sums []string
	for _, noun := range []string{"node", "edge"} {
		for _, how := range []string{api.DiffAdded, api.DiffChanged, api.DiffRemoved} {
			if n := counts[noun][how]; n > 0 {
				sums = append(sums, words.Plural(n, noun)+" "+how)
			}
		}
	}
	if n := len(d.Definition.Graph); n > 0 {
		sums = append(sums, words.Plural(n, "attribute")+" of the workfile")
	}
	if n := d.Definition.Moved; n > 0 {
		sums = append(sums, words.Plural(n, "other position"))
	}
	if len(sums) == 0 {
		sums = []string{"no differences"}
	}
	fmt.Fprintf(r, "%s\n", strings.Join(sums, ", "))
	_, err := io.WriteString(w, r.String())
	return err
}

// sides writes the names of the versions.
func (r *diffReport) sides(d api.WorkfileDiff) {
	fmt.Fprintf(r, "%s %s %s\n", plain.Line(d.Before), r.p.Either("→", "->"), plain.Line(d.After))
}

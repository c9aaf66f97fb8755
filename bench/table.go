package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
)

// A row of the table compares figures with what they must be, and with what they shall be after that.
type row struct {
	title   string
	targets []target
	note    func(r *results, tool string) string // nil = none
}

// A target is a figure of a row. Only figures with a must can miss it.
type target struct {
	format      string
	must, after float64 // upper limits; 0 = none
	// values returns the figure of a build of wf in every case of the row; 0 = not measured.
	values func(r *results, tool string) []float64
}

// tableSteps returns the options of the calls that measure all rows. The files of o are one of the rows.
func tableSteps(o options) []options {
	o.shells, o.command, o.clients, o.table = []string{shellPlain}, "true", clients, false
	step := func(change func(*options)) options {
		changed := o
		changed.shapes, changed.sizes, changed.files = nil, nil, nil
		change(&changed)
		return changed
	}
	const shortRuns = 4 // times as many rounds
	steps := []options{
		step(func(s *options) { s.cli, s.rounds = true, shortRuns*o.rounds }),
		step(func(s *options) {
			s.shapes, s.sizes, s.jobs, s.rounds = []string{"flat"}, []int{1}, []int{1}, shortRuns*o.rounds
		}),
		step(func(s *options) { s.shapes, s.sizes, s.jobs = []string{"layered"}, []int{1000, 10000}, []int{2, 8} }),
		step(func(s *options) { s.shapes, s.sizes, s.jobs = []string{"chain"}, []int{1000}, []int{2, 8} }),
		step(func(s *options) {
			s.shapes, s.sizes, s.jobs, s.load = []string{"layered"}, []int{100000}, []int{1}, true
		}),
	}
	if len(o.files) > 0 {
		steps = append(steps, step(func(s *options) { s.files, s.jobs, s.rounds = o.files, []int{8}, shortRuns*o.rounds }))
	}
	return steps
}

// tableRows are the figures of issue 13.
func tableRows() []row {
	layered := func(nodes, jobs int) caseKey { return caseKey{shape: "layered", nodes: nodes, jobs: jobs} }
	wide := []caseKey{layered(1000, 8), layered(10000, 8)}
	narrow := []caseKey{layered(1000, 2), layered(10000, 2)}
	chains := []caseKey{{shape: "chain", nodes: 1000, jobs: 2}, {shape: "chain", nodes: 1000, jobs: 8}}
	one := []caseKey{{shape: "flat", nodes: 1, jobs: 1}}
	return []row{
		{title: "layered 1,000, `-j 2`, to ninja / make", targets: wallTargets(narrow[:1], 0.95, 1.10, 0.80, 0.92)},
		{title: "layered 10,000, `-j 2`", targets: wallTargets(narrow[1:], 0.95, 1.10, 0.80, 0.92)},
		{title: "layered 1,000 and 10,000, `-j 8`", targets: wallTargets(wide, 0.90, 1.00, 0.80, 0.92)},
		{title: "chain 1,000, `-j 2` and `-j 8`", targets: wallTargets(chains, 0.95, 1.05, 0.90, 1.00)},
		{title: "our own CPU per node to make's, layered 1,000 and 10,000, `-j 2`", note: selfNote(narrow),
			targets: []target{{"%.2f", 1.3, 1, selfRatio(narrow)}}},
		{title: "the same, `-j 8`", note: selfNote(wide), targets: []target{{"%.2f", 1.3, 1, selfRatio(wide)}}},
		{title: "the daemon's part of it, layered 1,000 and 10,000, `-j 2`, and its context switches",
			targets: processTargets("daemon", narrow, 40, 0.3, 15)},
		{title: "the runner's", targets: processTargets("runner", narrow, 0, 0, 0)},
		{title: "the client's", targets: processTargets("client", narrow, 0, 0, 0)},
		{title: "CPU of a command more than under make, the same cases", targets: []target{{"%.0f µs", 0, 0, commandExcess(narrow)}}},
		{title: "one trivial node, daemon up, to make's one", note: wallNote(one[0], toolMake),
			targets: []target{{"%.1f", 3, 1.5, wallRatio(toolMake, one)}}},
		{title: "43 nodes (" + blast + ") to ninja", targets: []target{{"%.2f", 1.15, 0.95, wallRatio(toolNinja, []caseKey{{name: blast, nodes: 43, jobs: 8}})}}},
		{title: "`wf --help` to `make --version`", targets: []target{{"%.2f", 1.3, 1, startRatio}}},
		{title: "load of 100,000 nodes to ninja", targets: []target{{"%.2f", 1.5, 0.8, wallRatio(toolNinja, []caseKey{{shape: "layered", nodes: 100000, jobs: 1, load: true}})}}},
	}
}

// blast is the recorded workflow of the table. It is not part of this repository.
const blast = "makeflow-blast-small"

// printTable prints the table as markdown.
func printTable(w io.Writer, r *results) {
	fmt.Fprintln(w, "| whole `wf run`, commands `true` | quiet client | watching client | no client | must | after that |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, row := range tableRows() {
		fmt.Fprintf(w, "| %s ", row.title)
		for _, c := range clients {
			fmt.Fprintf(w, "| %s ", row.measured(r, toolWf+c.suffix))
		}
		fmt.Fprintf(w, "| %s | %s |\n", row.limits(func(t target) float64 { return t.must }), row.limits(func(t target) float64 { return t.after }))
	}
	fmt.Fprintf(w, "\nFigures over their must are bold. %s\n", r.conditions())
}

// measured returns the figures of a row for a build of wf.
func (w row) measured(r *results, tool string) string {
	var texts []string
	for _, t := range w.targets {
		var values []string
		for _, v := range t.values(r, tool) {
			values = append(values, t.text(v))
		}
		texts = append(texts, strings.Join(values, ", "))
	}
	text := strings.Join(texts, " / ")
	if w.note != nil {
		if note := w.note(r, tool); note != "" {
			text += " (" + note + ")"
		}
	}
	return text
}

func (t target) text(v float64) string {
	if v == 0 {
		return "–"
	}
	text := fmt.Sprintf(t.format, v)
	// Compare the rounded figure that is printed, so that a printed 0.95 is not over a limit of 0.95.
	if limit := fmt.Sprintf(t.format, t.must); t.must > 0 && v > t.must && text != limit {
		return "**" + text + "**"
	}
	return text
}

func (w row) limits(of func(target) float64) string {
	var texts []string
	for _, t := range w.targets {
		if limit := of(t); limit > 0 {
			texts = append(texts, fmt.Sprintf(t.format, limit))
		}
	}
	return cmp.Or(strings.Join(texts, " / "), "–")
}

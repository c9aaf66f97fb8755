package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// A report is the result of an attack: a table, and violations.
type report struct {
	head       []any
	rows       [][]any
	violations []string // each names its place
	notes      []string // remarks for the reader
}

func newReport(head ...any) *report { return &report{head: head} }

func (r *report) row(cells ...any) { r.rows = append(r.rows, cells) }

func (r *report) violate(format string, args ...any) {
	r.violations = append(r.violations, fmt.Sprintf(format, args...))
}

func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// shownViolations is the maximum number of printed violations.
const shownViolations = 100

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]any{r.head}, r.rows...) {
		for _, cell := range row {
			fmt.Fprintf(t, "%v\t", cell)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	for _, note := range r.notes {
		fmt.Fprintln(w, "note:", note)
	}
	for i, v := range r.violations {
		if i == shownViolations {
			fmt.Fprintf(w, "and %d more\n", len(r.violations)-i)
			break
		}
		fmt.Fprintln(w, "VIOLATED:", v)
	}
	if len(r.violations) == 0 {
		fmt.Fprintln(w, "nothing was violated")
	}
}

package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// maxTableRows limits the table: GitHub refuses summaries of more than a megabyte.
const maxTableRows = 200

// writeMarkdown writes the run as a table, failures first, with the end of the output of failed nodes.
func writeMarkdown(w io.Writer, a *Account) error {
	b := bufio.NewWriter(w)
	p := console.Paint{}
	d := a.detail
	fmt.Fprintf(b, "### %s %s: run %s %s\n\n", p.Glyph(words.ResultState(d.Result)), markdownText(a.workfile), d.Run, d.Result)
	parts := words.CountParts(d.Counts, "not reached")
	if d.DurationMS != nil {
		parts = append(parts, words.Span(time.Duration(*d.DurationMS)*time.Millisecond))
	}
	fmt.Fprintf(b, "%s\n\n", strings.Join(parts, " · "))
	rows := slices.Clone(a.cases)
	slices.SortStableFunc(rows, func(x, y testCase) int {
		return cmp.Or(api.Severity(x.state)-api.Severity(y.state), order(x.handled)-order(y.handled))
	})
	if len(rows) > 0 {
		fmt.Fprint(b, "| | node | time | result |\n|---|---|--:|---|\n")
	}
	for i, c := range rows {
		if i == maxTableRows {
			fmt.Fprintf(b, "| | and %d more | | |\n", len(rows)-i)
			break
		}
		took, result := "", "ok"
		if c.exec != nil {
			took = words.Span(c.took())
		}
		if c.state != api.StateOK {
			result = c.why()
		}
		if c.mocked {
			result += " (mocked)"
		}
		if c.upToDate != "" {
			result = c.upToDate
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", p.Glyph(c.state), markdownText(c.name), took, markdownText(result))
	}
	for i, c := range rows {
		if i == maxMarkdownTails || c.state != api.StateFailed {
			break
		}
		markdownTail(b, c)
	}
	for i, note := range d.Notes {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "- %s\n", markdownText(note))
	}
	fmt.Fprintln(b)
	return b.Flush()
}

// maxMarkdownTails is the maximum number of failed nodes for which a report contains output.
const maxMarkdownTails = 20

// markdownTail writes a folded block with the end of the output of a failed node.
func markdownTail(w io.Writer, c testCase) {
	if len(c.tail.Lines) == 0 {
		return
	}
	text := strings.Join(c.tail.Lines, "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(w, "\n<details><summary>%s: %s (%s)</summary>\n\n%stext\n%s\n%s\n\n</details>\n",
		markdownText(c.name), markdownText(c.why()), c.tail.Title(), fence, text, fence)
}

// markdownText escapes text for Markdown and HTML and puts it on one line.
func markdownText(text string) string {
	var b strings.Builder
	text = plain.Line(text)
	for i, r := range text {
		inWord := r == '_' && i > 0 && i < len(text)-1 // has no meaning in Markdown
		if strings.ContainsRune("\\`*_{}[]<>()#+!|&~$@", r) && !inWord {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// order sorts false before true.
func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

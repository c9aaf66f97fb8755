package cells

import (
	"io"
	"strings"
)

// A Span is a piece of a line in one style.
type Span struct {
	Text  string
	Style Style
}

// Spans converts the colour sequences of a line into styles. All other escape sequences must have been removed
// before. Tabs become blanks up to the next tab stop.
func Spans(text string, base Style) []Span {
	var out []Span
	st, column := base, 0
	for text != "" {
		head, tail, found := strings.Cut(text, "\x1b[")
		if head != "" {
			head = expandTabs(head, column)
			column += Columns(head)
			out = append(out, Span{head, st})
		}
		if !found {
			break
		}
		params, rest, ended := strings.Cut(tail, "m")
		if !ended {
			break
		}
		if next, ok := st.SGR(params); ok {
			if next == (Style{}) {
				next = base
			}
			st = next
		}
		text = rest
	}
	return out
}

// tabWidth is the distance of tab stops in terminals.
const tabWidth = 8

// expandTabs replaces tabs in text that begins at a column.
func expandTabs(text string, column int) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "\t") {
		if i > 0 {
			n := tabWidth - column%tabWidth
			io.WriteString(&b, strings.Repeat(" ", n))
			column += n
		}
		b.WriteString(part)
		column += Columns(part)
	}
	return b.String()
}

// WrapSpans cuts a line into rows of at most width columns.
func WrapSpans(line []Span, width int) [][]Span {
	var rows [][]Span
	var row []Span
	used := 0
	for _, s := range line {
		start := 0
		for at := 0; at < len(s.Text); {
			cluster, w := Grapheme(s.Text[at:])
			if used+w > width {
				row = append(row, Span{s.Text[start:at], s.Style})
				rows, row, used, start = append(rows, row), nil, 0, at
			}
			used += w
			at += len(cluster)
		}
		if start < len(s.Text) {
			row = append(row, Span{s.Text[start:], s.Style})
		}
	}
	return append(rows, row)
}

// StripColors returns a line without its colour sequences.
func StripColors(text string) string {
	var b strings.Builder
	for _, s := range Spans(text, Plain) {
		b.WriteString(s.Text)
	}
	return b.String()
}

// SpansText returns the text of a line.
func SpansText(line []Span) string {
	text := ""
	for _, s := range line {
		text += s.Text
	}
	return text
}

// Highlight gives parts of a line the style Match. A part is a pair of byte offsets into the text of the line.
func Highlight(line []Span, parts [][]int) []Span {
	var out []Span
	at := 0
	for _, s := range line {
		for s.Text != "" {
			for len(parts) > 0 && parts[0][1] <= at {
				parts = parts[1:]
			}
			n, st := len(s.Text), s.Style
			if len(parts) > 0 && parts[0][0] < at+n {
				if parts[0][0] > at {
					n = parts[0][0] - at
				} else {
					n, st = min(n, parts[0][1]-at), Match
				}
			}
			out = append(out, Span{s.Text[:n], st})
			s.Text = s.Text[n:]
			at += n
		}
	}
	return out
}

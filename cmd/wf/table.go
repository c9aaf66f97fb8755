package main

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/tui/plain"
)

// A table lines up columns, two blanks apart. Unlike text/tabwriter it knows that the colours in
// a cell take no room.
type table struct{ rows [][]string }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table; the last cell of a row needs no padding.
func (t *table) write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// columns is the room that text takes on the screen, colours apart.
func columns(text string) int { return ansi.StringWidth(plain.Text(text)) }

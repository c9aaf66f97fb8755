package console

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wf/tui/plain"
)

// A Table aligns columns, two blanks apart. Unlike text/tabwriter it ignores colours in the widths of cells.
type Table struct{ rows [][]string }

func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Write prints the table; the last cell of a row needs no padding.
func (t *Table) Write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-Columns(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Columns returns the width of text on the screen, without colours.
func Columns(text string) int { return ansi.StringWidth(plain.Text(text)) }

package report

import (
	"slices"
	"strings"

	"wf/cmd/wf/console"
)

// maxLanes is the largest number of lanes that is still readable.
const maxLanes = 10

// laneRow is the drawing to the left of a row; the glyph of the row is in column at.
type laneRow struct {
	cells []rune
	at    int
}

// lanes draws the edges between rows as lines to the left of them; after lists the sources of each row. All edges
// from a row share a lane down to the last target. lanes returns nil if there are more than maxLanes.
func lanes(after [][]int) []laneRow {
	left := make([]int, len(after)) // targets of a row that are still to come
	for _, sources := range after {
		for _, j := range sources {
			left[j]++
		}
	}
	const free = -1
	var owner []int // the source of the edges in each lane
	rows := make([]laneRow, len(after))
	for i, sources := range after {
		var in, ends []bool
		for _, j := range owner {
			here := j != free && slices.Contains(sources, j)
			if here {
				left[j]--
			}
			in, ends = append(in, here), append(ends, here && left[j] == 0)
		}
		at := slices.Index(ends, true)
		if at < 0 {
			at = slices.Index(owner, free)
		}
		if at < 0 {
			at = len(owner)
			owner, in, ends = append(owner, free), append(in, false), append(ends, false)
		}
		rows[i] = drawLanes(owner, in, ends, at)
		for c := range owner {
			if ends[c] {
				owner[c] = free
			}
		}
		if owner[at] = free; left[i] > 0 {
			owner[at] = i
		}
		for len(owner) > 0 && owner[len(owner)-1] == free {
			owner = owner[:len(owner)-1]
		}
		if len(owner) > maxLanes {
			return nil
		}
	}
	return rows
}

// drawLanes draws one row. in marks the lanes that lead to it, and ends those of them that end there.
func drawLanes(owner []int, in, ends []bool, at int) laneRow {
	from, to := at, at
	for c := range owner {
		if in[c] {
			from, to = min(from, c), max(to, c)
		}
	}
	row := laneRow{cells: make([]rune, 2*len(owner)-1), at: 2 * at}
	for c := range owner {
		inner := from < c && c < to
		cell := ' '
		switch {
		case c == at:
		case in[c] && ends[c] && inner:
			cell = '┴'
		case in[c] && inner:
			cell = '┼'
		case in[c] && ends[c] && c < at:
			cell = '╰'
		case in[c] && ends[c]:
			cell = '╯'
		case in[c] && c < at:
			cell = '├'
		case in[c]:
			cell = '┤'
		case owner[c] >= 0 && inner:
			cell = '┼'
		case owner[c] >= 0:
			cell = '│'
		case inner:
			cell = '─'
		}
		row.cells[2*c] = cell
		if c+1 < len(owner) {
			row.cells[2*c+1] = ' '
			if from <= c && c < to {
				row.cells[2*c+1] = '─'
			}
		}
	}
	return row
}

// asciiLanes replaces the lines by ASCII characters.
var asciiLanes = strings.NewReplacer("┴", "+", "┼", "+", "╰", "`", "╯", "'", "├", "+", "┤", "+", "│", "|", "─", "-")

// text returns the row with its glyph, padded to width columns.
func (r laneRow) Text(p console.Paint, glyph string, width int) string {
	before, behind := string(r.cells[:r.at]), strings.TrimRight(string(r.cells[r.at+1:]), " ")
	if p.ASCII {
		before, behind = asciiLanes.Replace(before), asciiLanes.Replace(behind)
	}
	return pad(before+glyph+behind, width)
}

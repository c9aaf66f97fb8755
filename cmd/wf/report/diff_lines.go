package report

import (
	"fmt"
	"strings"

	"wf/tui/plain"
)

const (
	contextLines = 2       // unchanged lines around changed ones
	mostSteps    = 4 << 20 // cells of the table that finds common lines
)

// A diffLine is a line of a text and whether it was added, removed or is in both.
type diffLine struct {
	sign byte // '+', '-' or ' '
	text string
}

// lines writes the lines of two texts that differ, with some lines around them.
func (r *diffReport) lines(indent, before, after string) {
	list := diffLines(splitLines(before), splitLines(after))
	last := -1 // the index of the last line written
	for i, line := range list {
		if !nearChange(list, i) {
			continue
		}
		if i > last+1 {
			fmt.Fprintf(r, "%s%s\n", indent, r.p.Ellipsis())
		}
		last = i
		text := string(line.sign) + " " + plain.Line(line.text)
		switch line.sign {
		case '+':
			text = r.added(text)
		case '-':
			text = r.removed(text)
		}
		fmt.Fprintf(r, "%s%s\n", indent, text)
	}
	if last < len(list)-1 {
		fmt.Fprintf(r, "%s%s\n", indent, r.p.Ellipsis())
	}
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// nearChange reports whether line i is changed, or close to a changed one.
func nearChange(list []diffLine, i int) bool {
	for _, line := range list[max(0, i-contextLines):min(len(list), i+contextLines+1)] {
		if line.sign != ' ' {
			return true
		}
	}
	return false
}

// diffLines returns the lines of both texts in order, with as many common lines as possible. If the texts are too long for
// that, all lines between their common start and their common end are changed.
func diffLines(before, after []string) []diffLine {
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	var list []diffLine
	add := func(sign byte, lines ...string) {
		for _, text := range lines {
			list = append(list, diffLine{sign, text})
		}
	}
	add(' ', before[:start]...)
	was, is := before[start:len(before)-end], after[start:len(after)-end]
	common := commonLines(was, is)
	for len(was)+len(is) > 0 {
		switch i, j := len(was), len(is); {
		case i > 0 && j > 0 && common != nil && was[0] == is[0]:
			add(' ', was[0])
			was, is = was[1:], is[1:]
		case i > 0 && (j == 0 || common == nil || common[i-1][j] >= common[i][j-1]):
			add('-', was[0])
			was = was[1:]
		default:
			add('+', is[0])
			is = is[1:]
		}
	}
	add(' ', before[len(before)-end:]...)
	return list
}

// commonLines returns how many lines the last i lines of was and the last j lines of is have in common, by i and j; nil if
// the table would be too large.
func commonLines(was, is []string) [][]int32 {
	if len(was)*len(is) > mostSteps {
		return nil
	}
	table := make([][]int32, len(was)+1)
	for i := range table {
		table[i] = make([]int32, len(is)+1)
		for j := 1; j <= len(is) && i > 0; j++ {
			if was[len(was)-i] == is[len(is)-j] {
				table[i][j] = table[i-1][j-1] + 1
			} else {
				table[i][j] = max(table[i-1][j], table[i][j-1])
			}
		}
	}
	return table
}

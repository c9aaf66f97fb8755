package dialog

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
	"wf/tui/plain"
)

// pasteBytes is the maximum number of bytes of a paste that a line accepts.
const pasteBytes = 64 << 10

// longestLine and LongestWord limit the length of lines, in graphemes: commands may be long, search terms are short.
const (
	longestLine = 64 << 10
	LongestWord = 4 << 10
)

// A Line is a line of text that the user edits, with a cursor. It drops text beyond its maximum length.
type Line struct {
	Text []string // graphemes
	At   int
	Max  int // maximum number of graphemes; 0 = longestLine
}

// NewLine returns a line with a text and the cursor at its end.
func NewLine(text string) Line {
	var l Line
	l.Insert(text)
	return l
}

func (l *Line) String() string { return strings.Join(l.Text, "") }

// Insert inserts text at the cursor. Line breaks become blanks.
func (l *Line) Insert(text string) {
	if len(text) > pasteBytes {
		text = strings.ToValidUTF8(text[:pasteBytes], "")
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, plain.Text(text))
	var added []string
	for room := cmp.Or(l.Max, longestLine) - len(l.Text); text != "" && len(added) < room; {
		cluster, _ := cells.Grapheme(text)
		added = append(added, cluster)
		text = text[len(cluster):]
	}
	l.Text = slices.Insert(l.Text, l.At, added...)
	l.At += len(added)
}

// remove removes the graphemes in the range from to to.
func (l *Line) remove(from, to int) {
	from, to = max(from, 0), min(to, len(l.Text))
	if from < to {
		l.Text = append(l.Text[:from:from], l.Text[to:]...)
		l.At = from
	}
}

// wordStart returns the start of the word before the cursor.
func (l *Line) wordStart() int {
	i := l.At
	for i > 0 && l.Text[i-1] == " " {
		i--
	}
	for i > 0 && l.Text[i-1] != " " {
		i--
	}
	return i
}

// Edit applies a key to the line and reports whether the line uses that key. A letter that does not fit is not used.
func (l *Line) Edit(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		l.At = max(l.At-1, 0)
	case "right", "ctrl+f":
		l.At = min(l.At+1, len(l.Text))
	case "home", "ctrl+a":
		l.At = 0
	case "end", "ctrl+e":
		l.At = len(l.Text)
	case "backspace", "ctrl+h":
		l.remove(l.At-1, l.At)
	case "delete", "ctrl+d":
		l.remove(l.At, l.At+1)
	case "ctrl+w", "alt+backspace":
		l.remove(l.wordStart(), l.At)
	case "ctrl+u":
		l.remove(0, l.At)
	case "ctrl+k":
		l.remove(l.At, len(l.Text))
	default:
		before := len(l.Text)
		l.Insert(k.Text)
		return len(l.Text) != before
	}
	return true
}

// Veiled returns the line with a star for each grapheme, for secrets.
func (l *Line) Veiled() *Line {
	stars := slices.Repeat([]string{"*"}, len(l.Text))
	return &Line{Text: stars, At: l.At}
}

// Draw draws the line starting at column x so that the cursor is visible, and returns the column of the cursor.
func (l *Line) Draw(a cells.Area, x int, st cells.Style) int {
	room := max(1, a.Width-x-1)
	from, used := l.At, 0
	for from > 0 && used+cells.Columns(l.Text[from-1]) < room {
		from--
		used += cells.Columns(l.Text[from])
	}
	end := x
	for i := from; i < len(l.Text) && end < a.Width; i++ {
		end = a.Put(end, 0, l.Text[i], st)
	}
	return x + used
}

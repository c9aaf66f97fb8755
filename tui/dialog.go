package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
	"wf/tui/plain"
)

// A dialog takes all keys until it is done (model.done), and is drawn over the screen.
type dialog interface {
	key(m *model, k tea.KeyPressMsg) tea.Cmd
	paste(m *model, text string) tea.Cmd
	// draw writes the dialog over a, which is the whole screen, and returns where the cursor belongs.
	draw(m *model, a cells.Area) (x, y int, cursor bool)
}

// A pointed dialog can be used with the mouse, too. Clicks on others are ignored: they are questions.
type pointed interface {
	click(m *model, x, y int) tea.Cmd    // at a point of the screen
	wheel(m *model, at tea.Mouse, n int) // lines, down if n is positive
}

// pasteBytes bounds what a paste can put into a line; nobody types more.
const pasteBytes = 64 << 10

// Bounds of lines, in characters as people see them: commands may be long, words to look for are not.
const (
	longestLine = 64 << 10
	longestWord = 4 << 10
)

// A line is a text that somebody types, with a cursor in it. What is too long for it is left out.
type line struct {
	text []string // graphemes
	at   int
	most int // of them; 0 is longestLine
}

func newLine(text string) line {
	var l line
	l.insert(text)
	return l
}

func (l *line) String() string { return strings.Join(l.text, "") }

// insert puts text in at the cursor, in one line.
func (l *line) insert(text string) {
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
	for room := cmp.Or(l.most, longestLine) - len(l.text); text != "" && len(added) < room; {
		cluster, _ := cells.Grapheme(text)
		added = append(added, cluster)
		text = text[len(cluster):]
	}
	l.text = slices.Insert(l.text, l.at, added...)
	l.at += len(added)
}

// remove takes away what is between from and to.
func (l *line) remove(from, to int) {
	from, to = max(from, 0), min(to, len(l.text))
	if from < to {
		l.text = append(l.text[:from:from], l.text[to:]...)
		l.at = from
	}
}

// wordStart is where the word before the cursor begins.
func (l *line) wordStart() int {
	i := l.at
	for i > 0 && l.text[i-1] == " " {
		i--
	}
	for i > 0 && l.text[i-1] != " " {
		i--
	}
	return i
}

// edit does what a key means in a line and says whether it means something. What has no room means nothing.
func (l *line) edit(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		l.at = max(l.at-1, 0)
	case "right", "ctrl+f":
		l.at = min(l.at+1, len(l.text))
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.text)
	case "backspace", "ctrl+h":
		l.remove(l.at-1, l.at)
	case "delete", "ctrl+d":
		l.remove(l.at, l.at+1)
	case "ctrl+w", "alt+backspace":
		l.remove(l.wordStart(), l.at)
	case "ctrl+u":
		l.remove(0, l.at)
	case "ctrl+k":
		l.remove(l.at, len(l.text))
	default:
		before := len(l.text)
		l.insert(k.Text)
		return len(l.text) != before
	}
	return true
}

// veiled returns the line with a star for each character, for secrets.
func (l *line) veiled() *line {
	stars := slices.Repeat([]string{"*"}, len(l.text))
	return &line{text: stars, at: l.at}
}

// draw writes the line so that the cursor is in sight, and returns its column.
func (l *line) draw(a cells.Area, x int, st cells.Style) int {
	room := max(1, a.Width-x-1)
	from, used := l.at, 0
	for from > 0 && used+cells.Columns(l.text[from-1]) < room {
		from--
		used += cells.Columns(l.text[from])
	}
	end := x
	for i := from; i < len(l.text) && end < a.Width; i++ {
		end = a.Put(end, 0, l.text[i], st)
	}
	return x + used
}

// A prompt asks for a line of text, in the last row of the screen.
type prompt struct {
	label   string
	line    line
	history *[]string // lines that were entered before, newest last; nil = none
	past    int       // how far back in it
	hint    func(m *model, text string) (string, bool)
	changed func(m *model, text string) // after each key; nil = nothing happens before Enter
	enter   func(m *model, text string) tea.Cmd
	cancel  func(m *model) // nil = nothing
}

func (p *prompt) key(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		text := p.line.String()
		m.done()
		if p.history != nil && text != "" {
			*p.history = append(*p.history, text)
		}
		return p.enter(m, text)
	case "esc", "ctrl+c":
		m.done()
		if p.cancel != nil {
			p.cancel(m)
		}
		return nil
	case "up", "down":
		p.recall(k.String() == "up")
	default:
		if !p.line.edit(k) {
			return nil
		}
	}
	p.tell(m)
	return nil
}

// recall goes through what was entered before.
func (p *prompt) recall(older bool) {
	if p.history == nil {
		return
	}
	n := len(*p.history)
	if older {
		p.past = min(p.past+1, n)
	} else {
		p.past = max(p.past-1, 0)
	}
	text := ""
	if p.past > 0 {
		text = (*p.history)[n-p.past]
	}
	most := p.line.most
	p.line = newLine(text)
	p.line.most = most
}

func (p *prompt) tell(m *model) {
	if p.changed != nil {
		p.changed(m, p.line.String())
	}
}

func (p *prompt) paste(m *model, text string) tea.Cmd {
	p.line.insert(text)
	p.tell(m)
	return nil
}

func (p *prompt) draw(m *model, a cells.Area) (x, y int, cursor bool) {
	row := a.Row(a.Height - 1)
	row.Fill(cells.Plain)
	room := row
	if p.hint != nil {
		text, bad := p.hint(m, p.line.String())
		st := cells.Dimmed
		if bad {
			st = cells.Bad
		}
		text = cells.Clip(text, row.Width/2, m.opt.ASCII)
		end := row.PutEnd(0, text, st)
		room = row.Part(0, 0, end-1, 1)
	}
	x = room.Put(0, 0, p.label+" ", cells.Key)
	return p.line.draw(room, x, cells.Plain), a.Height - 1, true
}

package dialog

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
)

// A Prompt asks for a line of text in the last row of the screen.
type Prompt struct {
	Label   string
	Line    Line
	History *[]string // lines that the user entered before, newest last; nil = none
	back    int       // number of lines to go back in it
	Hint    func(text string) (string, bool)
	Changed func(text string) // called after each key; nil = nothing happens before Enter
	Enter   func(text string) tea.Msg
	Cancel  func() // nil = nothing
}

func (p *Prompt) Key(k tea.KeyPressMsg) Result {
	switch k.String() {
	case "enter":
		text := p.Line.String()
		if p.History != nil && text != "" {
			*p.History = append(*p.History, text)
		}
		return Result{Close: true, Do: p.Enter(text)}
	case "esc", "ctrl+c":
		if p.Cancel != nil {
			p.Cancel()
		}
		return Result{Close: true}
	case "up", "down":
		p.recall(k.String() == "up")
	default:
		if !p.Line.Edit(k) {
			return Result{}
		}
	}
	p.notify()
	return Result{}
}

// recall goes through the lines of the history.
func (p *Prompt) recall(older bool) {
	if p.History == nil {
		return
	}
	n := len(*p.History)
	if older {
		p.back = min(p.back+1, n)
	} else {
		p.back = max(p.back-1, 0)
	}
	text := ""
	if p.back > 0 {
		text = (*p.History)[n-p.back]
	}
	most := p.Line.Max
	p.Line = NewLine(text)
	p.Line.Max = most
}

// notify calls Changed.
func (p *Prompt) notify() {
	if p.Changed != nil {
		p.Changed(p.Line.String())
	}
}

func (p *Prompt) Paste(text string) Result {
	p.Line.Insert(text)
	p.notify()
	return Result{}
}

func (p *Prompt) Draw(a cells.Area) (x, y int, cursor bool) {
	row := a.Row(a.Height - 1)
	row.Fill(cells.Plain)
	room := row
	if p.Hint != nil {
		text, bad := p.Hint(p.Line.String())
		st := cells.Dimmed
		if bad {
			st = cells.Bad
		}
		text = cells.Clip(text, row.Width/2, a.ASCII())
		end := row.PutEnd(0, text, st)
		room = row.Part(0, 0, end-1, 1)
	}
	x = room.Put(0, 0, p.Label+" ", cells.Key)
	return p.Line.Draw(room, x, cells.Plain), a.Height - 1, true
}

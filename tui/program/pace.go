package program

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// mostScreens is the maximum number of screens in an interval. Bubble Tea draws one after each message: without a
// limit, pasting a megabyte into a terminal that sends it as keys would draw a million screens. A few are drawn at
// once, so that a key takes effect without delay.
const mostScreens = 4

// A paced model draws at most mostScreens in an interval.
type paced struct {
	tea.Model
	clock func() time.Time
	since time.Time // start of the current interval
	drawn int
	skip  bool // View returns the previous screen
	due   bool // a redraw will arrive
	last  tea.View
}

// newPaced returns m with a limit on its screens.
func newPaced(m tea.Model) *paced { return &paced{Model: m, clock: time.Now} }

// redraw is the message to draw the changes that skipped screens have not shown.
type redraw struct{}

// Update passes the message on. If it skips the screen after the message it orders a later one.
func (p *paced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	if _, ours := msg.(redraw); ours {
		p.due = false
	} else {
		_, cmd = p.Model.Update(msg)
	}
	if now := p.clock(); now.Sub(p.since) >= Interval {
		p.since, p.drawn = now, 0
	}
	p.drawn++
	if p.skip = p.drawn > mostScreens; p.skip && !p.due {
		p.due = true
		cmd = tea.Batch(cmd, tea.Tick(Interval, func(time.Time) tea.Msg { return redraw{} }))
	}
	return p, cmd
}

// View returns the current screen, or the previous one after too many screens in the interval.
func (p *paced) View() tea.View {
	if !p.skip {
		p.last = p.Model.View()
	}
	return p.last
}

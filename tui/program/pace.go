package program

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// mostScreens is how many screens are drawn in an interval. Bubble Tea asks for one after each message: without
// a bound, a megabyte that is pasted into a terminal that sends it as keys costs a million screens. A few are
// drawn at once, so that a key shows without delay.
const mostScreens = 4

// A paced model draws at most mostScreens in an interval.
type paced struct {
	tea.Model
	clock func() time.Time
	since time.Time // start of the interval in which drawn counts
	drawn int
	skip  bool // View returns the screen before
	due   bool // redraw is on its way
	last  tea.View
}

// newPaced returns m with a bound on the screens that it draws.
func newPaced(m tea.Model) *paced { return &paced{Model: m, clock: time.Now} }

// redraw asks for the screen that shows what skipped ones have not shown.
type redraw struct{}

// Update passes the message on. If the screen after it is skipped, it orders one for later.
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

// View returns the screen as it is now, or the one before if there have been too many.
func (p *paced) View() tea.View {
	if !p.skip {
		p.last = p.Model.View()
	}
	return p.last
}

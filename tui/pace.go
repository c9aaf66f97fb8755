package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// mostFrames is how many frames are drawn in the time of one. Bubble Tea asks for a frame after each
// message: without a bound, somebody who pastes a megabyte into a terminal that presses it as keys
// would wait for a million of them. A few come at once, so that a key is seen without delay.
const mostFrames = 4

// A paced model is one that draws no more often than anybody can see.
type paced struct {
	tea.Model
	clock func() time.Time
	since time.Time // of the frames that are counted
	drawn int
	skip  bool // the next frame is left out
	due   bool // redraw is on its way
	last  tea.View
}

func newPaced(m tea.Model) *paced { return &paced{Model: m, clock: time.Now} }

// redraw asks for the frame that shows what others have left out.
type redraw struct{}

// Update hands the message on, and sees to it that a frame follows.
func (p *paced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	if _, ours := msg.(redraw); ours {
		p.due = false
	} else {
		_, cmd = p.Model.Update(msg)
	}
	if now := p.clock(); now.Sub(p.since) >= frameTime {
		p.since, p.drawn = now, 0
	}
	p.drawn++
	if p.skip = p.drawn > mostFrames; p.skip && !p.due {
		p.due = true
		cmd = tea.Batch(cmd, tea.Tick(frameTime, func(time.Time) tea.Msg { return redraw{} }))
	}
	return p, cmd
}

// View is the frame as it is now, or the one before while too many come.
func (p *paced) View() tea.View {
	if !p.skip {
		p.last = p.Model.View()
	}
	return p.last
}

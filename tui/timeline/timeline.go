// Package timeline draws when something ran: one row for each thing, all on one scale, with bars in eighths of a column. It
// asks no clock, and knows nothing about workflows.
package timeline

import (
	"fmt"
	"time"

	"wf/tui/cells"
)

// eighths is the number of steps within a column.
const eighths = 8

// A Scale maps times to columns.
type Scale struct {
	Start time.Time
	Span  time.Duration // of all columns; greater than 0
	Width int           // in columns
	Round bool          // Span was rounded up, so that the scale of something that grows changes seldom
}

// NewScale returns the scale from start to end. With grows set, the end will move: then the span is the next round one.
func NewScale(start, end time.Time, width int, grows bool) Scale {
	span := max(end.Sub(start), time.Millisecond)
	if grows {
		span = roundUp(span, spans)
	}
	return Scale{start, span, max(width, 1), grows}
}

// steps are the distances between the labels of a scale, in seconds, up to a day. Below a second they are tenths of these.
var steps = []time.Duration{1 * time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute,
	2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour,
	12 * time.Hour, 24 * time.Hour}

// spans are the round spans of something that grows, from a second. Each is at most one and a half times as long as the one before,
// or twice at the beginning, so that most of a strip is used.
var spans = []time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 6 * time.Second, 8 * time.Second, 10 * time.Second, 15 * time.Second,
	20 * time.Second, 30 * time.Second, 40 * time.Second, time.Minute, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 6 * time.Minute,
	8 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute, 40 * time.Minute, time.Hour, 90 * time.Minute, 2 * time.Hour,
	3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour, 12 * time.Hour, 16 * time.Hour, 24 * time.Hour}

// roundUp returns the smallest time of a list that is not shorter than d, or else d in whole days.
func roundUp(d time.Duration, list []time.Duration) time.Duration {
	for _, s := range list {
		if s >= d {
			return s
		}
	}
	const day = 24 * time.Hour
	return (d + day - 1) / day * day
}

// step returns the distance between labels that need a number of columns each.
func (s Scale) step(columns int) time.Duration {
	least := s.Span * time.Duration(columns) / time.Duration(s.Width)
	for _, d := range []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond} {
		if d >= least {
			return d
		}
	}
	return roundUp(max(least, time.Second), steps)
}

// label returns the text of a distance from the start.
func label(d time.Duration) string {
	switch {
	case d < time.Second && d > 0:
		return fmt.Sprintf("%dms", d/time.Millisecond)
	case d < time.Minute && d%time.Second != 0:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour && d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// labelWidth is the room for a label, in columns.
const labelWidth = 8

// Axis draws the labels into the first row of a. A label begins at its time.
func (s Scale) Axis(a cells.Area) {
	step := s.step(labelWidth)
	for d := time.Duration(0); d < s.Span; d += step {
		x := s.at(d) / eighths
		if text := label(d); x+len(text) <= a.Width {
			a.Put(x, 0, text, cells.Dimmed)
		}
	}
}

// at returns the number of the eighth in which a distance from the start is, also outside of the scale.
func (s Scale) at(d time.Duration) int {
	return int(float64(d) / float64(s.Span) * float64(s.Width*eighths))
}

// A Bar is one time span in a row.
type Bar struct {
	Ready time.Time // from here to From it waited; zero = it did not wait
	From  time.Time
	To    time.Time
	Style cells.Style
	Sign  string // draws it in ASCII
	Waits string // draws the waiting in ASCII
}

// Draw draws bars into the first row of a. Of bars that share a column, the later ones win.
func (s Scale) Draw(a cells.Area, bars []Bar) {
	for _, b := range bars {
		if !b.Ready.IsZero() {
			s.wait(a, b)
		}
	}
	for _, b := range bars {
		s.bar(a, b)
	}
}

// waitSign draws that something could run and waited.
const waitSign = "┄"

func (s Scale) wait(a cells.Area, b Bar) {
	from, to := s.at(b.Ready.Sub(s.Start)), s.at(b.From.Sub(s.Start))
	sign := cells.Either(a.ASCII(), b.Waits, waitSign)
	for x := max(0, from/eighths); x < min(to/eighths, a.Width, s.Width); x++ {
		a.Put(x, 0, sign, cells.Dimmed)
	}
}

// bar draws a bar. Its first column is filled from the right and its last one from the left; the shortest bar has an eighth.
func (s Scale) bar(a cells.Area, b Bar) {
	from, to := s.at(b.From.Sub(s.Start)), s.at(b.To.Sub(s.Start))
	from = min(from, s.Width*eighths-1)
	to = max(to, from+1)
	for x := max(0, from/eighths); x <= (to-1)/eighths && x < min(a.Width, s.Width); x++ {
		left, right := max(from-x*eighths, 0), min(to-x*eighths, eighths)
		if a.ASCII() {
			a.Put(x, 0, b.Sign, b.Style)
			continue
		}
		sign, reverse := Fill(left, right)
		st := b.Style
		if reverse {
			st = st.With(cells.Reverse)
		}
		a.Put(x, 0, sign, st)
	}
}

// blocks fill the first eighths of a column. The block of four is left out, because it is the side of boxes in drawings.
var blocks = [eighths + 1]string{" ", "▏", "▎", "▍", "▍", "▋", "▊", "▉", "█"}

// Fill returns the sign that fills a column from the eighth left up to the eighth right, exclusive. If reverse is set the sign
// must be drawn in reverse: there are signs only for the left part of a column. What touches neither side is moved to one.
func Fill(left, right int) (sign string, reverse bool) {
	switch {
	case left <= 0:
		return blocks[right], false
	case right >= eighths:
		return blocks[left], true
	case left < eighths-right:
		return blocks[right-left], false
	}
	return blocks[eighths-(right-left)], true
}

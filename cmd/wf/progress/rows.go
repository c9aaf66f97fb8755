package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// Limits of the redrawn rows.
const (
	maxRunningRows = 10 // and never more than a third of the height
	maxNameWidth   = 24
	timeWidth      = 8
	leastTail      = 8  // columns; with less space the last line of output is left out
	leastBar       = 10 // columns; with less space the bar is left out
	mostBar        = 40
)

// nameWidth returns the width of the column of names.
func nameWidth(width int) int { return max(10, min(maxNameWidth, width/3)) }

// boardRows returns the rows for a terminal: the running nodes, the other counts, and the line of totals. No row is
// wider than width-1, and there are fewer rows than half of height.
func boardRows(b *runview.Run, p console.Paint, now time.Time, width, height int, hint string) []string {
	nodes := b.Longest()
	shown := nodes[:min(len(nodes), maxRunningRows, max(1, height/3))]
	var rows []string
	for _, n := range shown {
		if ended := b.InstancesEnded[n.Name]; ended > 0 {
			n.Tail = words.Plural(ended, "node") + " of its instances ended"
		}
		rows = append(rows, runningRow(p, n, now, width-1))
	}
	var more []string
	if rest := len(nodes) - len(shown); rest > 0 {
		more = append(more, fmt.Sprintf("+ %d running", rest))
	}
	if len(b.Queued) > 0 {
		text := fmt.Sprintf("%s %d queued", p.Glyph(api.StateQueued), len(b.Queued))
		if j := b.QueuedAt(); j != nil {
			text += ", " + plain.Line(j.Executor+" "+j.StateText())
		}
		more = append(more, text)
	}
	if text := waitingText(b, p, now); text != "" {
		more = append(more, text)
	}
	if len(more) > 0 {
		rows = append(rows, ansi.Truncate("  "+strings.Join(more, "  "), width-1, ""))
	}
	return append(rows, totals(b, p, now, width-1, hint))
}

// waitingText returns a text like "◆ 1 for a person: deploy  ↻ 2 to retry  ◆ 1 for later  next in 4s".
func waitingText(b *runview.Run, p console.Paint, now time.Time) string {
	people, retries, others := b.WaitCounts()
	var parts []string
	if people > 0 {
		parts = append(parts, fmt.Sprintf("%s %d for a person: %s", p.Glyph(api.StateWaiting), people, words.NameList(b.WaitingForPerson(), 3)))
	}
	if retries > 0 {
		parts = append(parts, fmt.Sprintf("%s %d to retry", p.Glyph(api.StateRetrying), retries))
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%s %d for later", p.Glyph(api.StateWaiting), others))
	}
	if next := b.NextWait(); retries+others > 0 && next.After(now) {
		parts = append(parts, "next in "+clock(next.Sub(now)))
	}
	return strings.Join(parts, "  ")
}

// runningRow returns a row like "● align_S001     1m04s  last line of output".
func runningRow(p console.Paint, n *runview.RunningNode, now time.Time, width int) string {
	row := fmt.Sprintf("%s %s %*s", p.Glyph(api.StateRunning), p.Column(plain.Line(n.Name), nameWidth(width)), timeWidth, clock(now.Sub(n.Started)))
	if room := width - ansi.StringWidth(row) - 2; room >= leastTail && n.Tail != "" {
		row += "  " + p.Dim(ansi.Truncate(n.Tail, room, p.Ellipsis()))
	}
	return ansi.Truncate(row, width, "")
}

// totals returns a row like "19/30  ✗ 1  ⊘ 5  ━━━━────  2m11s  ~1m left   d detach · ^C cancel". If the width is too
// small, it leaves out the hint, then the bar, then the estimate.
func totals(b *runview.Run, p console.Paint, now time.Time, width int, hint string) string {
	n, total := b.Ended()
	line := fmt.Sprintf("%d/%d", n, total)
	if len(b.Failed) > 0 {
		line += fmt.Sprintf("  %s %d", p.Glyph(api.StateFailed), len(b.Failed))
	}
	if b.Blocked > 0 {
		line += fmt.Sprintf("  %s %d", p.Glyph(api.StateBlocked), b.Blocked)
	}
	started := b.Started
	if started.IsZero() { // no event of the run has arrived yet
		started = now
	}
	times := "  " + clock(now.Sub(started))
	if d, ok := b.Remaining(now); ok {
		if guess := "  " + roughly(d); ansi.StringWidth(line+times+guess) <= width {
			times += guess
		}
	}
	room := width - ansi.StringWidth(line+times)
	hint = "   " + hint
	if ansi.StringWidth(hint)+leastBar+2 > room {
		hint = ""
	}
	if bar := min(mostBar, room-2-ansi.StringWidth(hint)); bar >= leastBar {
		line += "  " + p.Bar(n, total, bar)
	}
	return ansi.Truncate(line+times+p.Dim(hint), width, "")
}

// clock formats a running time in whole seconds, so that it changes once a second.
func clock(d time.Duration) string {
	d = max(0, d).Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return words.Span(d)
}

// clockMinutes formats d in whole minutes, at least one.
func clockMinutes(d time.Duration) string {
	return fmt.Sprintf("%dm", max(1, d.Round(time.Minute)/time.Minute))
}

// roughly formats an estimate with low precision.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return "~10s left"
	case d < time.Minute:
		return "~" + clock(d.Round(5*time.Second)) + " left"
	case d < time.Hour:
		return "~" + clockMinutes(d) + " left"
	}
	return "~" + words.Span(d.Round(10*time.Minute)) + " left"
}

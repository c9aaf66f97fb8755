package tui

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/tui/plain"
	"wf/tui/words"
)

// detail returns the text behind the name of a node: `running 12s`, `exit 1 after 1.2s`.
func detail(n *api.NodeStatus, now time.Time) string {
	text := string(n.State)
	switch n.State {
	case api.StateRunning:
		if n.Started != nil {
			text = "running " + clock(now.Sub(*n.Started))
		}
	case api.StateQueued:
		if at := words.Engine(n.Engine, n.State); at != "" {
			text = at
		}
	case api.StateOK:
		text = words.SpanMS(n.DurationMS)
	case api.StateWaiting, api.StateRetrying:
		text = countdownText(n, now)
	case api.StateFailed, api.StateCancelled:
		if cause := words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message); cause != "" {
			text = strings.TrimPrefix(cause, ": ") // the message of a sub-flow is complete
		}
		if took := words.SpanMS(n.DurationMS); took != "" {
			text += " after " + took
		}
	}
	if n.Mocked {
		text = strings.TrimSpace(text + " not executed")
	}
	if n.UpToDate {
		text = words.UpToDate(n)
	}
	if n.Handled {
		text += ", handled"
	}
	if n.FromFile {
		text = strings.TrimSpace(text + " from the file")
	}
	switch attempt := words.Attempt(n); {
	case attempt != "":
		text += " (" + attempt + ")"
	case n.Executions > 1:
		text += fmt.Sprintf(" (execution %d)", n.Executions)
	case n.State == api.StateIdle && words.Traits(n) != "":
		text += ", " + words.Traits(n)
	}
	return text
}

// clock returns a running time in whole seconds: 12s, 1m04s, 1h03m.
func clock(d time.Duration) string {
	if d = max(0, d).Truncate(time.Second); d < time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return words.Span(d)
}

// fromFile reports whether the state of a node comes from the file and not from a run on this machine.
func fromFile(f *runview.Workfile, node int) bool {
	return node < len(f.Nodes) && f.Nodes[node].FromFile
}

// fromFileText returns a remark about the nodes whose state comes from the file, or "".
func fromFileText(f *runview.Workfile) string {
	n := 0
	for i := range f.Nodes {
		if f.Nodes[i].FromFile {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" here, the state of %s is from the file", words.Plural(n, "node"))
}

// countdownText returns words.Wait for a drawing, which is drawn again every second: the remaining time counts down in whole
// seconds, a retry contains the cause of the failure, and an approval its question.
func countdownText(n *api.NodeStatus, now time.Time) string {
	w := n.Wait
	if w == nil {
		return string(n.State)
	}
	left := ""
	if w.Until != nil {
		left = " " + clock(w.Until.Sub(now))
	}
	switch {
	case w.Kind == api.WaitRetry:
		text := "again in" + left
		if n.Reason != "" {
			text = words.Cause(n.Reason, n.ExitCode, n.Signal, "") + ", " + text
		}
		return text
	case w.Kind == api.WaitApproval && left != "":
		return "asks: " + plain.Line(w.Text) + " (for" + left + ")"
	case w.Kind == api.WaitApproval:
		return "asks: " + plain.Line(w.Text)
	case w.Kind == api.WaitTime:
		return "waits" + left
	}
	return words.Wait(*w, now)
}

// countsDown reports whether the text of a node contains a time that changes every second.
func countsDown(n *api.NodeStatus) bool {
	return n.State == api.StateRunning && n.Started != nil || n.Wait != nil && n.Wait.Until != nil
}

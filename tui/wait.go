package tui

import (
	"time"

	"wf/api"
	"wf/tui/plain"
	"wf/tui/words"
)

// waitingState returns the state of a node that waits for something.
func waitingState(w *api.Wait) api.State {
	if w != nil && w.Kind == api.WaitRetry {
		return api.StateRetrying
	}
	return api.StateWaiting
}

// cleanWait makes the text of a wait fit for a terminal.
func cleanWait(w *api.Wait) *api.Wait {
	if w == nil {
		return nil
	}
	return &api.Wait{Kind: w.Kind, Until: w.Until, Text: plain.Text(w.Text)}
}

// waitText returns what a node waits for, and how much longer.
func waitText(n *api.NodeStatus, now time.Time) string {
	w := n.Wait
	if w == nil {
		return string(n.State)
	}
	left := ""
	if w.Until != nil {
		left = " " + clock(w.Until.Sub(now))
	}
	switch w.Kind {
	case api.WaitRetry:
		text := "again in" + left
		if n.Reason != "" {
			text = words.Cause(n.Reason, n.ExitCode, n.Signal, "") + ", " + text
		}
		return text
	case api.WaitApproval:
		text := "asks: " + plain.Line(w.Text)
		if left != "" {
			text += " (for" + left + ")"
		}
		return text
	case api.WaitTime:
		return "waits" + left
	}
	return "waits for " + plain.Line(string(w.Kind)) + left
}

// countsDown reports whether the text of a node has a time that changes by itself.
func countsDown(n *api.NodeStatus) bool {
	return n.State == api.StateRunning && n.Started != nil || n.Wait != nil && n.Wait.Until != nil
}

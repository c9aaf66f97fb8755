// Package words contains the words for runs and nodes that the command line and the terminal interface share:
// durations, counts, causes, and the sign and colour of each state. Its functions are pure and return texts.
package words

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/tui/plain"
)

// Span formats a duration: 0.8s, 14.0s, 1m04s, 1h03m.
func Span(d time.Duration) string {
	switch d = max(0, d); {
	case d < 59950*time.Millisecond: // a duration that rounds to 60.0s is shown as a minute
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		if d < time.Hour {
			return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
		}
	}
	if d >= 24*time.Hour-30*time.Minute {
		d = d.Round(time.Hour)
		return fmt.Sprintf("%dd %dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// SpanMS is Span for milliseconds as in JSON. It returns "" if they are unknown.
func SpanMS(ms *int64) string {
	if ms == nil {
		return ""
	}
	return Span(time.Duration(*ms) * time.Millisecond)
}

// Ago returns roughly how long before now a time was.
func Ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	case d < 30*24*time.Hour:
		return fmt.Sprintf("%dd ago", d/(24*time.Hour))
	}
	return t.Local().Format(time.DateOnly)
}

// Until formats a future time: 14:05:00, with the date if it is not today.
func Until(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// Plural returns a number with its noun: "1 node", "2 nodes".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// NameList joins at most limit names and adds the number of the others.
func NameList(names []string, limit int) string {
	shown := names
	if len(names) > limit {
		shown = names[:limit]
	}
	text := plain.Line(strings.Join(shown, ", "))
	if rest := len(names) - len(shown); rest > 0 {
		text += fmt.Sprintf(" (%d more)", rest)
	}
	return text
}

// CountParts lists the counts that are not zero, the most interesting first. idle is the word for nodes that have not
// run.
func CountParts(c api.Counts, idle string) []string {
	var parts []string
	for _, state := range []api.State{api.StateRunning, api.StateQueued, api.StateWaiting, api.StateRetrying, api.StateOK, api.StateKept,
		api.StateFailed, api.StateHandled, api.StateCancelled, api.StateBlocked, api.StateSkipped} {
		n := c.Of(state)
		if state == api.StateOK {
			n -= c.UpToDate
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
		if state == api.StateOK && c.UpToDate > 0 {
			parts = append(parts, fmt.Sprintf("%d up to date", c.UpToDate))
		}
	}
	if c.Idle > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", c.Idle, idle))
	}
	if len(parts) == 0 {
		return []string{"0 nodes"}
	}
	return parts
}

// UpToDate returns why a node was not executed, as in "up to date (run 41)"; "" if it was.
func UpToDate(n *api.NodeStatus) string {
	if !n.UpToDate {
		return ""
	}
	return plain.Line(n.Message)
}

// Cause returns how an execution failed: "exit 2", "killed by SIGKILL", "cancelled", "lost: …".
func Cause(reason api.Reason, code *int, signal, message string) string {
	var text string
	switch {
	case reason == api.ReasonCancelled:
		text = "cancelled"
	case reason == api.ReasonTimeout:
		text = "timeout"
	case reason.EngineText() != "":
		text = reason.EngineText()
	case signal != "":
		text = "killed by " + signal
	case reason == api.ReasonExit && code != nil:
		text = api.ExitText(*code)
	case reason == api.ReasonStart:
		text = "could not start"
	case reason == api.ReasonLimit && message == "":
		text = "activation limit"
	case reason == api.ReasonHook && message != "", reason == api.ReasonMissing && message != "", reason == api.ReasonLimit, reason == api.ReasonInstances && message != "", reason == api.ReasonRejected && strings.HasPrefix(message, "rejected"):
		return plain.Line(message) // the message is complete
	case reason == api.ReasonInstances:
		text = "instances failed"
	default:
		text = string(reason)
	}
	if message != "" {
		text += ": " + plain.Line(message)
	}
	return text
}

// Quote quotes text as one word of a shell command line that the user can paste.
func Quote(text string) string {
	bare := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-./:=@%+,", r))
	}
	if text != "" && strings.TrimFunc(text, bare) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(plain.Text(text), "'", `'\''`) + "'"
}

// Count returns "12 of 30".
func Count(n, of int) string { return fmt.Sprintf("%d of %d", n, of) }

package report

import (
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/ci"
	"wf/tui/words"
)

// lastRunParts returns the counts and the duration of a run that has ended.
func lastRunParts(r api.RunSummary) string {
	parts := words.CountParts(r.Counts, "not reached")
	if d := words.SpanMS(r.DurationMS); d != "" {
		parts = append(parts, d)
	}
	return strings.Join(parts, ", ")
}

// EndedAgo returns how long ago a run ended, or started if it has not ended.
func EndedAgo(r api.RunSummary, now time.Time) string {
	if r.Ended == nil {
		return words.Ago(r.Started, now)
	}
	return words.Ago(*r.Ended, now)
}

// stateDetail describes the state of a node in words.
func stateDetail(n api.NodeStatus, now time.Time) string {
	parts := []string{string(n.State)}
	if n.Wait != nil {
		parts = append(parts, waitDetail(n, now))
	}
	if n.Instances != nil && n.Instances.Begun > 0 && n.SubFlow != "workfile" {
		parts = append(parts, instancesText(*n.Instances))
	}
	switch n.State {
	case api.StateRetrying:
		if why := words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message); why != "" {
			parts = append(parts, "after "+why)
		}
	case api.StateFailed:
		if why := words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message); why != "" { // unknown if another program ran the node
			parts = append(parts, why+ci.HandledText(n.Handled))
		}
	case api.StateRunning:
		if n.Started != nil {
			parts = append(parts, words.Span(now.Sub(*n.Started)))
		}
	}
	if n.State != api.StateRunning && n.DurationMS != nil {
		parts = append(parts, words.SpanMS(n.DurationMS))
	}
	for _, text := range []string{words.UpToDate(&n), words.Engine(n.Engine, n.State), words.Peak(n.PeakBytes)} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if n.FromFile {
		parts = append(parts, fromFileWord)
	}
	if n.Mocked {
		parts = append(parts, "mocked")
	}
	if n.Executions > 1 && n.Instances == nil {
		parts = append(parts, fmt.Sprintf("%d executions", n.Executions))
	}
	return strings.Join(parts, "  ")
}

package words

import (
	"fmt"
	"strings"

	"wf/api"
	"wf/tui/plain"
)

// ResultState returns the state whose look represents a result. A run without a result is running.
func ResultState(r api.Result) api.State {
	switch r {
	case api.Succeeded:
		return api.StateOK
	case api.ResFailed:
		return api.StateFailed
	case api.Cancelled:
		return api.StateCancelled
	}
	return api.StateRunning
}

// ResultWord returns the word for a result. A run without a result is running.
func ResultWord(r api.Result) string {
	switch r {
	case "":
		return "running"
	case api.Succeeded:
		return "ok"
	}
	return string(r)
}

// RunWord returns the word for the state of a run.
func RunWord(r api.RunSummary) string {
	switch r.Paused {
	case api.PausedApproval:
		return "waits for a person"
	case api.PausedTime:
		return "waits"
	case api.PausedHeld:
		return "held"
	}
	return ResultWord(r.Result)
}

// RunState returns the node state whose look represents the run.
func RunState(r api.RunSummary) api.State {
	if r.Paused != "" {
		return api.StateWaiting
	}
	return ResultState(r.Result)
}

// Short explains why a run executes fewer commands at once than it could, and how to execute more.
func Short(s api.Shortage) string {
	return fmt.Sprintf("%d at once, %d more could start: %s (%s)", s.Running, s.Waiting, plain.Line(s.Why), plain.Line(s.Fix))
}

// Asked describes the selection of a run in the words of the command line: "all", "resume 41", "--nodes align
// --exclude qc", "--from deploy".
func Asked(r api.RunSummary) string {
	what := "all"
	switch {
	case len(r.Selection) == 0 && r.Mode != api.ModeResume && r.Resumes == "" && len(r.From)+len(r.Until) > 0:
		what = ""
	case len(r.Selection) > 0:
		what = "--nodes " + plain.Line(strings.Join(r.Selection, " "))
	case r.Mode == api.ModeResume || r.Resumes != "":
		what = strings.TrimRight("resume "+plain.Line(r.Resumes), " ")
	}
	for _, flag := range []struct {
		name  string
		nodes []string
	}{{"--from", r.From}, {"--until", r.Until}, {"--exclude", r.Exclude}} {
		if len(flag.nodes) > 0 {
			what += " " + flag.name + " " + plain.Line(strings.Join(flag.nodes, " "))
		}
	}
	return strings.TrimPrefix(what, " ")
}

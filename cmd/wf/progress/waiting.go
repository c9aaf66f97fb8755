package progress

import (
	"wf/api"
	"wf/client/runview"
	"wf/tui/plain"
	"wf/tui/words"
)

// notExecuted returns " mocked" or " up to date (run 41)" for a node that was not executed, otherwise "".
func notExecuted(ev api.Event) string {
	switch {
	case ev.Mocked:
		return " mocked"
	case ev.UpToDate:
		return " " + plain.Line(ev.Message)
	}
	return ""
}

// nodeSkipped prints a line about a skipped node with --verbose.
func (v *Display) nodeSkipped(ev api.Event) {
	if v.progress() && v.opt.Verbose {
		v.at(ev.Time, "%s %s skipped: no edge to it can fire", v.p.Glyph(api.StateSkipped), plain.Line(ev.Name))
	}
}

// nodeEngine prints with --verbose what an engine tells about a node.
func (v *Display) nodeEngine(ev api.Event) {
	if ev.Engine == nil || !v.progress() || !v.opt.Verbose {
		return
	}
	state := api.StateQueued
	if v.Run.Running[ev.Node] != nil {
		state = api.StateRunning
	}
	v.at(ev.Time, "%s %s %s", v.p.Glyph(state), plain.Line(ev.Name), words.Engine(ev.Engine, state))
}

// nodeWaiting prints what a node waits for. Approvals are shown at any verbosity.
func (v *Display) nodeWaiting(ev api.Event) {
	if ev.Wait == nil {
		return
	}
	if ev.Wait.Kind == api.WaitApproval {
		v.printApproval(ev.Time, api.Approval{Run: ev.Run, Name: ev.Name, Text: ev.Wait.Text, Until: ev.Wait.Until, Default: ev.Wait.Default})
		return
	}
	if !v.progress() || v.opt.Quiet || v.folded() && ev.Wait.Kind != api.WaitRetry {
		return
	}
	if (ev.Wait.Kind == api.WaitPool || ev.Wait.Kind == api.WaitPreparation) && !v.opt.Verbose {
		return
	}
	v.at(ev.Time, "%s %s %s", v.p.Glyph(runview.WaitState(ev.Wait)), plain.Line(ev.Name), words.Wait(*ev.Wait, ev.Time))
}

// stopText returns why a run is stopped.
func stopText(ev api.Event) string {
	if ev.Message == api.CauseReplaced {
		return ev.Message
	}
	return "another command stops the run"
}

// nodeDecided prints a decision about a node.
func (v *Display) nodeDecided(ev api.Event) {
	if ev.Decision == nil || !v.progress() || v.opt.Quiet {
		return
	}
	state := api.StateOK
	if !ev.Decision.Approved {
		state = api.StateFailed
	}
	v.at(ev.Time, "%s %s %s", v.p.Glyph(state), plain.Line(ev.Name), words.Decision(*ev.Decision))
}

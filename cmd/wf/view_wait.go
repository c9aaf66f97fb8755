package main

import (
	"fmt"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/tui/plain"
	"wf/tui/words"
)

// notExecuted marks the end of a node that was given instead of being waited for.
func notExecuted(ev api.Event) string {
	if ev.Mocked {
		return " mocked"
	}
	return ""
}

// handledWord follows the cause of a failure that an edge has fired for.
func handledWord(handled bool) string {
	if handled {
		return ", handled"
	}
	return ""
}

// nodeSkipped is a line about a node that no path leads to, for those who want to see every node.
func (v *view) nodeSkipped(ev api.Event) {
	if v.progress() && v.opt.verbose {
		v.at(ev.Time, "%s %s skipped: no path leads to it", v.p.Glyph(api.StateSkipped), plain.Line(ev.Name))
	}
}

// nodeWaiting says what a node waits for. Who is to answer has to know it however little else is shown.
func (v *view) nodeWaiting(ev api.Event) {
	if ev.Wait == nil {
		return
	}
	if ev.Wait.Kind == api.WaitApproval {
		v.sayApproval(ev.Time, api.Approval{Run: ev.Run, Name: ev.Name, Text: ev.Wait.Text, Until: ev.Wait.Until, Default: ev.Wait.Default})
		return
	}
	if !v.progress() || v.opt.quiet || v.folded() && ev.Wait.Kind != api.WaitRetry {
		return
	}
	if ev.Wait.Kind == api.WaitPool && !v.opt.verbose {
		return
	}
	v.at(ev.Time, "%s %s %s", v.p.Glyph(runview.WaitState(*ev.Wait)), plain.Line(ev.Name), waitText(*ev.Wait, ev.Time))
}

// stopText says why a run ends before its time.
func stopText(ev api.Event) string {
	if ev.Message == api.CauseReplaced {
		return ev.Message
	}
	return "somebody stops the run"
}

// waitText says what a node waits for, at a moment: "waits for a person", "is tried again in 4.0s".
func waitText(w api.Wait, now time.Time) string {
	in := ""
	if w.Until != nil {
		in = " in " + words.Span(max(0, w.Until.Sub(now)))
	}
	switch w.Kind {
	case api.WaitApproval:
		return "waits for a person"
	case api.WaitRetry:
		return "is tried again" + in
	case api.WaitPool:
		return "waits for a place in a pool" + textBehind(w.Text)
	}
	if w.Until == nil {
		return "waits"
	}
	return fmt.Sprintf("waits until %s%s", words.Until(*w.Until, now), " ("+words.Span(max(0, w.Until.Sub(now)))+")")
}

func textBehind(text string) string {
	if text == "" {
		return ""
	}
	return ": " + plain.Line(text)
}

// nodeDecided says who has decided what.
func (v *view) nodeDecided(ev api.Event) {
	if ev.Decision == nil || !v.progress() || v.opt.quiet {
		return
	}
	state := api.StateOK
	if !ev.Decision.Approved {
		state = api.StateFailed
	}
	v.at(ev.Time, "%s %s %s", v.p.Glyph(state), plain.Line(ev.Name), decisionText(*ev.Decision))
}

// decisionText is "approved by ann: as agreed".
func decisionText(d api.DecisionMade) string {
	text := decidedWord(d.Approved) + " by " + plain.Line(d.Who()) + textBehind(d.Comment)
	if values := valuesText(d.Values); values != "" {
		text += "  " + plain.Line(values)
	}
	return text
}

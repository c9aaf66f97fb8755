package planning

import (
	"wf/api"
	"wf/trigger"
	"wf/workspace/history"
)

// checkTriggers adds the mistakes in triggers. They are warnings, because runs that a person starts do not use them; wf
// trigger enable refuses them.
func (pl *Planner) checkTriggers(c *api.Check) {
	text, _ := pl.File.Graph().Attr(trigger.Attr)
	for _, line := range trigger.Read("", text) {
		if line.Err != nil {
			addProblem(c, api.Problem{Severity: "warning", Code: "bad-trigger", Line: pl.File.Document().GraphAttrLine(trigger.Attr), Message: "on: " + line.Err.Error()})
		}
	}
	for _, n := range pl.File.Graph().Nodes() {
		text, has := n.Attr(trigger.Attr)
		if !has {
			continue
		}
		at := api.Problem{Severity: "warning", Code: "bad-trigger", Line: pl.File.Document().NodeLine(n.ID), Nodes: []string{n.ID}}
		if n.Home() != nil {
			at.Message = pl.File.Handle(n) + ": on has no effect inside a sub-flow; put it on the sub-flow"
			addProblem(c, at)
			continue
		}
		for _, line := range trigger.Read(n.ID, text) {
			if line.Err != nil {
				at.Message = pl.File.Handle(n) + ": on: " + line.Err.Error()
				addProblem(c, at)
			}
		}
	}
}

// triggerOf returns what started a run, and the files that arrived: the trigger of the request, or that of the run that it resumes,
// because its commands need the same values.
func (pl *Planner) triggerOf(req api.RunRequest, resumes int) (*history.Trigger, []string) {
	if t := req.Trigger; t != nil {
		return &history.Trigger{Name: t.Name, Time: t.Time, Run: t.Run, Event: t.Event, Body: t.Body != nil}, t.Files
	}
	earlier, _ := pl.Nodes.Earlier(resumes)
	return earlier.Trigger, earlier.TriggerFiles
}

package planning

import (
	"fmt"

	"wf/api"
	"wf/notify"
)

// notifyAttr is the attribute of the graph that says who is told about a run.
const notifyAttr = "notify"

// tells sets who is told about a run: as the request says, otherwise the workfile, otherwise the settings of the user. For a run
// that a command of another run starts only the workfile counts, because the user is told about the outer run. Lines with
// mistakes become notes, because nobody would learn that a message is missing.
func (pl *Planner) tells(r *Draft, req api.RunRequest) {
	lines, own := pl.File.Graph().Attr(notifyAttr)
	from := "the workfile"
	switch d := req.Defaults; {
	case req.Caller != nil:
	case req.Notify != nil:
		lines, from = *req.Notify, "the request"
	case !own && d != nil && d.Notify != nil:
		lines, from = *d.Notify, "the settings"
	}
	rules, problems := notify.Parse(lines)
	for _, p := range problems {
		r.notes = append(r.notes, fmt.Sprintf("nobody is notified by line %d of notify in %s: %s", p.Line, from, p.Text))
	}
	if len(rules) > 0 {
		r.Request.Notify, r.Request.NotifyEnv = lines, notify.Environment(req.Env)
	}
}

// checkNotify adds a problem for each line of notify that has no effect.
func (pl *Planner) checkNotify(c *api.Check) {
	lines, _ := pl.File.Graph().Attr(notifyAttr)
	_, problems := notify.Parse(lines)
	for _, p := range problems {
		line := pl.File.Document().GraphAttrLine(notifyAttr)
		if line > 0 {
			line += p.Line - 1
		}
		addProblem(c, api.Problem{Severity: "warning", Code: notifyAttr, Line: line, Message: fmt.Sprintf("line %d of notify: %s", p.Line, p.Text)})
	}
}

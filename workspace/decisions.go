package workspace

import (
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"wf/api"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/workspace/history"
)

// decisionOf is the decision that a record tells of.
func decisionOf(rec history.Record) api.DecisionMade {
	d := api.DecisionMade{Approved: rec.OK, By: rec.Cause, SystemUser: rec.User, Time: rec.Time, Comment: rec.Message,
		TimedOut: rec.Type == history.RecordAnswer}
	if d.By == "" {
		d.By = rec.User
	}
	if values, err := decodeValues(rec.Outputs); err == nil {
		d.Values = maskValues(values)
	}
	return d
}

// maskValues hides the values whose names say that they are secret. The command gets them as they are.
func maskValues(values map[string]any) map[string]any {
	if len(values) == 0 {
		return nil
	}
	shown := make(map[string]any, len(values))
	for name, value := range values {
		if secretName.MatchString(name) {
			value = masked
		}
		shown[name] = value
	}
	return shown
}

// noteDecision keeps a decision for those who ask why.
func (r *runState) noteDecision(i int, d api.DecisionMade) {
	if r.decisions == nil {
		r.decisions = map[int][]api.DecisionMade{}
	}
	r.decisions[i] = append(r.decisions[i], d)
}

// answered records that the time for an answer was over, and which default counts.
func (r *run) answered(w *Workspace, ef scheduler.Effect) {
	r.commit(w, history.Record{Type: history.RecordAnswer, Time: r.at, Node: ef.Node, ID: r.nodes[ef.Node].id, OK: ef.OK})
}

// decisionsOf lists the decisions of a run of the past, in order.
func decisionsOf(req history.Request, records []history.Record) []api.NodeDecision {
	var list []api.NodeDecision
	for _, rec := range records {
		d := api.NodeDecision{Node: rec.ID, Name: rec.ID, DecisionMade: decisionOf(rec)}
		if rec.Node < len(req.Names) && req.Scope[rec.Node] == rec.ID {
			d.Name = req.Names[rec.Node]
		}
		list = append(list, d)
	}
	return list
}

// decisionSentence says who decided what: `It was approved by bob (system user alice) at 14:02: "LGTM", window=14:00.`
func decisionSentence(d api.DecisionMade) string {
	verb := "rejected"
	if d.Approved {
		verb = "approved"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "It was %s by %s at %s", verb, d.Who(), d.Time.Local().Format(time.DateTime))
	sep := ": "
	if d.Comment != "" {
		b.WriteString(sep + `"` + d.Comment + `"`)
		sep = ", "
	}
	if len(d.Values) > 0 {
		b.WriteString(sep + assignmentsText(d.Values))
	}
	return b.String() + "."
}

// explainRecord adds who decided about a node, and what its latest execution got.
func (r *runState) explainRecord(why *api.Why, i int, rec *nodeRecord) {
	why.Decisions, why.Inputs = r.decisions[i], rec.inputs
	for _, d := range why.Decisions {
		why.Text = append(why.Text, decisionSentence(d))
	}
	if s := inputSentence(rec.inputs); s != "" {
		why.Text = append(why.Text, s)
	}
}

// assignmentsText is values as people write them: "window=14:00, who=bob".
func assignmentsText(values map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, name+"="+expression.Format(values[name]))
	}
	return strings.Join(parts, ", ")
}

// systemUser is the system's name of the user that this daemon belongs to, and with it everybody who may
// ask it: the doors let nobody else in (docs/security.md).
var systemUser = sync.OnceValue(func() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
})

package runstate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/scheduler/expression"
	"wf/workspace/history"
	"wf/workspace/params"
)

// DecisionOf returns the decision that a record contains.
func DecisionOf(rec history.Record) api.DecisionMade {
	d := api.DecisionMade{Approved: rec.OK, By: rec.Cause, SystemUser: rec.User, Time: rec.Time, Comment: rec.Message,
		TimedOut: rec.Type == history.RecordAnswer}
	if d.By == "" {
		d.By = rec.User
	}
	if values, err := params.Decode(rec.Outputs); err == nil {
		d.Values = maskValues(values)
	}
	return d
}

// maskValues hides values whose names suggest that they are secret. The command still gets them.
func maskValues(values map[string]any) map[string]any {
	if len(values) == 0 {
		return nil
	}
	shown := make(map[string]any, len(values))
	for name, value := range values {
		if secretName.Get().MatchString(name) {
			value = masked
		}
		shown[name] = value
	}
	return shown
}

// noteDecision stores a decision for explanations.
func (r *State) noteDecision(i int, d api.DecisionMade) {
	if r.decisions == nil {
		r.decisions = map[int][]api.DecisionMade{}
	}
	r.decisions[i] = append(r.decisions[i], d)
}

// decisionSentence describes a decision, as in `It was approved by bob (system user alice) at 14:02: "LGTM", window=14:00.`
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

// explainRecord adds the decision about a node and the inputs of its latest execution.
func (r Explainer) explainRecord(why *api.Why, i int, rec *Execution) {
	why.Decisions, why.Inputs = r.decisions[i], rec.inputs
	for _, d := range why.Decisions {
		why.Text = append(why.Text, decisionSentence(d))
	}
	if s := inputSentence(rec.inputs); s != "" {
		why.Text = append(why.Text, s)
	}
	if rec.inputs != nil && rec.inputs.Because != "" {
		why.Text = append(why.Text, "It was not up to date: "+rec.inputs.Because+".")
	}
	if s := rec.engineSentence(); s != "" {
		why.Text = append(why.Text, s)
	}
}

// assignmentsText formats values as people write them: "window=14:00, who=bob".
func assignmentsText(values map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, name+"="+expression.Format(values[name]))
	}
	return strings.Join(parts, ", ")
}

package runstate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/params"
)

// WaitOf describes what a node waits for, or returns nil if it waits for nothing.
func (r *State) WaitOf(i int, kind scheduler.WaitKind, until int64, text string) *api.Wait {
	wait := &api.Wait{Text: text}
	switch kind {
	case scheduler.WaitTime:
		wait.Kind = api.WaitTime
	case scheduler.WaitApproval:
		wait.Kind = api.WaitApproval
	case scheduler.WaitRetry:
		wait.Kind = api.WaitRetry
	default:
		return nil
	}
	if until > 0 {
		wait.Until = new(time.Unix(0, until).UTC())
	}
	if wait.Kind == api.WaitApproval && until > 0 {
		wait.Default = r.Question(i).answerByDefault()
	}
	return wait
}

// Approvals lists the nodes of the run that wait for a person, by path.
func (r *State) Approvals() []api.Approval {
	var list []api.Approval
	for i := range r.Since {
		if kind, _, _ := r.Sched.Waits(i); kind == scheduler.WaitApproval {
			list = append(list, r.Question(i).Describe())
		}
	}
	slices.SortFunc(list, func(a, b api.Approval) int { return strings.Compare(a.Node, b.Node) })
	return list
}

// Question returns the question of a node that waits for a person.
func (r *State) Question(node int) Question { return Question{r, node} }

// A Question is the question of a node that waits for a person.
type Question struct {
	*State
	node int
}

func (q Question) Describe() api.Approval {
	_, until, text := q.Sched.Waits(q.node)
	n := &q.Nodes[q.node]
	a := api.Approval{Run: q.ID, Node: n.ID, Name: n.Name, Text: text, Since: q.Since[q.node], Workfile: q.Request.Workfile}
	if until > 0 {
		a.Until, a.Default = new(time.Unix(0, until).UTC()), q.answerByDefault()
	}
	choices, open := q.Sched.Choices(q.node)
	for _, c := range choices {
		a.Choices = append(a.Choices, api.ApprovalChoice{Case: c.Case, Leads: q.names(c.Nodes)})
	}
	a.Open = open && len(choices) > 0
	// Without a case all nodes after this one would be skipped, unless its command chooses one.
	a.NeedsCase = len(choices) > 0 && !open && strings.TrimSpace(n.Command) == ""
	c := params.Check{Params: q.Sched.Fields(q.node)}
	for k := range c.Params {
		choices, _ := c.Offered(k)
		a.Fields = append(a.Fields, c.Param(k, choices))
	}
	a.Before = q.outputsBefore()
	return a
}

// mostBefore bounds the number of nodes whose outputs a question shows.
const mostBefore = 8

// outputsBefore returns the outputs of the nodes that activated the node.
func (q Question) outputsBefore() (list []api.NodeOutputs) {
	for _, e := range q.Sched.Explain(q.node).Cause.Edges {
		source, _ := q.Sched.EdgeEnds(e)
		if outputs := q.KnownOutputs(source); len(outputs) > 0 && len(list) < mostBefore {
			list = append(list, api.NodeOutputs{Schema: api.SchemaOutputs, Run: q.ID, Node: q.Nodes[source].Name, Outputs: maskValues(outputs)})
		}
	}
	return list
}

// Check compares an answer with the fields that the node declares and the cases that its edges wait for. It converts the
// values of d to their types and adds defaults.
func (q Question) Check(a api.Approval, d *api.Decision) error {
	if !d.Approved {
		return nil // a rejection may contain any values
	}
	if err := q.checkFields(a, d); err != nil {
		return err
	}
	value, given := d.Values["case"]
	return a.CheckCase(expression.Format(value), given)
}

func (q Question) checkFields(a api.Approval, d *api.Decision) error {
	fields := q.Sched.Fields(q.node)
	if fields == nil {
		return nil
	}
	given, err := params.Exact(d.Values)
	if err != nil {
		return api.Invalid("the values: %v", err)
	}
	values, problems := flow.ResolveFields(fields, given)
	if len(problems) == 0 {
		d.Values = values
		return nil
	}
	e := &api.Error{Code: api.CodeInvalid, Message: "the answer about " + a.Name + " is not right", Problems: params.Problems(problems),
		Fix: "wf approve " + a.Name}
	lines := make([]string, len(problems))
	for k, p := range problems {
		lines[k] = p.String()
	}
	for _, f := range fields {
		if f.Required {
			e.Fix += " --set " + f.Name + "=" + strings.ToUpper(f.Type.String())
		}
	}
	if !strings.Contains(e.Fix, "--set") {
		e.Fix += " --set NAME=VALUE"
	}
	e.Why = strings.Join(lines, "\n")
	return e
}

// answerByDefault returns the answer that applies when the time limit has passed.
func (q Question) answerByDefault() string {
	if q.Sched.ApprovesByDefault(q.node) {
		return "approve"
	}
	return "reject"
}

// rememberDecision stores the answer for a repeated request.
func (r *State) rememberDecision(key string, a api.Approval) {
	if key == "" {
		return
	}
	if r.Requests == nil {
		r.Requests = map[string]api.Approval{}
	}
	r.Requests[key] = a
}

// decided returns the event that the record of a decision represents.
func decided(rec history.Record, outputs map[string]any) scheduler.Event {
	message := rec.Message
	if by := cmp.Or(rec.Cause, rec.User); !rec.OK && by != "" {
		message = strings.TrimSuffix("rejected by "+by+": "+rec.Message, ": ")
	}
	return scheduler.Event{Kind: scheduler.Decided, Node: rec.Node, OK: rec.OK, At: rec.Time.UnixNano(), Outputs: outputs, Message: message}
}

// WaitingState returns the state of a queued node that waits for something other than a slot; "" for other nodes.
func (r *State) WaitingState(i int) (api.State, *api.Wait) {
	if r.Sched.Status(i) != graph.Queued {
		return "", nil
	}
	kind, until, text := r.Sched.Waits(i)
	wait := r.WaitOf(i, kind, until, text)
	if wait == nil && r.Active != nil {
		if wait = r.Active.PreparationWait(i); wait == nil {
			wait = r.Active.PoolWait(i)
		}
	}
	switch {
	case wait == nil:
		return "", nil
	case wait.Kind == api.WaitRetry:
		return api.StateRetrying, wait
	}
	return api.StateWaiting, wait
}

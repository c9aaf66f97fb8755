package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/clock"
	"wf/workspace/history"
	"wf/workspace/params"
)

// longestNap bounds a timer, because the wall clock may be set while it runs. A run that waits for no moment has no timer.
const longestNap = time.Minute

// setTimer wakes the run at a moment in nanoseconds since 1970; 0 stops the timer.
func (r *run) setTimer(w *Workspace, at int64) {
	if r.tick != nil {
		r.tick.Stop()
		r.tick = nil
	}
	if at == 0 {
		return
	}
	nap := min(max(time.Unix(0, at).Sub(clock.Now()), 0), longestNap)
	r.tick = time.AfterFunc(nap, func() { w.send(call(r.ring)) })
}

// ring records that the moment has come that the run waits for, or sets the timer again.
func (r *run) ring(w *Workspace) {
	at := r.sched.NextTick()
	if at == 0 || r.phase != going {
		return
	}
	t := clock.Now()
	if t.UnixNano() < at {
		r.setTimer(w, at)
		return
	}
	r.commit(w, history.Record{Type: history.RecordTick, Time: t, Node: history.NoNode})
}

// announceWait publishes what a node waits for.
func (r *run) announceWait(w *Workspace, ef scheduler.Effect) {
	if ef.Wait == scheduler.WaitNone {
		return
	}
	n := &r.nodes[ef.Node]
	w.publish(api.Event{Type: api.NodeWaiting, Run: r.id, Client: r.req.Client, Node: n.id, Name: n.name,
		Wait: r.waitOf(ef.Node, ef.Wait, ef.At, ef.Message)})
}

// waitOf describes what a node waits for; nil for nothing.
func (r *runState) waitOf(i int, kind scheduler.WaitKind, until int64, text string) *api.Wait {
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
		wait.Default = question{r, i}.answerByDefault()
	}
	return wait
}

// Approvals lists the nodes that wait for a person, those that have waited longest first.
func (w *Workspace) Approvals(ctx context.Context) (api.ApprovalList, error) {
	return ask(ctx, w, func(w *Workspace) (api.ApprovalList, error) {
		list := api.ApprovalList{Schema: api.SchemaApprovals, Approvals: []api.Approval{}}
		for _, r := range w.runs {
			list.Approvals = append(list.Approvals, r.approvals()...)
		}
		slices.SortStableFunc(list.Approvals, func(a, b api.Approval) int { return a.Since.Compare(b.Since) })
		return list, nil
	})
}

// approvals lists the nodes of the run that wait for a person, by path.
func (r *runState) approvals() []api.Approval {
	var list []api.Approval
	for i := range r.since {
		if kind, _, _ := r.sched.Waits(i); kind == scheduler.WaitApproval {
			list = append(list, question{r, i}.describe())
		}
	}
	slices.SortFunc(list, func(a, b api.Approval) int { return strings.Compare(a.Node, b.Node) })
	return list
}

// A question is what a node that waits for a person asks.
type question struct {
	*runState
	node int
}

func (q question) describe() api.Approval {
	_, until, text := q.sched.Waits(q.node)
	n := &q.nodes[q.node]
	a := api.Approval{Run: q.id, Node: n.id, Name: n.name, Text: text, Since: q.since[q.node], Workfile: q.req.Workfile}
	if until > 0 {
		a.Until, a.Default = new(time.Unix(0, until).UTC()), q.answerByDefault()
	}
	choices, open := q.sched.Choices(q.node)
	for _, c := range choices {
		a.Choices = append(a.Choices, api.ApprovalChoice{Case: c.Case, Leads: q.names(c.Nodes)})
	}
	a.Open = open && len(choices) > 0
	c := params.Check{Params: q.sched.Fields(q.node)}
	for k := range c.Params {
		choices, _ := c.Offered(k)
		a.Fields = append(a.Fields, c.Param(k, choices))
	}
	a.Before = q.outputsBefore()
	return a
}

// mostBefore is how many nodes a question shows the outputs of, at most.
const mostBefore = 8

// outputsBefore returns the outputs of the nodes that activated the node.
func (q question) outputsBefore() (list []api.NodeOutputs) {
	for _, e := range q.sched.Explain(q.node).Cause.Edges {
		source, _ := q.sched.EdgeEnds(e)
		if outputs := q.knownOutputs(source); len(outputs) > 0 && len(list) < mostBefore {
			list = append(list, api.NodeOutputs{Schema: api.SchemaOutputs, Run: q.id, Node: q.nodes[source].name, Outputs: maskValues(outputs)})
		}
	}
	return list
}

// check holds an answer against the fields that the node declares and the cases that its edges wait for. It gives the
// values of d their types and defaults.
func (q question) check(a api.Approval, d *api.Decision) error {
	if !d.Approved {
		return nil // a rejection may carry any values
	}
	if err := q.checkFields(a, d); err != nil {
		return err
	}
	return q.checkChoice(a, *d)
}

func (q question) checkFields(a api.Approval, d *api.Decision) error {
	fields := q.sched.Fields(q.node)
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

// checkChoice refuses a case that no edge waits for, and no case where only the answer can give one: everything behind
// the node would be skipped.
func (q question) checkChoice(a api.Approval, d api.Decision) error {
	if len(a.Choices) == 0 || a.Open {
		return nil
	}
	var cases []string
	for _, c := range a.Choices {
		cases = append(cases, c.Case)
	}
	value, given := d.Values["case"]
	switch {
	case given && slices.Contains(cases, expression.Format(value)):
		return nil
	case given:
		return api.Invalid("%s: no edge waits for the case %q: it is one of %s", a.Name, expression.Format(value), api.Several(cases, 8))
	case strings.TrimSpace(q.nodes[q.node].label) != "":
		return nil // its command may choose
	}
	return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("%s needs a choice: one of %s", a.Name, api.Several(cases, 8)),
		Fix: "wf approve --set case=" + cases[0] + " " + a.Name}
}

// answerByDefault returns the answer that counts when the time for one is over.
func (q question) answerByDefault() string {
	if q.sched.ApprovesByDefault(q.node) {
		return "approve"
	}
	return "reject"
}

// Decide records a person's decision about a node that waits for one. It returns when the disk has the record.
func (w *Workspace) Decide(ctx context.Context, client string, d api.Decision) (api.Approval, error) {
	return await(ctx, w, func(w *Workspace, reply func(api.Approval, error)) {
		if a, made := w.decidedBefore(d); made {
			reply(a, nil)
			return
		}
		r, i, err := w.awaited(d)
		if err != nil {
			reply(api.Approval{}, err)
			return
		}
		q := question{&r.runState, i}
		a := q.describe()
		if err := q.check(a, &d); err != nil {
			reply(a, err)
			return
		}
		if err := r.decide(w, i, client, d); err != nil {
			reply(a, err)
			return
		}
		if !r.syncJournal(w) {
			reply(a, api.Internal("the decision is made, but cannot be kept at present", fmt.Errorf("%s", r.holds.why())))
			return
		}
		reply(a, nil)
	})
}

// awaited finds the node that a decision is about.
func (w *Workspace) awaited(d api.Decision) (*run, int, error) {
	type place struct {
		r *run
		i int
	}
	var found []place
	var waiting []string
	path := w.numbered(d.Node)
	for _, r := range w.runs {
		if d.Run != "" && d.Run != r.id {
			continue
		}
		for _, a := range r.approvals() {
			waiting = append(waiting, a.Name)
			if a.Node == d.Node || a.Node == path || a.Name == d.Node {
				i, _ := r.sched.Index(a.Node)
				found = append(found, place{r, i})
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0].r, found[0].i, nil
	case len(found) > 1:
		return nil, 0, api.Invalid("%s waits in %d runs: say which with --run", d.Node, len(found))
	}
	e := &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf("%s does not wait for a person", d.Node), Fix: "wf approvals lists what does"}
	if len(waiting) > 0 {
		e.Why = "waiting: " + api.Several(waiting, 5)
	}
	return nil, 0, e
}

// decide records a decision and continues the run.
func (r *run) decide(w *Workspace, i int, client string, d api.Decision) error {
	values, err := json.Marshal(d.Values)
	if err != nil {
		return api.Invalid("the values: %v", err)
	}
	if _, err := params.Decode(values); err != nil {
		return api.Invalid("the values: %v", err)
	}
	rec := history.Record{Type: history.RecordDecide, Node: i, ID: r.nodes[i].id, OK: d.Approved,
		Message: d.Comment, Cause: d.User, User: systemUser(), Client: client, Key: d.Key}
	if len(d.Values) > 0 {
		rec.Outputs = values
	}
	r.commit(w, rec)
	return nil
}

// rememberDecision keeps the answer for a request that is repeated.
func (r *runState) rememberDecision(key string, a api.Approval) {
	if key == "" {
		return
	}
	if r.requests == nil {
		r.requests = map[string]api.Approval{}
	}
	r.requests[key] = a
}

// decided returns the event that the record of a decision stands for.
func decided(rec history.Record, outputs map[string]any) scheduler.Event {
	message := rec.Message
	if by := cmp.Or(rec.Cause, rec.User); !rec.OK && by != "" {
		message = strings.TrimSuffix("rejected by "+by+": "+rec.Message, ": ")
	}
	return scheduler.Event{Kind: scheduler.Decided, Node: rec.Node, OK: rec.OK, At: rec.Time.UnixNano(), Outputs: outputs, Message: message}
}

// poolsWait describes what a node of an active run waits for in the line of a pool; nil for none.
func (r *runState) poolsWait(i int) *api.Wait {
	if r.active == nil {
		return nil
	}
	return r.active.poolWait(i)
}

// waitingState returns the state of a queued node that waits for something other than a slot; "" for others.
func (r *runState) waitingState(i int) (api.State, *api.Wait) {
	if r.sched.Status(i) != graph.Queued {
		return "", nil
	}
	kind, until, text := r.sched.Waits(i)
	wait := r.waitOf(i, kind, until, text)
	if wait == nil {
		wait = r.poolsWait(i)
	}
	switch {
	case wait == nil:
		return "", nil
	case wait.Kind == api.WaitRetry:
		return api.StateRetrying, wait
	}
	return api.StateWaiting, wait
}

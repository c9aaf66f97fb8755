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
	"wf/workspace/history"
)

// longestNap bounds how long a run sleeps for a moment: the clock of the machine may be set, and it does
// not tell. It is no tick: a run that waits for no moment does not wake up.
const longestNap = time.Minute

// setTimer wakes the run at a moment; 0 = no more.
func (r *run) setTimer(w *Workspace, at int64) {
	if r.tick != nil {
		r.tick.Stop()
		r.tick = nil
	}
	if at == 0 {
		return
	}
	nap := min(max(time.Unix(0, at).Sub(now()), 0), longestNap)
	r.tick = time.AfterFunc(nap, func() { w.send(call(r.ring)) })
}

// ring is what a run does when its timer rings: the moment has come, or it sleeps on.
func (r *run) ring(w *Workspace) {
	at := r.sched.NextTick()
	if at == 0 || r.phase != going {
		return
	}
	t := now()
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
	w.publish(api.Event{Type: api.NodeWaiting, Run: r.id, Client: r.client, Node: n.id, Name: n.name,
		Wait: r.waitOf(ef.Node, ef.Wait, ef.At, ef.Message)})
}

// waitOf describes a wait of a node; nil for none.
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
		wait.Until = ptr(time.Unix(0, until).UTC())
	}
	if wait.Kind == api.WaitApproval && until > 0 {
		wait.Default = r.answerByDefault(i)
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

func (r *runState) approvals() []api.Approval {
	var list []api.Approval
	for i := range r.since {
		if kind, _, _ := r.sched.Waits(i); kind == scheduler.WaitApproval {
			list = append(list, r.approval(i))
		}
	}
	slices.SortFunc(list, func(a, b api.Approval) int { return strings.Compare(a.Node, b.Node) })
	return list
}

func (r *runState) approval(i int) api.Approval {
	_, until, text := r.sched.Waits(i)
	a := api.Approval{Run: r.id, Node: r.nodes[i].id, Name: r.nodes[i].name, Text: text, Since: r.since[i], Workfile: r.req.Workfile}
	if until > 0 {
		a.Until, a.Default = ptr(time.Unix(0, until).UTC()), r.answerByDefault(i)
	}
	choices, open := r.sched.Choices(i)
	for _, c := range choices {
		a.Choices = append(a.Choices, api.ApprovalChoice{Case: c.Case, Leads: r.names(c.Nodes)})
	}
	a.Open = open && len(choices) > 0
	c := paramCheck{params: r.sched.Fields(i)}
	for k := range c.params {
		choices, _ := c.offered(k)
		a.Fields = append(a.Fields, c.param(k, choices))
	}
	a.Before = r.outputsBefore(i)
	return a
}

// mostBefore bounds how many nodes a question tells outputs of.
const mostBefore = 8

// outputsBefore is what the nodes have put out that activated a node.
func (r *runState) outputsBefore(i int) (list []api.NodeOutputs) {
	for _, e := range r.sched.Explain(i).Cause.Edges {
		source, _ := r.sched.EdgeEnds(e)
		if outputs := r.knownOutputs(source); len(outputs) > 0 && len(list) < mostBefore {
			list = append(list, api.NodeOutputs{Schema: api.SchemaOutputs, Run: r.id, Node: r.nodes[source].name, Outputs: maskValues(outputs)})
		}
	}
	return list
}

// checkFields holds the values of an answer against the fields that the node declares, and gives them their
// types and defaults. A rejection gives what it likes.
func (r *runState) checkFields(i int, a api.Approval, d *api.Decision) error {
	fields := r.sched.Fields(i)
	if !d.Approved || fields == nil {
		return nil
	}
	given, err := exactValues(d.Values)
	if err != nil {
		return invalid("the values: %v", err)
	}
	values, problems := flow.ResolveFields(fields, given)
	if len(problems) == 0 {
		d.Values = values
		return nil
	}
	e := &api.Error{Code: api.CodeInvalid, Message: "the answer about " + a.Name + " is not right", Problems: paramProblems(problems),
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

// checkChoice refuses an answer that leads nowhere: a case that no edge waits for, or none where only an
// answer can give one. Everything behind the node would be skipped.
func (r *runState) checkChoice(i int, d api.Decision) error {
	a := r.approval(i)
	if !d.Approved || len(a.Choices) == 0 || a.Open {
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
		return invalid("%s: no edge waits for the case %q: it is one of %s", a.Name, expression.Format(value), some(cases, 8))
	case strings.TrimSpace(r.nodes[i].label) != "":
		return nil // its command may choose
	}
	return &api.Error{Code: api.CodeInvalid, Message: fmt.Sprintf("%s needs a choice: one of %s", a.Name, some(cases, 8)),
		Fix: "wf approve --set case=" + cases[0] + " " + a.Name}
}

// answerByDefault is what counts when the time for an answer is over.
func (r *runState) answerByDefault(i int) string {
	if r.sched.ApprovesByDefault(i) {
		return "approve"
	}
	return "reject"
}

// Decide says what a person has decided about a node that waits for that. It returns when the decision
// is in the journal, and that on the disk.
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
		a := r.approval(i)
		err = r.checkFields(i, a, &d)
		if err == nil {
			err = r.checkChoice(i, d)
		}
		if err != nil {
			reply(a, err)
			return
		}
		if err := r.decide(w, i, client, d); err != nil {
			reply(a, err)
			return
		}
		if !r.syncJournal(w) {
			reply(a, internal("the decision is made, but cannot be kept at present", fmt.Errorf("%s", r.holds.why())))
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
		return nil, 0, invalid("%s waits in %d runs: say which with --run", d.Node, len(found))
	}
	e := &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf("%s does not wait for a person", d.Node), Fix: "wf approvals lists what does"}
	if len(waiting) > 0 {
		e.Why = "waiting: " + some(waiting, 5)
	}
	return nil, 0, e
}

// decide records a decision and goes on.
func (r *run) decide(w *Workspace, i int, client string, d api.Decision) error {
	values, err := json.Marshal(d.Values)
	if err != nil {
		return invalid("the values: %v", err)
	}
	if _, err := decodeValues(values); err != nil {
		return invalid("the values: %v", err)
	}
	rec := history.Record{Type: history.RecordDecide, Node: i, ID: r.nodes[i].id, OK: d.Approved,
		Message: d.Comment, Cause: d.User, User: systemUser(), Client: client, Key: d.Key}
	if len(d.Values) > 0 {
		rec.Outputs = values
	}
	r.commit(w, rec)
	return nil
}

// rememberDecision keeps a decision for a request that comes again.
func (r *runState) rememberDecision(key string, a api.Approval) {
	if key == "" {
		return
	}
	if r.requests == nil {
		r.requests = map[string]api.Approval{}
	}
	r.requests[key] = a
}

// decided is the event that a record of a decision stands for.
func decided(rec history.Record, outputs map[string]any) scheduler.Event {
	message := rec.Message
	if by := cmp.Or(rec.Cause, rec.User); !rec.OK && by != "" {
		message = strings.TrimSuffix("rejected by "+by+": "+rec.Message, ": ")
	}
	return scheduler.Event{Kind: scheduler.Decided, Node: rec.Node, OK: rec.OK, At: rec.Time.UnixNano(), Outputs: outputs, Message: message}
}

// decodeValues reads a JSON object as expressions have it; nil for none.
func decodeValues(data []byte) (map[string]any, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var values expression.Values
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	return values, nil
}

// exactValues are values of a request as expressions have them: a client sends numbers as they are written.
func exactValues(values map[string]any) (map[string]any, error) {
	if len(values) == 0 {
		return values, nil
	}
	data, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	return decodeValues(data)
}

// poolsWait is what a node of an active run waits for in a line of a pool; nil for none.
func (r *runState) poolsWait(i int) *api.Wait {
	if r.active == nil {
		return nil
	}
	return r.active.poolWait(i)
}

// waitingState is what people see of a queued node that waits.
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

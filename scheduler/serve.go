package scheduler

import (
	"fmt"
	"slices"
	"strings"

	"wf/graph"
	"wf/graph/timespan"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// rare is what a node has beyond its counters: what it waits for, how it ended, what it repeats.
type extras struct {
	wait      WaitKind
	until     int64  // of wait; 0 = never
	fixed     bool   // until is a moment that the workfile names, not a time from when the wait began
	text      string // what a person is asked
	attempt   int    // repetitions of the present activation
	expired   bool   // it was asked to end because its time was up
	cancelled bool   // it was asked to end: a sub-flow whose command has given items all the same begins nothing
	loser     bool   // it was asked to end because only a join needed it that is decided
	overLimit bool   // it has failed for one activation too many
	joined    bool   // this round of its join is decided, and waits for the last marks
	limited   bool   // the time of its join is running
	over      bool   // last is of an activation that is over
	due       bool   // an activation was taken back, or not begun, because the run or its sub-flow ends
	last      outcome
	granted   map[string]any // the values of the approval of the present activation
	env       []string       // for the present execution
	timerGens [timerKinds]int32
	sub       *subflowState
}

// begin forgets what belongs to an earlier activation.
func (x *extras) reset() {
	x.attempt, x.expired, x.loser, x.due, x.cancelled, x.granted, x.env = 0, false, false, false, false, nil, nil
}

func (st *state) makeExtras(i int32) *extras {
	if st.extra[i] == nil {
		st.extra[i] = &extras{}
	}
	return st.extra[i]
}

// rareAt is what a node has of it, nil if that is nothing.
func (st *state) extrasOf(i int32) *extras {
	if st.extra == nil {
		return nil
	}
	return st.extra[i]
}

func (st *state) rulesOf(i int32) *flow.Rules {
	inst := st.instanceOf(i)
	if inst.lay.rules == nil {
		return nil
	}
	return inst.lay.rules[i-inst.node]
}

// subOf is the layout of a sub-flow, nil for a command.
func (st *state) subOf(i int32) *layout {
	inst := st.instanceOf(i)
	if inst.lay.subs == nil {
		return nil
	}
	return inst.lay.subs[i-inst.node]
}

// stage is how far the present activation of a node has come.
type stage uint8

const (
	stageMock stage = iota
	stageWait
	stageApprove
	stageExecute
)

// advance takes an activation from a stage on as far as it gets without waiting.
func (a activity) advance(at stage) {
	if a.holdsRepeated(a.node) {
		a.subflow(a.node).recallItems()
		a.todo.ready = append(a.todo.ready, a.node)
		return
	}
	if at <= stageMock && a.mock() {
		return
	}
	rules := a.rulesOf(a.node)
	if rules != nil {
		if at <= stageWait && a.delay(rules) || at <= stageApprove && a.ask(rules) {
			return
		}
	}
	if a.subOf(a.node) != nil {
		a.subflow(a.node).recallItems()
		if rules.Sub.Command == "" || a.hasItems(a.node) {
			a.todo.ready = append(a.todo.ready, a.node)
			return
		}
	}
	if sure, err := a.evaluateText(a.instanceNo(a.node), false, func() error { return a.prepareVariables(a.node, rules) }); err != nil && sure {
		a.endLater(outcome{reason: ReasonExpression, message: err.Error()})
		return
	}
	a.execute()
}

// isMocked says whether a node would not be executed.
func (st *state) isMocked(i int32) bool {
	_, mocked := st.mockOf(i)
	return mocked
}

// mock ends an activation without executing it, if that was asked for.
func (a activity) mock() bool {
	m, mocked := a.mockOf(a.node)
	if !mocked {
		return false
	}
	out := outcome{ok: m.Exit == 0, exit: m.Exit, hasExit: true, outputs: m.Outputs, mocked: true}
	if !out.ok {
		out.reason = ReasonExit
	}
	a.endLater(out)
	return true
}

func (st *state) mockOf(i int32) (m Mock, mocked bool) {
	if len(st.opt.Mocks) == 0 {
		return m, false
	}
	inst := st.instanceOf(i)
	if m, mocked = st.opt.Mocks[st.Path(int(i))]; !mocked {
		m, mocked = st.opt.Mocks[inst.lay.ids[i-inst.node]]
	}
	if !mocked {
		m, mocked = st.mockOfAll(i)
	}
	return m, mocked
}

// mockOfAll finds the mock of a path in which [*] stands for every instance.
func (st *state) mockOfAll(i int32) (Mock, bool) {
	if len(st.patterns) == 0 || st.instanceNo(i) == 0 {
		return Mock{}, false
	}
	path := strings.Split(st.name(i), "/")
	for _, pattern := range st.patterns {
		parts := strings.Split(pattern, "/")
		if slices.EqualFunc(parts, path, matchesPart) {
			return st.opt.Mocks[pattern], true
		}
	}
	return Mock{}, false
}

// matchesPart says whether a part of a pattern, like align[*], stands for a part of a path.
func matchesPart(pattern, part string) bool {
	every, ok := strings.CutSuffix(pattern, "[*]")
	if !ok {
		return pattern == part
	}
	open := strings.LastIndexByte(part, '[')
	return open >= 0 && part[:open] == every
}

// delay lets an activation wait for its time. It returns true if it does not go on now.
func (a activity) delay(rules *flow.Rules) bool {
	if rules.Wait == nil && rules.WaitUntil == nil {
		return false
	}
	until := int64(0)
	sure, err := a.evaluateText(a.instanceNo(a.node), false, func() (err error) {
		until, err = a.waitsUntil(rules)
		return err
	})
	if err != nil && sure {
		a.endLater(outcome{reason: ReasonExpression, message: err.Error()})
		return true
	}
	if until <= a.now || a.dry != nil {
		return false
	}
	a.waitFor(WaitTime, until, "")
	a.extrasOf(a.node).fixed = rules.Wait == nil
	return true
}

func (a activity) waitsUntil(rules *flow.Rules) (int64, error) {
	if rules.Wait != nil {
		text, err := rules.Wait.Render(a.env(a.node))
		if err != nil {
			return 0, err
		}
		d, err := timespan.Parse(text)
		if err != nil {
			return 0, fmt.Errorf("wait: %w", err)
		}
		return a.now + int64(d), nil
	}
	text, err := rules.WaitUntil.Render(a.env(a.node))
	if err != nil {
		return 0, err
	}
	t, err := flow.ParseTime(text)
	if err != nil {
		return 0, fmt.Errorf("wait_until: %w", err)
	}
	return t.UnixNano(), nil
}

// ask lets an activation wait for a person. It returns true if it does not go on now.
func (a activity) ask(rules *flow.Rules) bool {
	if rules.Approve == nil {
		return false
	}
	text := ""
	sure, err := a.evaluateText(a.instanceNo(a.node), false, func() (err error) {
		text, err = rules.Approve.Render(a.env(a.node))
		return err
	})
	if err != nil && sure {
		a.endLater(outcome{reason: ReasonExpression, message: err.Error()})
		return true
	}
	until := int64(0)
	if rules.ApproveTimeout > 0 {
		until = a.now + int64(rules.ApproveTimeout)
	}
	a.waitFor(WaitApproval, until, text)
	return true
}

// personDecided serves Decided. A decision about a node that does not wait for one is a bug of the
// caller, which looks at Waits before.
func (r *Run) approvalDecided(ev *Event) {
	i := int32(ev.Node)
	if x := r.extrasOf(i); x == nil || x.wait != WaitApproval {
		panic("internal error: scheduler: a decision about node " + r.Path(ev.Node) + ", which waits for none")
	}
	r.activity(i).answer(ev.OK, ev.Outputs, ev.Message)
}

func (a activity) answer(ok bool, values map[string]any, message string) {
	x := a.extrasOf(a.node)
	a.stopWaiting()
	if !ok {
		a.endLater(outcome{reason: ReasonRejected, message: message, outputs: values})
		return
	}
	x.granted = values
	if x.granted == nil {
		x.granted = map[string]any{}
	}
	a.advance(stageExecute)
}

// repeatable says whether a failure is not final: the activation has another attempt.
func (a activity) repeatable(out outcome) bool {
	rules := a.rulesOf(a.node)
	if rules == nil || rules.Retry == nil || out.mocked {
		return false
	}
	return a.makeExtras(a.node).attempt < rules.Retry.Limit && retries(rules.Retry, out)
}

// repeat lets a node wait for its next attempt. When the run or its sub-flow ends, that is for a resume to
// do: no edge fires for a failure that is not final.
func (a activity) repeat(out outcome) {
	x, again := a.makeExtras(a.node), a.rulesOf(a.node).Retry
	if a.halted || a.instanceOf(a.node).cut {
		a.saveOutcome(a.node, out)
		x.due, a.nodes[a.node].decided = true, false
		a.setFailed(out.reason, out.message, false)
		return
	}
	pause := float64(again.Delay)
	for range x.attempt {
		if pause *= again.Backoff; pause > float64(longestPause) {
			pause = float64(longestPause)
			break
		}
	}
	if again.MaxDelay > 0 {
		pause = min(pause, float64(again.MaxDelay))
	}
	x.attempt++
	x.expired = false
	a.saveOutcome(a.node, out)
	a.setStatus(graph.Queued, "")
	a.subflow(a.node).keepItems()
	if pause < 1 {
		a.advance(stageExecute)
		return
	}
	a.waitFor(WaitRetry, a.now+int64(pause), "")
}

// longestPause bounds how far delays can grow: 100 years.
const longestPause = 100 * 365 * 24 * 3600 * 1_000_000_000

// repeats says whether a failure is one of those that are repeated.
func retries(again *flow.Retry, out outcome) bool {
	switch out.reason {
	case ReasonCancelled, ReasonLost, ReasonRejected, ReasonLimit:
		return false
	case ReasonTimeout:
		return again.Any() || again.On.Timeout
	case ReasonSignal:
		return again.Any() || again.On.Signal
	}
	return again.Any() || out.hasExit && again.On.Exit.Has(out.exit)
}

// waitFor lets a queued node wait.
func (a activity) waitFor(kind WaitKind, until int64, text string) {
	x := a.makeExtras(a.node)
	x.wait, x.until, x.text, x.fixed = kind, until, text, false
	if until > 0 {
		a.addTimer(a.node, timeWait, until)
	}
	a.emit(Effect{Kind: Waiting, Node: int(a.node), Wait: kind, At: until, Message: text})
}

// stopWaiting ends a wait, whatever the node does next.
func (a activity) stopWaiting() {
	x := a.extrasOf(a.node)
	if x == nil || x.wait == WaitNone {
		return
	}
	x.wait, x.until, x.text = WaitNone, 0, ""
	a.dropTimer(a.node, timeWait)
	a.emit(Effect{Kind: Waiting, Node: int(a.node), Wait: WaitNone})
}

func (st *state) waiting(i int32) bool {
	x := st.extrasOf(i)
	return x != nil && x.wait != WaitNone
}

// waitOver goes on with a node whose moment has come.
func (a activity) waitOver() {
	switch x := a.extrasOf(a.node); x.wait {
	case WaitTime:
		a.stopWaiting()
		a.advance(stageApprove)
	case WaitRetry:
		a.stopWaiting()
		a.advance(stageExecute)
	case WaitApproval:
		yes := a.rulesOf(a.node).ApproveDefault
		message := ""
		if !yes {
			message = "nobody answered in time"
		}
		a.emit(Effect{Kind: Answered, Node: int(a.node), OK: yes})
		var values map[string]any
		if fields := a.rulesOf(a.node).ApproveFields; yes && fields != nil {
			values, _ = flow.ResolveFields(fields, nil) // their defaults: nothing is required, or the flow would be wrong
		}
		a.answer(yes, values, message)
	}
}

// limitTime begins the time that an execution, or a sub-flow, may take.
func (a activity) limitTime() {
	if rules := a.rulesOf(a.node); rules != nil && rules.Timeout > 0 {
		a.addTimer(a.node, timeLimit, a.now+int64(rules.Timeout))
	}
}

// timeUp asks a node to end whose time is up.
func (a activity) timeUp() {
	n := &a.nodes[a.node]
	a.extrasOf(a.node).expired = true
	if n.dispatched {
		a.emit(Effect{Kind: Cancel, Node: int(a.node), Execution: int(n.executions)})
		return
	}
	a.subflow(a.node).cancelAll(ReasonTimeout)
}

// timedOut words the end of an execution that was asked to end because its time was up.
func (a activity) timedOut(out outcome) outcome {
	if x := a.extrasOf(a.node); x != nil && x.expired && !out.ok && out.reason == ReasonCancelled {
		x.expired = false
		out.reason = ReasonTimeout
	}
	return out
}

// keep remembers how a node has ended, for expressions and for a later resume. Most nodes of most runs
// end with exit code 0 and nothing else: their status says so.
func (st *state) saveOutcome(i int32, out outcome) {
	x := st.extrasOf(i)
	if x == nil && out.ok && out.exit == 0 && out.outputs == nil && !out.mocked {
		return
	}
	x = st.makeExtras(i)
	x.last, x.over = out, true
}

func merged(below, above map[string]any) map[string]any {
	all := make(map[string]any, len(below)+len(above))
	for k, v := range below {
		all[k] = v
	}
	for k, v := range above {
		all[k] = v
	}
	return all
}

// furnish finds the environment of an execution.
func (t *texts) prepareVariables(i int32, rules *flow.Rules) error {
	var env []string
	frame := t.instanceNo(i)
	env = t.itemVariables(env, frame)
	if x := t.extrasOf(i); x != nil && x.granted != nil {
		env = appendValues(env, "WF_APPROVAL_", x.granted)
	}
	env, err := t.subFlowVariables(env, frame)
	if err == nil {
		env, err = t.variablesOf(env, i, rules)
	}
	if err != nil {
		return err
	}
	if env != nil || t.extrasOf(i) != nil {
		t.makeExtras(i).env = env
	}
	return nil
}

// subFlowVariables adds the variables of the sub-flows that a frame lies in; what is further in comes later.
func (t *texts) subFlowVariables(env []string, frame int32) ([]string, error) {
	owner := t.instances[frame].owner
	if owner == noNode {
		return env, nil
	}
	env, err := t.subFlowVariables(env, t.instanceNo(owner))
	if err != nil {
		return env, err
	}
	return t.variablesOf(env, owner, t.rulesOf(owner))
}

// variablesOf adds the variables that a node or a sub-flow sets.
func (t *texts) variablesOf(env []string, i int32, rules *flow.Rules) ([]string, error) {
	if rules == nil || len(rules.Env) == 0 {
		return env, nil
	}
	e := t.env(i)
	for _, v := range rules.Env {
		text, err := v.Value.Render(e)
		if err != nil {
			return env, fmt.Errorf("env %s: %w", v.Name, err)
		}
		env = append(env, v.Name+"="+text)
	}
	return env, nil
}

// itemVariables adds what a command in an instance is told of it; what is further in comes later.
func (t *texts) itemVariables(env []string, frame int32) []string {
	inst := &t.instances[frame]
	if inst.owner == noNode {
		return env
	}
	env = t.itemVariables(env, t.instanceNo(inst.owner))
	rules := t.rulesOf(inst.owner)
	if rules.Sub.Kind == flow.While || rules.Sub.Kind == flow.Until {
		return append(env, fmt.Sprintf("WF_ITERATION=%d", inst.number))
	}
	env = append(env, fmt.Sprintf("WF_INDEX=%d", inst.number))
	if rules.Sub.Kind == flow.Foreach {
		env = append(env, "WF_ITEM="+expression.Format(t.item(inst)))
	}
	return env
}

// activity is the present activation of a node.
type activity struct {
	*Run
	node int32
}

func (r *Run) activity(i int32) activity { return activity{r, i} }

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
type rare struct {
	wait      WaitKind
	until     int64  // of wait; 0 = never
	fixed     bool   // until is a moment that the workfile names, not a time from when the wait began
	text      string // what a person is asked
	attempt   int    // repetitions of the present activation
	expired   bool   // it was asked to end because its time was up
	cancelled bool   // it was asked to end: a sub-flow whose command has given items all the same begins nothing
	loser     bool   // it was asked to end because only a join needed it that is decided
	spent     bool   // it has failed for one activation too many
	joined    bool   // this round of its join is decided, and waits for the last marks
	limited   bool   // the time of its join is running
	over      bool   // last is of an activation that is over
	due       bool   // an activation was taken back, or not begun, because the run or its sub-flow ends
	last      outcome
	granted   map[string]any // the values of the approval of the present activation
	env       []string       // for the present execution
	gens      [timerKinds]int32
	sub       *instances
}

// begin forgets what belongs to an earlier activation.
func (x *rare) begin() {
	x.attempt, x.expired, x.loser, x.due, x.cancelled, x.granted, x.env = 0, false, false, false, false, nil, nil
}

func (r *Run) rareOf(i int32) *rare {
	if r.rares[i] == nil {
		r.rares[i] = &rare{}
	}
	return r.rares[i]
}

// rareAt is what a node has of it, nil if that is nothing.
func (r *Run) rareAt(i int32) *rare {
	if r.rares == nil {
		return nil
	}
	return r.rares[i]
}

func (r *Run) rulesOf(i int32) *flow.Rules {
	f := r.frameOf(i)
	if f.lay.rules == nil {
		return nil
	}
	return f.lay.rules[i-f.node]
}

// subOf is the layout of a sub-flow, nil for a command.
func (r *Run) subOf(i int32) *layout {
	f := r.frameOf(i)
	if f.lay.subs == nil {
		return nil
	}
	return f.lay.subs[i-f.node]
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
func (r *Run) advance(i int32, at stage) {
	if r.holdsAgain(i) {
		r.recallItems(i)
		r.works.ready = append(r.works.ready, i)
		return
	}
	if at <= stageMock && r.mock(i) {
		return
	}
	rules := r.rulesOf(i)
	if rules != nil {
		if at <= stageWait && r.delay(i, rules) || at <= stageApprove && r.ask(i, rules) {
			return
		}
	}
	if r.subOf(i) != nil {
		r.recallItems(i)
		if rules.Sub.Command == "" || r.hasItems(i) {
			r.works.ready = append(r.works.ready, i)
			return
		}
	}
	if sure, err := r.sure(r.frameNo(i), false, func() error { return r.furnish(i, rules) }); err != nil && sure {
		r.endLater(i, outcome{reason: ReasonExpression, message: err.Error()})
		return
	}
	r.execute(i)
}

// isMocked says whether a node would not be executed.
func (r *Run) isMocked(i int32) bool {
	_, mocked := r.mockOf(i)
	return mocked
}

// mock ends an activation without executing it, if that was asked for.
func (r *Run) mock(i int32) bool {
	m, mocked := r.mockOf(i)
	if !mocked {
		return false
	}
	out := outcome{ok: m.Exit == 0, exit: m.Exit, hasExit: true, outputs: m.Outputs, mocked: true}
	if !out.ok {
		out.reason = ReasonExit
	}
	r.endLater(i, out)
	return true
}

func (r *Run) mockOf(i int32) (m Mock, mocked bool) {
	if len(r.opt.Mocks) == 0 {
		return m, false
	}
	f := r.frameOf(i)
	if m, mocked = r.opt.Mocks[r.Path(int(i))]; !mocked {
		m, mocked = r.opt.Mocks[f.lay.ids[i-f.node]]
	}
	if !mocked {
		m, mocked = r.mockOfAll(i)
	}
	return m, mocked
}

// mockOfAll finds the mock of a path in which [*] stands for every instance.
func (r *Run) mockOfAll(i int32) (Mock, bool) {
	if len(r.patterns) == 0 || r.frameNo(i) == 0 {
		return Mock{}, false
	}
	path := strings.Split(r.name(i), "/")
	for _, pattern := range r.patterns {
		parts := strings.Split(pattern, "/")
		if slices.EqualFunc(parts, path, matchesPart) {
			return r.opt.Mocks[pattern], true
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
func (r *Run) delay(i int32, rules *flow.Rules) bool {
	if rules.Wait == nil && rules.WaitUntil == nil {
		return false
	}
	until := int64(0)
	sure, err := r.sure(r.frameNo(i), false, func() (err error) {
		until, err = r.waitsUntil(i, rules)
		return err
	})
	if err != nil && sure {
		r.endLater(i, outcome{reason: ReasonExpression, message: err.Error()})
		return true
	}
	if until <= r.now || r.dry != nil {
		return false
	}
	r.waitFor(i, WaitTime, until, "")
	r.rareAt(i).fixed = rules.Wait == nil
	return true
}

func (r *Run) waitsUntil(i int32, rules *flow.Rules) (int64, error) {
	if rules.Wait != nil {
		text, err := rules.Wait.Render(r.env(i))
		if err != nil {
			return 0, err
		}
		d, err := timespan.Parse(text)
		if err != nil {
			return 0, fmt.Errorf("wait: %w", err)
		}
		return r.now + int64(d), nil
	}
	text, err := rules.WaitUntil.Render(r.env(i))
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
func (r *Run) ask(i int32, rules *flow.Rules) bool {
	if rules.Approve == nil {
		return false
	}
	text := ""
	sure, err := r.sure(r.frameNo(i), false, func() (err error) {
		text, err = rules.Approve.Render(r.env(i))
		return err
	})
	if err != nil && sure {
		r.endLater(i, outcome{reason: ReasonExpression, message: err.Error()})
		return true
	}
	until := int64(0)
	if rules.ApproveTimeout > 0 {
		until = r.now + int64(rules.ApproveTimeout)
	}
	r.waitFor(i, WaitApproval, until, text)
	return true
}

// personDecided serves Decided. A decision about a node that does not wait for one is a bug of the
// caller, which looks at Waits before.
func (r *Run) personDecided(ev *Event) {
	i := int32(ev.Node)
	if x := r.rareAt(i); x == nil || x.wait != WaitApproval {
		panic("internal error: scheduler: a decision about node " + r.Path(ev.Node) + ", which waits for none")
	}
	r.grant(i, ev.OK, ev.Outputs, ev.Message)
}

func (r *Run) grant(i int32, ok bool, values map[string]any, message string) {
	x := r.rareAt(i)
	r.stopWaiting(i)
	if !ok {
		r.endLater(i, outcome{reason: ReasonRejected, message: message, outputs: values})
		return
	}
	x.granted = values
	if x.granted == nil {
		x.granted = map[string]any{}
	}
	r.advance(i, stageExecute)
}

// repeatable says whether a failure is not final: the activation has another attempt.
func (r *Run) repeatable(i int32, out outcome) bool {
	rules := r.rulesOf(i)
	if rules == nil || rules.Retry == nil || out.mocked {
		return false
	}
	return r.rareOf(i).attempt < rules.Retry.Limit && repeats(rules.Retry, out)
}

// repeat lets a node wait for its next attempt. When the run or its sub-flow ends, that is for a resume to
// do: no edge fires for a failure that is not final.
func (r *Run) repeat(i int32, out outcome) {
	x, again := r.rareOf(i), r.rulesOf(i).Retry
	if r.halted || r.frameOf(i).cut {
		r.keep(i, out)
		x.due, r.nodes[i].decided = true, false
		r.setFailed(i, out.reason, out.message, false)
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
	r.keep(i, out)
	r.setStatus(i, graph.Queued, "")
	r.keepItems(i)
	if pause < 1 {
		r.advance(i, stageExecute)
		return
	}
	r.waitFor(i, WaitRetry, r.now+int64(pause), "")
}

// longestPause bounds how far delays can grow: 100 years.
const longestPause = 100 * 365 * 24 * 3600 * 1_000_000_000

// repeats says whether a failure is one of those that are repeated.
func repeats(again *flow.Retry, out outcome) bool {
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
func (r *Run) waitFor(i int32, kind WaitKind, until int64, text string) {
	x := r.rareOf(i)
	x.wait, x.until, x.text, x.fixed = kind, until, text, false
	if until > 0 {
		r.addTimer(i, timeWait, until)
	}
	r.emit(Effect{Kind: Waiting, Node: int(i), Wait: kind, At: until, Message: text})
}

// stopWaiting ends a wait, whatever the node does next.
func (r *Run) stopWaiting(i int32) {
	x := r.rareAt(i)
	if x == nil || x.wait == WaitNone {
		return
	}
	x.wait, x.until, x.text = WaitNone, 0, ""
	r.dropTimer(i, timeWait)
	r.emit(Effect{Kind: Waiting, Node: int(i), Wait: WaitNone})
}

func (r *Run) waiting(i int32) bool {
	x := r.rareAt(i)
	return x != nil && x.wait != WaitNone
}

// waitOver goes on with a node whose moment has come.
func (r *Run) waitOver(i int32) {
	switch x := r.rareAt(i); x.wait {
	case WaitTime:
		r.stopWaiting(i)
		r.advance(i, stageApprove)
	case WaitRetry:
		r.stopWaiting(i)
		r.advance(i, stageExecute)
	case WaitApproval:
		yes := r.rulesOf(i).ApproveDefault
		message := ""
		if !yes {
			message = "nobody answered in time"
		}
		r.emit(Effect{Kind: Answered, Node: int(i), OK: yes})
		var values map[string]any
		if fields := r.rulesOf(i).ApproveFields; yes && fields != nil {
			values, _ = flow.ResolveFields(fields, nil) // their defaults: nothing is required, or the flow would be wrong
		}
		r.grant(i, yes, values, message)
	}
}

// limitTime begins the time that an execution, or a sub-flow, may take.
func (r *Run) limitTime(i int32) {
	if rules := r.rulesOf(i); rules != nil && rules.Timeout > 0 {
		r.addTimer(i, timeLimit, r.now+int64(rules.Timeout))
	}
}

// timeUp asks a node to end whose time is up.
func (r *Run) timeUp(i int32) {
	n := &r.nodes[i]
	r.rareAt(i).expired = true
	if n.handed {
		r.emit(Effect{Kind: Cancel, Node: int(i), Execution: int(n.executions)})
		return
	}
	r.cancelInstances(i, ReasonTimeout)
}

// timedOut words the end of an execution that was asked to end because its time was up.
func (r *Run) timedOut(i int32, out outcome) outcome {
	if x := r.rareAt(i); x != nil && x.expired && !out.ok && out.reason == ReasonCancelled {
		x.expired = false
		out.reason = ReasonTimeout
	}
	return out
}

// keep remembers how a node has ended, for expressions and for a later resume. Most nodes of most runs
// end with exit code 0 and nothing else: their status says so.
func (r *Run) keep(i int32, out outcome) {
	x := r.rareAt(i)
	if x == nil && out.ok && out.exit == 0 && out.outputs == nil && !out.mocked {
		return
	}
	x = r.rareOf(i)
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
func (r *Run) furnish(i int32, rules *flow.Rules) error {
	var env []string
	frame := r.frameNo(i)
	env = r.itemVariables(env, frame)
	if x := r.rareAt(i); x != nil && x.granted != nil {
		env = appendValues(env, "WF_APPROVAL_", x.granted)
	}
	env, err := r.subFlowVariables(env, frame)
	if err == nil {
		env, err = r.variablesOf(env, i, rules)
	}
	if err != nil {
		return err
	}
	if env != nil || r.rareAt(i) != nil {
		r.rareOf(i).env = env
	}
	return nil
}

// subFlowVariables adds the variables of the sub-flows that a frame lies in; what is further in comes later.
func (r *Run) subFlowVariables(env []string, frame int32) ([]string, error) {
	owner := r.frames[frame].owner
	if owner == noNode {
		return env, nil
	}
	env, err := r.subFlowVariables(env, r.frameNo(owner))
	if err != nil {
		return env, err
	}
	return r.variablesOf(env, owner, r.rulesOf(owner))
}

// variablesOf adds the variables that a node or a sub-flow sets.
func (r *Run) variablesOf(env []string, i int32, rules *flow.Rules) ([]string, error) {
	if rules == nil || len(rules.Env) == 0 {
		return env, nil
	}
	e := r.env(i)
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
func (r *Run) itemVariables(env []string, frame int32) []string {
	f := &r.frames[frame]
	if f.owner == noNode {
		return env
	}
	env = r.itemVariables(env, r.frameNo(f.owner))
	rules := r.rulesOf(f.owner)
	if rules.Sub.Kind == flow.While || rules.Sub.Kind == flow.Until {
		return append(env, fmt.Sprintf("WF_ITERATION=%d", f.instance))
	}
	env = append(env, fmt.Sprintf("WF_INDEX=%d", f.instance))
	if rules.Sub.Kind == flow.Foreach {
		env = append(env, "WF_ITEM="+expression.Format(r.item(f)))
	}
	return env
}

package scheduler

import (
	"wf/scheduler/flow"
)

// waitFor makes a queued node wait.
func (a activity) waitFor(kind WaitKind, until int64, text string) {
	x := a.ensureExtras()
	x.wait, x.until, x.text, x.fixed = kind, until, text, false
	if until > 0 {
		a.timers.add(a.node, a.ensureExtras(), timeWait, until)
	}
	a.emit(Effect{Kind: Waiting, Node: int(a.node), Wait: kind, At: until, Message: text})
}

// stopWaiting ends a wait, before the node continues or ends.
func (a activity) stopWaiting() {
	x := a.extras()
	if x == nil || x.wait == WaitNone {
		return
	}
	x.wait, x.until, x.text = WaitNone, 0, ""
	a.extras().dropTimer(timeWait)
	a.emit(Effect{Kind: Waiting, Node: int(a.node), Wait: WaitNone})
}

func (st *state) waiting(i nodeID) bool { return st.extrasOrZero(i).wait != WaitNone }

// waitOver continues the activation of a node whose wait has ended.
func (a activity) waitOver() {
	switch x := a.extras(); x.wait {
	case WaitTime:
		a.stopWaiting()
		a.advance(stageApprove)
	case WaitRetry:
		a.stopWaiting()
		a.advance(stageExecute)
	case WaitApproval:
		yes := a.rules().ApproveDefault
		message := ""
		if !yes {
			message = "nobody answered in time"
		}
		a.emit(Effect{Kind: Answered, Node: int(a.node), OK: yes})
		var values map[string]any
		if fields := a.rules().ApproveFields; yes && fields != nil {
			values, _ = flow.ResolveFields(fields, nil) // the defaults: flow.Read has checked that nothing is required
		}
		a.answer(yes, values, message)
	}
}

// limitTime starts the timeout of an execution, or of a sub-flow.
func (a activity) limitTime() {
	if rules := a.rules(); rules != nil && rules.Timeout > 0 {
		a.timers.add(a.node, a.ensureExtras(), timeLimit, a.now+int64(rules.Timeout))
	}
}

// timeUp asks a node to end because of its timeout.
func (a activity) timeUp() {
	n := a.entry()
	a.extras().expired = true
	if n.dispatched {
		a.emit(Effect{Kind: Cancel, Node: int(a.node), Execution: int(n.executions)})
		return
	}
	a.subflow(a.node).cancelAll(ReasonTimeout)
}

// timedOut returns the outcome of an execution, with the reason timeout if it was asked to end because of
// its timeout.
func (a activity) timedOut(out outcome) outcome {
	if x := a.extras(); x != nil && x.expired && !out.ok && out.reason == ReasonCancelled {
		x.expired = false
		out.reason = ReasonTimeout
	}
	return out
}

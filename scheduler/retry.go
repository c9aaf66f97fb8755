package scheduler

import (
	"slices"

	"wf/graph"
	"wf/scheduler/flow"
)

// repeatable reports whether a failure is not final: the activation has another attempt.
func (a activity) repeatable(out outcome) bool {
	rules := a.rules()
	if rules == nil || rules.Retry == nil || out.mocked {
		return false
	}
	return a.ensureExtras().attempt < rules.Retry.Limit && retries(rules.Retry, out)
}

// repeat makes a node wait for its next attempt. If the run or its sub-flow ends, the attempt is left to a
// resume: no edge fires for a failure that is not final.
func (a activity) repeat(out outcome) {
	x, again := a.ensureExtras(), a.rules().Retry
	if a.halted || a.instance().cut {
		a.saveOutcome(a.node, out)
		x.due, a.entry().decided = true, false
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
	a.setStatus(graph.Queued)
	a.subflow(a.node).keepItems()
	if pause < 1 {
		a.advance(stageExecute)
		return
	}
	a.waitFor(WaitRetry, a.now+int64(pause), "")
}

// longestPause bounds how far delays can grow: 100 years.
const longestPause = 100 * 365 * 24 * 3600 * 1_000_000_000

// retries reports whether a failure is one that the rules repeat.
func retries(again *flow.Retry, out outcome) bool {
	switch out.reason {
	case ReasonCancelled, ReasonLost, ReasonRejected, ReasonLimit:
		return false
	case ReasonEngineCancelled: // whoever cancelled it there does not want it back
		return slices.Contains(again.On.Reasons, out.reason)
	}
	return again.Any() || slices.Contains(again.On.Reasons, out.reason) || out.hasExit && again.On.Exit.Has(out.exit)
}

// retryLost serves the same activation once more if the node is idempotent: its end is unknown. It counts
// as an activation, so that repeated losses meet the limit.
func (a activity) retryLost() bool {
	n := a.entry()
	if !n.idempotent || a.halted || int(n.activations) >= a.opt.MaxActivations {
		return false
	}
	n.activations++
	a.setStatus(graph.Queued)
	a.execute()
	return true
}

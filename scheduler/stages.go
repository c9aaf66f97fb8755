package scheduler

import (
	"fmt"

	"wf/graph/timespan"
	"wf/scheduler/flow"
)

// stage is how far the present activation of a node has come.
type stage uint8

const (
	stageMock stage = iota
	stageWait
	stageApprove
	stageExecute
)

// advance continues an activation from a stage until it has to wait.
func (a activity) advance(at stage) {
	if a.holdsRepeated(a.node) {
		a.subflow(a.node).recallItems()
		a.todo.ready = append(a.todo.ready, a.node)
		return
	}
	if at <= stageMock && a.mock() {
		return
	}
	rules := a.rules()
	if rules != nil {
		if at <= stageWait && a.delay(rules) || at <= stageApprove && a.ask(rules) {
			return
		}
	}
	if a.layout() != nil {
		a.subflow(a.node).recallItems()
		if rules.Sub.Table != nil && !a.hasItems(a.node) {
			a.subflow(a.node).askForTable(rules.Sub)
			return
		}
		if rules.Sub.Command == "" || a.hasItems(a.node) {
			a.todo.ready = append(a.todo.ready, a.node)
			return
		}
	}
	_, sure, err := evaluateText(&a.texts, a.instanceNo(a.node), false, func() (any, error) { return nil, a.prepareExecution(a.node, rules) })
	if !a.textFailed(sure, err) {
		if x := a.extras(); x != nil && !sure {
			x.files = nil
		}
		a.execute()
	}
}

// textFailed ends the activation if a text of the node cannot be evaluated. It reports whether it did.
func (a activity) textFailed(sure bool, err error) bool {
	if err == nil || !sure {
		return false
	}
	a.endLater(outcome{reason: ReasonExpression, message: err.Error()})
	return true
}

// delay makes an activation wait for its time. It returns true if the activation does not go on now.
func (a activity) delay(rules *flow.Rules) bool {
	if rules.Wait == nil && rules.WaitUntil == nil {
		return false
	}
	until, sure, err := evaluateText(&a.texts, a.instanceNo(a.node), false, func() (int64, error) { return a.waitsUntil(rules) })
	if a.textFailed(sure, err) {
		return true
	}
	if until <= a.now || a.dry != nil {
		return false
	}
	a.waitFor(WaitTime, until, "")
	a.extras().fixed = rules.Wait == nil
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

// activity is the present activation of a node.
type activity struct{ cursor }

func (r *Run) activity(i nodeID) activity { return activity{cursor{r, i}} }

package scheduler

import (
	"maps"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// outcome is how an activation of a node ended.
type outcome struct {
	ok              bool
	reason, message string
	exit            int
	hasExit         bool
	outputs         map[string]any
	stdout          *expression.Kept
	mocked          bool
	upToDate        bool // see UpToDate
}

// finish ends the present activation of a node: the node is repeated, or its edges fire.
func (a activity) finish(out outcome) {
	if a.plain {
		a.finishPlain(out.ok, out.reason, out.message)
		return
	}
	a.stopWaiting()
	if x := a.extras(); x != nil && x.granted != nil {
		given := maps.Clone(x.granted)
		maps.Copy(given, out.outputs)
		out.outputs = given
	}
	if !out.ok && !a.holdsRepeated(a.node) && a.repeatable(out) {
		a.repeat(out)
		return
	}
	if x := a.extras(); x != nil && x.sub != nil && x.sub.activation != a.entry().activations {
		a.subflow(a.node).setSubflow(nil) // this activation has had none
	}
	fires, handled := a.choose(&out)
	if x := a.extras(); x != nil && x.loser && !out.ok {
		handled, out.message = true, "only a join needed it, and that was already decided"
	}
	a.saveOutcome(a.node, out)
	switch {
	case out.upToDate && out.ok:
		a.change(graph.Ran, "", out.message, false)
	case out.ok:
		a.setStatus(graph.Ran)
	default:
		a.setFailed(out.reason, out.message, handled)
	}
	n := a.entry()
	if out.reason == ReasonCancelled && !handled && (a.halted || a.instance().cut) {
		a.ensureExtras().due = true
	}
	n.decided = out.ok || handled
	if n.decided {
		frame, inst := a.instanceNo(a.node), a.instance()
		for k, l := range inst.out(a.node) {
			if fires[k] {
				a.fire(frame, l)
			} else {
				a.notFired(inst, inst.local(a.node), l)
			}
		}
		a.settleLater(a.node)
	}
	a.servePending()
}

// finishPlain is finish in a run without a flow. With firePlain and consumePlain it makes such a run about
// 15 % faster.
func (a activity) finishPlain(ok bool, reason, message string) {
	if ok {
		a.setStatus(graph.Ran)
		for _, l := range a.instances[0].out(a.node) {
			a.firePlain(l)
		}
	} else {
		a.setFailed(reason, message, false)
	}
	a.servePending()
}

// choose returns for each out-edge of a node whether it fires (docs/control-flow.md), and whether any does.
// An expression that cannot be evaluated makes a failure of the outcome. The slice is valid until the next
// call.
func (a activity) choose(out *outcome) (fires []bool, any bool) {
	inst := a.instance()
	edges := inst.out(a.node)
	a.fires = append(a.fires[:0], make([]bool, len(edges))...)
	if !out.ok && (out.reason == ReasonCancelled || out.reason == ReasonLost) {
		return a.fires, false
	}
	if inst.lay.conditions == nil {
		for k := range edges {
			a.fires[k] = out.ok
		}
		return a.fires, out.ok && len(edges) > 0
	}
	a.saveOutcome(a.node, *out)
	broken := false
	for {
		err := a.evaluate(inst, a.node, *out, broken)
		if err == nil {
			break
		}
		out.ok, out.reason, out.message = false, ReasonExpression, err.Error()
		broken = true
	}
	for _, fire := range a.fires {
		any = any || fire
	}
	return a.fires, any
}

// evaluate fills r.fires. If an expression of the node has failed (broken), no condition can choose an edge, so
// only the edges fire that fire after every failure.
func (r *Run) evaluate(inst *instance, i nodeID, out outcome, broken bool) error {
	chosen, open := false, false
	edges := inst.out(i)
	for k, l := range edges {
		fire, choice, err := r.holds(inst, l, i, out, broken)
		if err != nil {
			return err
		}
		r.fires[k] = fire
		if choice && fire && r.dry != nil && r.dry.unsure[inst.edgeID(l)] {
			open = true
			continue
		}
		chosen = chosen || choice && fire
	}
	for k, l := range edges {
		if c := inst.lay.conditions[l]; c != nil && c.Kind == flow.OnElse {
			if r.fires[k] = !chosen && !broken; open && r.fires[k] {
				r.dry.unsure[inst.edgeID(l)] = true
			}
		}
	}
	return nil
}

// holds returns whether a condition holds, and whether it is one of the choices that an else is the
// alternative to.
func (t *texts) holds(inst *instance, l localEdge, i nodeID, out outcome, broken bool) (fire, choice bool, err error) {
	c := inst.lay.conditions[l]
	switch {
	case c == nil:
		return out.ok, false, nil
	case broken:
		return c.Kind == flow.OnFailure || c.Kind == flow.OnDone, false, nil
	case t.dry != nil && (c.Kind == flow.OnCase || c.Kind == flow.OnTrue):
		return t.holdsDry(inst, l, c, i, out)
	}
	switch c.Kind {
	case flow.OnSuccess:
		return out.ok, false, nil
	case flow.OnFailure:
		return !out.ok, false, nil
	case flow.OnDone:
		return true, false, nil
	case flow.OnExit:
		return out.hasExit && c.Exit.Has(out.exit), true, nil
	case flow.OnCase:
		value, given := out.outputs["case"]
		return given && expression.Format(value) == c.Case, true, nil
	case flow.OnTrue:
		fire, err = t.isTrue(c, i, out)
		return fire, true, err
	}
	return false, false, nil
}

// isTrue evaluates the expression of a condition, which sees the node with the status that it is about to
// get.
func (t *texts) isTrue(c *flow.Condition, i nodeID, out outcome) (bool, error) {
	t.deciding, t.decidingStatus = i, graph.Failed
	if out.ok {
		t.decidingStatus = graph.Ran
	}
	defer func() { t.deciding = noNode }()
	return c.Expr.Bool(t.env(i))
}

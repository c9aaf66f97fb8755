package scheduler

import (
	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// outcome is how an activation of a node has come to an end.
type outcome struct {
	ok              bool
	reason, message string
	exit            int
	hasExit         bool
	outputs         map[string]any
	mocked          bool
}

// finish ends the present activation of a node: it is repeated, or its edges fire.
func (r *Run) finish(i int32, out outcome) {
	if r.plain {
		r.finishPlain(i, out.ok, out.reason, out.message)
		return
	}
	r.stopWaiting(i)
	if x := r.rareAt(i); x != nil && x.granted != nil {
		out.outputs = merged(x.granted, out.outputs)
	}
	if !out.ok && !r.holdsAgain(i) && r.repeatable(i, out) {
		r.repeat(i, out)
		return
	}
	if x := r.rareAt(i); x != nil && x.sub != nil && x.sub.of != r.nodes[i].activations {
		r.setInstances(i, nil) // this activation has had none
	}
	fires, handled := r.choose(i, &out)
	if x := r.rareAt(i); x != nil && x.loser && !out.ok {
		handled, out.message = true, "only a join needed it that had been decided"
	}
	r.keep(i, out)
	if out.ok {
		r.setStatus(i, graph.Ran, "")
	} else {
		r.setFailed(i, out.reason, out.message, handled)
	}
	n := &r.nodes[i]
	if out.reason == ReasonCancelled && !handled && (r.halted || r.frameOf(i).cut) {
		r.rareOf(i).due = true
	}
	n.decided = out.ok || handled
	if n.decided {
		frame, f := r.frameNo(i), r.frameOf(i)
		for k, l := range f.lay.out.of(i - f.node) {
			if fires[k] {
				r.fire(frame, l)
			} else {
				r.pass(f, i-f.node, l)
			}
		}
		r.settleLater(i)
	}
	r.servePending(i)
}

// finishPlain is finish in a run without a flow, where a long run spends its time.
func (r *Run) finishPlain(i int32, ok bool, reason, message string) {
	if ok {
		r.setStatus(i, graph.Ran, "")
		for _, l := range r.outer.out.of(i) {
			r.firePlain(l)
		}
	} else {
		r.setFailed(i, reason, message, false)
	}
	r.servePending(i)
}

// choose says for each out-edge of a node whether it fires (docs/control-flow.md, Edges), and whether any does.
// An expression that cannot be evaluated makes a failure of the outcome. The slice is valid until the
// next call.
func (r *Run) choose(i int32, out *outcome) (fires []bool, any bool) {
	f := r.frameOf(i)
	edges := f.lay.out.of(i - f.node)
	r.fires = append(r.fires[:0], make([]bool, len(edges))...)
	if !out.ok && (out.reason == ReasonCancelled || out.reason == ReasonLost) {
		return r.fires, false
	}
	if f.lay.conditions == nil {
		for k := range edges {
			r.fires[k] = out.ok
		}
		return r.fires, out.ok && len(edges) > 0
	}
	r.keep(i, *out)
	broken := false
	for {
		err := r.evaluate(f, i, *out, broken)
		if err == nil {
			break
		}
		out.ok, out.reason, out.message = false, ReasonExpression, err.Error()
		broken = true
	}
	for _, fire := range r.fires {
		any = any || fire
	}
	return r.fires, any
}

// evaluate fills r.fires. broken says that an expression of the node has failed: what it was to choose
// between cannot be chosen, so that only edges fire which do so after any failure.
func (r *Run) evaluate(f *frame, i int32, out outcome, broken bool) error {
	chosen, open := false, false
	edges := f.lay.out.of(i - f.node)
	for k, l := range edges {
		fire, choice, err := r.holds(f, l, i, out, broken)
		if err != nil {
			return err
		}
		r.fires[k] = fire
		if choice && fire && r.dry != nil && r.dry.unsure[f.edge+l] {
			open = true
			continue
		}
		chosen = chosen || choice && fire
	}
	for k, l := range edges {
		if c := f.lay.conditions[l]; c != nil && c.Kind == flow.OnElse {
			if r.fires[k] = !chosen && !broken; open && r.fires[k] {
				r.dry.unsure[f.edge+l] = true
			}
		}
	}
	return nil
}

// holds says whether a condition holds, and whether it is one of those that an else is about.
func (r *Run) holds(f *frame, l, i int32, out outcome, broken bool) (fire, choice bool, err error) {
	c := f.lay.conditions[l]
	switch {
	case c == nil:
		return out.ok, false, nil
	case broken:
		return c.Kind == flow.OnFailure || c.Kind == flow.OnDone, false, nil
	case r.dry != nil && (c.Kind == flow.OnCase || c.Kind == flow.OnTrue):
		return r.holdsDry(f, l, c, i, out)
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
		fire, err = r.isTrue(c, i, out)
		return fire, true, err
	}
	return false, false, nil
}

// isTrue evaluates the expression of a condition, which sees the node with the status that it is about to get.
func (r *Run) isTrue(c *flow.Condition, i int32, out outcome) (bool, error) {
	r.judged, r.verdict = i, graph.Failed
	if out.ok {
		r.verdict = graph.Ran
	}
	defer func() { r.judged = noNode }()
	return c.Expr.Bool(r.env(i))
}

package scheduler

import (
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// dryRun is the state of a run that only simulates what would happen (Options.Dry, Forecast): every
// command succeeds, every approval is granted, and no time passes. The outputs of commands are unknown. A
// text that refers to them is unsure: its edge may fire, so it does; a sub-flow that depends on it has one
// instance, which represents all.
type dryRun struct {
	unknown        bool                // the text at hand refers to something unknown
	unsure         map[edgeID]bool     // edges that have fired, and that fire in the run only with some outcomes
	never          map[edgeID]bool     // edges that do not fire, whatever the outputs of commands are
	kept           map[nodeID]bool     // nodes that an earlier run decided
	losers         map[nodeID]bool     // nodes that a join may cancel when it is decided
	representative map[instanceID]bool // instances that represent all of their sub-flow
	vague          map[instanceID]bool // instances of another workfile whose parameters are unknown
	open           map[nodeID]bool     // sub-flows with a still unknown number of instances
	failed         bool                // a failure that nothing handles, in a run with FailFast
}

// Limits of a dry run.
const (
	dryInstances = 1000    // new instances of one sub-flow; the others are like these
	dryNodes     = 100_000 // of the whole run; beyond it each sub-flow has one new instance
)

func newDryRun() *dryRun {
	return &dryRun{
		unsure: map[edgeID]bool{}, never: map[edgeID]bool{}, kept: map[nodeID]bool{}, losers: map[nodeID]bool{},
		representative: map[instanceID]bool{}, vague: map[instanceID]bool{}, open: map[nodeID]bool{},
	}
}

// noteReference notes that a text refers to a node. What an earlier run or a mock left is known.
func (t *texts) noteReference(i nodeID) {
	if t.dry == nil || i == noNode {
		return
	}
	n := &t.nodes[i]
	x := t.extrasOf(i)
	mocked := x != nil && x.over && x.last.mocked && (!busy(n.status) || i == t.deciding)
	kept := n.activations == 0 && t.dry.kept[i]
	t.dry.unknown = t.dry.unknown || !mocked && !kept && t.subOf(i) == nil
}

// evaluateText evaluates a text of an instance. sure means that the result will hold in the run; outside a
// dry run every result does.
func evaluateText[T any](t *texts, frame instanceID, constant bool, evaluate func() (T, error)) (value T, sure bool, err error) {
	if t.dry == nil {
		value, err = evaluate()
		return value, true, err
	}
	t.dry.unknown = false
	value, err = evaluate()
	sure = constant || !t.dry.unknown && !t.inRepresentative(frame)
	t.dry.unknown = false
	return value, sure, err
}

// inRepresentative reports whether an instance represents others or has unknown parameters, or is in one that does.
func (t *texts) inRepresentative(k instanceID) bool {
	for ; k > 0; k = t.instanceNo(t.instances[k].owner) {
		if t.dry.representative[k] || t.dry.vague[k] {
			return true
		}
	}
	return false
}

// expectsAnother reports whether a sub-flow of a dry run starts another instance when its test is unsure:
// one, which represents all.
func (sf subflow) expectsAnother(s *subflowState) bool {
	if sf.dry.open[sf.node] {
		return false
	}
	sf.dry.open[sf.node] = true
	return sf.freshInstances(s) == 0
}

// freshInstances returns how many instances of a sub-flow no earlier run has started.
func (sf subflow) freshInstances(s *subflowState) int {
	if p, yes := sf.goesOn(sf.node); yes {
		return max(0, len(s.instances)-p.Instances)
	}
	return len(s.instances)
}

// holdsDry is holds in a dry run, for conditions that depend on outputs.
func (t *texts) holdsDry(inst *instance, l localEdge, c *flow.Condition, i nodeID, out outcome) (fire, choice bool, err error) {
	j := inst.edgeID(l)
	switch c.Kind {
	case flow.OnCase:
		if !out.mocked {
			t.dry.unsure[j] = true
			return true, true, nil
		}
		value, given := out.outputs["case"]
		return given && expression.Format(value) == c.Case, true, nil
	default:
		fire, sure, err := evaluateText(t, t.instanceNo(i), c.Expr.Constant(), func() (bool, error) { return t.isTrue(c, i, out) })
		switch {
		case !sure:
			t.dry.unsure[j] = true
			return true, true, nil
		case err == nil && !fire:
			t.dry.never[j] = inst.lay.single[inst.local(i)] // otherwise it may decide differently another time
		}
		return fire, true, err
	}
}

// playedEnough reports whether a dry run has played enough new instances of a sub-flow.
func (sf subflow) playedEnough(s *subflowState) bool {
	if sf.dry == nil || sf.recalled(sf.node, int32(len(s.instances))) {
		return false
	}
	fresh := sf.freshInstances(s)
	return fresh >= dryInstances || fresh > 0 && len(sf.nodes) >= dryNodes
}

package scheduler

import (
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// A dry run plays through what a run would do (Options.Dry, Forecast): every command succeeds, everybody
// agrees, and no time passes. What commands put out is not known. A text that asks for it is unsure: its edge
// fires, as one that may; a sub-flow that depends on it has one instance, which stands for all.
type dryRun struct {
	touched        bool           // the text at hand has asked for what is not known
	unsure         map[int32]bool // edges that have fired, and of which an outcome decides
	never          map[int32]bool // edges that do not fire, whatever commands put out
	kept           map[int32]bool // nodes that an earlier run has decided
	losers         map[int32]bool // nodes that a join may cancel when it is decided
	representative map[int32]bool // frames that stand for all instances of their sub-flow
	open           map[int32]bool // sub-flows of which nobody knows how many instances they will have
	failed         bool           // something failed that nothing handles, in a run that is to fail fast
}

// Bounds of what a dry run plays through.
const (
	dryInstances = 1000    // new ones of one sub-flow; the others are like these
	dryNodes     = 100_000 // of the whole run; beyond it each sub-flow has one new instance
)

func newDryRun() *dryRun {
	return &dryRun{unsure: map[int32]bool{}, never: map[int32]bool{}, kept: map[int32]bool{}, losers: map[int32]bool{}, representative: map[int32]bool{}, open: map[int32]bool{}}
}

// asked notes that a text has asked for a node. What an earlier run, or a mock, has left is known.
func (t *texts) noteReference(i int32) {
	if t.dry == nil || i == noNode {
		return
	}
	n := &t.nodes[i]
	x := t.extrasOf(i)
	mocked := x != nil && x.over && x.last.mocked && (!busy(n.status) || i == t.deciding)
	kept := n.activations == 0 && t.dry.kept[i]
	t.dry.touched = t.dry.touched || !mocked && !kept && t.subOf(i) == nil
}

// sure evaluates a text of a frame, and says whether what it gives will hold in the run. Without a dry run
// everything holds.
func (t *texts) evaluateText(frame int32, constant bool, evaluate func() error) (sure bool, err error) {
	if t.dry == nil {
		return true, evaluate()
	}
	t.dry.touched = false
	err = evaluate()
	sure = constant || !t.dry.touched && !t.inRepresentative(frame)
	t.dry.touched = false
	return sure, err
}

// inGuess says whether a frame is, or lies in, one that stands for others.
func (t *texts) inRepresentative(k int32) bool {
	for ; k > 0; k = t.instanceNo(t.instances[k].owner) {
		if t.dry.representative[k] {
			return true
		}
	}
	return false
}

// expects says whether a sub-flow of a dry run is to begin another instance when what decides about that is
// not known: one, which stands for all.
func (sf subflow) expectsAnother(s *subflowState) bool {
	if sf.dry.open[sf.node] {
		return false
	}
	sf.dry.open[sf.node] = true
	return sf.freshInstances(s) == 0
}

// freshInstances is how many instances of a sub-flow no earlier run has begun.
func (sf subflow) freshInstances(s *subflowState) int {
	if p, yes := sf.goesOn(sf.node); yes {
		return max(0, len(s.instances)-p.Instances)
	}
	return len(s.instances)
}

// holdsDry is holds in a dry run, for conditions that outputs decide about.
func (t *texts) holdsDry(inst *instance, l int32, c *flow.Condition, i int32, out outcome) (fire, choice bool, err error) {
	j := inst.edge + l
	switch c.Kind {
	case flow.OnCase:
		if !out.mocked {
			t.dry.unsure[j] = true
			return true, true, nil
		}
		value, given := out.outputs["case"]
		return given && expression.Format(value) == c.Case, true, nil
	default:
		sure, err := t.evaluateText(t.instanceNo(i), c.Expr.Constant(), func() (err error) {
			fire, err = t.isTrue(c, i, out)
			return err
		})
		switch {
		case !sure:
			t.dry.unsure[j] = true
			return true, true, nil
		case err == nil && !fire:
			t.dry.never[j] = inst.lay.single[i-inst.node] // else it may decide otherwise another time
		}
		return fire, true, err
	}
}

// enough says whether a dry run has played enough new instances of a sub-flow.
func (sf subflow) playedEnough(s *subflowState) bool {
	if sf.dry == nil || sf.recalled(sf.node, int32(len(s.instances))) {
		return false
	}
	fresh := sf.freshInstances(s)
	return fresh >= dryInstances || fresh > 0 && len(sf.nodes) >= dryNodes
}

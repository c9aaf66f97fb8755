package scheduler

import (
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// A dry run plays through what a run would do (Options.Dry, Forecast): every command succeeds, everybody
// agrees, and no time passes. What commands put out is not known. A text that asks for it is unsure: its edge
// fires, as one that may; a sub-flow that depends on it has one instance, which stands for all.
type dry struct {
	touched bool           // the text at hand has asked for what is not known
	unsure  map[int32]bool // edges that have fired, and of which an outcome decides
	never   map[int32]bool // edges that do not fire, whatever commands put out
	kept    map[int32]bool // nodes that an earlier run has decided
	losers  map[int32]bool // nodes that a join may cancel when it is decided
	guessed map[int32]bool // frames that stand for all instances of their sub-flow
	open    map[int32]bool // sub-flows of which nobody knows how many instances they will have
	failed  bool           // something failed that nothing handles, in a run that is to fail fast
}

// Bounds of what a dry run plays through.
const (
	dryInstances = 1000    // new ones of one sub-flow; the others are like these
	dryNodes     = 100_000 // of the whole run; beyond it each sub-flow has one new instance
)

func newDry() *dry {
	return &dry{unsure: map[int32]bool{}, never: map[int32]bool{}, kept: map[int32]bool{}, losers: map[int32]bool{}, guessed: map[int32]bool{}, open: map[int32]bool{}}
}

// asked notes that a text has asked for a node. What an earlier run, or a mock, has left is known.
func (r *Run) asked(i int32) {
	if r.dry == nil || i == noNode {
		return
	}
	n := &r.nodes[i]
	x := r.rareAt(i)
	mocked := x != nil && x.over && x.last.mocked && (!busy(n.status) || i == r.judged)
	kept := n.activations == 0 && r.dry.kept[i]
	r.dry.touched = r.dry.touched || !mocked && !kept && r.subOf(i) == nil
}

// sure evaluates a text of a frame, and says whether what it gives will hold in the run. Without a dry run
// everything holds.
func (r *Run) sure(frame int32, constant bool, evaluate func() error) (sure bool, err error) {
	if r.dry == nil {
		return true, evaluate()
	}
	r.dry.touched = false
	err = evaluate()
	sure = constant || !r.dry.touched && !r.inGuess(frame)
	r.dry.touched = false
	return sure, err
}

// inGuess says whether a frame is, or lies in, one that stands for others.
func (r *Run) inGuess(k int32) bool {
	for ; k > 0; k = r.frameNo(r.frames[k].owner) {
		if r.dry.guessed[k] {
			return true
		}
	}
	return false
}

// expects says whether a sub-flow of a dry run is to begin another instance when what decides about that is
// not known: one, which stands for all.
func (r *Run) expects(i int32, s *instances) bool {
	if r.dry.open[i] {
		return false
	}
	r.dry.open[i] = true
	return r.freshInstances(i, s) == 0
}

// freshInstances is how many instances of a sub-flow no earlier run has begun.
func (r *Run) freshInstances(i int32, s *instances) int {
	if p, yes := r.goesOn(i); yes {
		return max(0, len(s.frames)-p.Instances)
	}
	return len(s.frames)
}

// holdsDry is holds in a dry run, for conditions that outputs decide about.
func (r *Run) holdsDry(f *frame, l int32, c *flow.Condition, i int32, out outcome) (fire, choice bool, err error) {
	j := f.edge + l
	switch c.Kind {
	case flow.OnCase:
		if !out.mocked {
			r.dry.unsure[j] = true
			return true, true, nil
		}
		value, given := out.outputs["case"]
		return given && expression.Format(value) == c.Case, true, nil
	default:
		sure, err := r.sure(r.frameNo(i), c.Expr.Constant(), func() (err error) {
			fire, err = r.isTrue(c, i, out)
			return err
		})
		switch {
		case !sure:
			r.dry.unsure[j] = true
			return true, true, nil
		case err == nil && !fire:
			r.dry.never[j] = f.lay.single[i-f.node] // else it may decide otherwise another time
		}
		return fire, true, err
	}
}

// enough says whether a dry run has played enough new instances of a sub-flow.
func (r *Run) enough(i int32, s *instances) bool {
	if r.dry == nil || r.recalled(i, int32(len(s.frames))) {
		return false
	}
	fresh := r.freshInstances(i, s)
	return fresh >= dryInstances || fresh > 0 && len(r.nodes) >= dryNodes
}

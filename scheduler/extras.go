package scheduler

import "wf/scheduler/flow"

// extras is the control-flow state that few nodes have: what a node waits for, how it ended, what it
// repeats.
type extras struct {
	wait      WaitKind
	until     int64  // of wait; 0 = never
	fixed     bool   // until is a moment that the workfile names, not a duration from the start of the wait
	text      string // the question of an approval
	table     string // the table of items that a sub-flow has asked for; "" = none
	attempt   int    // repetitions of the present activation
	expired   bool   // it was asked to end because of its timeout
	cancelled bool   // it was asked to end: if its command prints items all the same, the sub-flow starts no instances
	loser     bool   // it was asked to end because only a join needed it that has decided
	overLimit bool   // it has failed for one activation too many
	joined    bool   // this round of its join is decided, and waits for the last marks
	limited   bool   // its join_timeout is running
	over      bool   // last is of an activation that is over
	due       bool   // an activation was taken back, or not started, because the run or its sub-flow ends
	last      outcome
	granted   map[string]any // the values of the approval of the present activation
	env       []string       // for the present execution
	resources flow.Resources // for the present execution
	files     *Files         // of the present execution; nil = none are declared
	timerGens [timerKinds]int32
	sub       *subflowState
}

// reset clears the state of an earlier activation.
func (x *extras) reset() {
	x.attempt, x.expired, x.loser, x.due, x.cancelled, x.granted, x.env, x.files, x.table = 0, false, false, false, false, nil, nil, nil, ""
}

// extrasOf returns the node's control-flow state, or nil if it has none.
func (st *state) extrasOf(i nodeID) *extras {
	if st.control == nil {
		return nil
	}
	return st.control[i].extras
}

func (st *state) ensureExtrasOf(i nodeID) *extras {
	c := &st.control[i]
	if c.extras == nil {
		c.extras = &extras{}
	}
	return c.extras
}

func (st *state) rulesOf(i nodeID) *flow.Rules {
	inst := st.instanceOf(i)
	if inst.lay.rules == nil {
		return nil
	}
	return inst.lay.rules[inst.local(i)]
}

// subOf returns the layout of a sub-flow, nil for a command.
func (st *state) subOf(i nodeID) *layout {
	inst := st.instanceOf(i)
	if inst.lay.subs == nil {
		return nil
	}
	return inst.lay.subs[inst.local(i)]
}

// extrasOrZero returns the node's control-flow state, which must not be changed; it is zero if the node has none.
func (st *state) extrasOrZero(i nodeID) *extras {
	if x := st.extrasOf(i); x != nil {
		return x
	}
	return &noExtras
}

// subState returns the state of the latest activation of a sub-flow, which must not be changed; it is zero if there is none.
func (st *state) subState(i nodeID) *subflowState {
	if s := st.extrasOrZero(i).sub; s != nil {
		return s
	}
	return &noSubState
}

var (
	noExtras   extras
	noSubState subflowState
)

// saveOutcome keeps how a node ended, for expressions and for a later resume. Most nodes end with exit code
// 0 and nothing else: their status is enough.
func (st *state) saveOutcome(i nodeID, out outcome) {
	x := st.extrasOf(i)
	if st.control == nil || x == nil && out.ok && out.exit == 0 && out.outputs == nil && out.stdout == nil && !out.mocked && !out.upToDate {
		return
	}
	x = st.ensureExtrasOf(i)
	x.last, x.over = out, true
}

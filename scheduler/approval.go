package scheduler

import "wf/scheduler/flow"

// A Choice is a case that an answer about a node can choose, with the targets of the edges whose condition
// is that case.
type Choice struct {
	Case  string
	Nodes []int // that the edges lead to, in the order of the file
}

// Fields returns the values that an answer about a node gives, or nil if it may give any.
func (q queries) Fields(node int) []flow.Param {
	if rules := q.rulesOf(nodeID(node)); rules != nil {
		return rules.ApproveFields
	}
	return nil
}

// Choices returns the cases that the output "case" of a node chooses between, in the order of the file.
// open means that another output leads somewhere, too: an edge fires after every success, or when no case
// matches.
func (why explanations) Choices(node int) (choices []Choice, open bool) {
	i := nodeID(node)
	inst := why.instanceOf(i)
	at := map[string]int{}
	for _, l := range inst.out(i) {
		c := inst.lay.condition(l)
		if c == nil || c.Kind != flow.OnCase {
			open = open || c == nil || c.Kind != flow.OnFailure
			continue
		}
		k, known := at[c.Case]
		if !known {
			k = len(choices)
			at[c.Case] = k
			choices = append(choices, Choice{Case: c.Case})
		}
		choices[k].Nodes = append(choices[k].Nodes, int(inst.target(l)))
	}
	return choices, open
}

// ask makes an activation wait for approval. It returns true if the activation does not go on now.
func (a activity) ask(rules *flow.Rules) bool {
	if rules.Approve == nil {
		return false
	}
	text, sure, err := evaluateText(&a.texts, a.instanceNo(a.node), false, func() (string, error) { return rules.Approve.Render(a.env(a.node)) })
	if a.textFailed(sure, err) {
		return true
	}
	until := int64(0)
	if rules.ApproveTimeout > 0 {
		until = a.now + int64(rules.ApproveTimeout)
	}
	a.waitFor(WaitApproval, until, text)
	return true
}

// approvalDecided serves Decided. A decision about a node that waits for none is a bug of the caller, which
// checks Waits before.
func (r *Run) approvalDecided(ev *Event) {
	i := nodeID(ev.Node)
	if x := r.extrasOf(i); x == nil || x.wait != WaitApproval {
		panic("internal error: scheduler: a decision about node " + r.Path(ev.Node) + ", which waits for none")
	}
	r.activity(i).answer(ev.OK, ev.Outputs, ev.Message)
}

// answer ends the wait for approval: the activation goes on, or the node fails.
func (a activity) answer(ok bool, values map[string]any, message string) {
	x := a.extras()
	a.stopWaiting()
	if !ok {
		a.endLater(outcome{reason: ReasonRejected, message: message, outputs: values})
		return
	}
	x.granted = values
	if x.granted == nil {
		x.granted = map[string]any{}
	}
	a.advance(stageExecute)
}

// ApprovesByDefault reports whether an approval that is not answered in time is granted.
func (q queries) ApprovesByDefault(node int) bool {
	rules := q.rulesOf(nodeID(node))
	return rules != nil && rules.ApproveDefault
}

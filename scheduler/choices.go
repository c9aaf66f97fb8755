package scheduler

import "wf/scheduler/flow"

// A Choice is what an answer about a node can choose: the edges whose condition is the same case.
type Choice struct {
	Case  string
	Nodes []int // that the edges lead to, in the order of the file
}

// Fields returns the values that an answer about a node gives, nil if it may give any.
func (q queries) Fields(node int) []flow.Param {
	if rules := q.rulesOf(int32(node)); rules != nil {
		return rules.ApproveFields
	}
	return nil
}

// Choices returns what the output "case" of a node chooses between, in the order of the file, and whether
// another output leads anywhere: some edge fires after every success, or when no case does.
func (why explanations) Choices(node int) (choices []Choice, open bool) {
	i := int32(node)
	inst := why.instanceOf(i)
	at := map[string]int{}
	for _, l := range inst.lay.out.of(i - inst.node) {
		c := (*flow.Condition)(nil)
		if inst.lay.conditions != nil {
			c = inst.lay.conditions[l]
		}
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
		choices[k].Nodes = append(choices[k].Nodes, int(inst.node+inst.lay.edges[l].target))
	}
	return choices, open
}

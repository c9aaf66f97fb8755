package scheduler

import (
	"slices"

	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
)

// A Table is where the items of a sub-flow come from that has foreach=table:FILE.
type Table struct {
	File    string // relative names start at the folder of the workfile
	Key     string // the column that names the instances; "" = none
	MaxRows int    // how many instances the run has room for; 0 = any number
}

// askForTable requests the rows of the table. The name of the file may depend on values of the run.
func (sf subflow) askForTable(sub *flow.Sub) {
	name, sure, err := evaluateText(&sf.texts, sf.instanceNo(sf.node), sub.Table.Plain(), func() (string, error) { return sub.Table.Render(sf.env(sf.node)) })
	if sf.activity(sf.node).textFailed(sure, err) {
		return
	}
	sf.ensureExtras().table = name
	if !sure {
		sf.gotItems(nil)
		return
	}
	sf.emit(Effect{Kind: ListItems, Node: int(sf.node)})
}

// listed serves Listed.
func (r *Run) listed(ev *Event) {
	if !r.Lists(ev.Node) {
		panic("internal error: scheduler: items for node " + r.Path(ev.Node) + ", which has not asked for them")
	}
	i := nodeID(ev.Node)
	r.extrasOf(i).table = ""
	if !ev.OK {
		r.activity(i).endLater(outcome{reason: ReasonExpression, message: ev.Message})
		return
	}
	r.subflow(i).gotItems(ev.Items)
}

// Lists reports that a sub-flow waits for the rows of its table.
func (q queries) Lists(node int) bool {
	return q.nodes[node].status == graph.Queued && !q.waiting(nodeID(node)) && q.extrasOrZero(nodeID(node)).table != ""
}

// Table returns the table that a sub-flow waits for, see Lists.
func (q queries) Table(node int) Table {
	i := nodeID(node)
	t := Table{File: flow.TableFile(q.extrasOrZero(i).table), Key: q.ItemKey(node)}
	if most := q.opt.MaxInstances; most > 0 {
		room := (most - (len(q.nodes) - len(q.outer.ids))) / max(1, len(q.subOf(i).ids))
		t.MaxRows = max(1, room) // without room for one, starting it says so
	}
	return t
}

// ItemKey returns the column that names the instances of a sub-flow; "" if none does.
func (q queries) ItemKey(node int) string { return q.itemKey(nodeID(node)) }

func (st *state) itemKey(i nodeID) string {
	if rules := st.rulesOf(i); rules != nil && rules.Sub != nil {
		return rules.Sub.Key
	}
	return ""
}

// itemNames returns the names of the instances of a sub-flow, see ItemNames.
func (st *state) itemNames(i nodeID, s *subflowState) []string {
	return ItemNames(s.items, st.itemKey(i))
}

// columnVariables adds a variable for each column of a row, sorted.
func columnVariables(env []string, item any) []string {
	row, isRow := item.(map[string]any)
	if !isRow {
		return env
	}
	first := len(env)
	for column, value := range row {
		env = append(env, flow.ItemVariable(column)+"="+expression.Format(value))
	}
	slices.Sort(env[first:])
	return env
}

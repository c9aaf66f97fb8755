package flow

import (
	"slices"

	"wf/graph"
	"wf/scheduler/expression"
)

// References returns the nodes that the texts of some nodes, and of the edges that leave these, refer to,
// each once and in the order of the texts.
func (f *Flow) References(nodes []*graph.Node) []*graph.Node {
	seen := map[*graph.Node]bool{}
	var list []*graph.Node
	for _, n := range nodes {
		f.eachText(n, func(home *graph.Node, names *expression.Names) {
			for _, name := range names.Nodes {
				if n := f.FindIn(home, name); n != nil && !seen[n] {
					seen[n] = true
					list = append(list, n)
				}
			}
		})
	}
	return list
}

// eachText calls do for the texts of a node, and of the edges that leave it. home is the sub-flow to whose names a text refers,
// nil = the outer flow.
func (f *Flow) eachText(n *graph.Node, do func(home *graph.Node, names *expression.Names)) {
	if rules := f.rules[n]; rules != nil {
		rules.eachText(n, do)
	}
	for _, e := range n.Out {
		if c := f.conditions[e]; c != nil && c.Expr != nil {
			do(n.Home(), c.Expr.Names())
		}
	}
}

func (rules *Rules) eachText(n *graph.Node, do func(home *graph.Node, names *expression.Names)) {
	texts := []*expression.Text{rules.Wait, rules.WaitUntil, rules.Approve}
	for _, v := range rules.Env {
		texts = append(texts, v.Value)
	}
	if rules.Resources != nil {
		texts = append(texts, rules.Resources[:]...)
	}
	if sub := rules.Sub; sub != nil {
		texts = append(texts, sub.Times, sub.Table)
		if sub.Items != nil {
			do(n.Home(), sub.Items.Names())
		}
		for _, test := range []*expression.Expr{sub.Test, sub.StopWhen} {
			if test != nil {
				do(n, test.Names())
			}
		}
	}
	if rules.Sub != nil && rules.Sub.Unit != nil {
		for _, v := range rules.Sub.Unit.With {
			do(n.Home(), v.Value.Names())
		}
		for _, v := range rules.Sub.Unit.Outputs {
			do(n, v.Value.Names())
		}
	}
	for _, t := range texts {
		if t != nil {
			do(n.Home(), t.Names())
		}
	}
}

// readings are what the texts of a flow read besides parameters and outputs.
type readings struct {
	printed map[*graph.Node]bool // nodes whose stdout is read
	stored  []string             // keys of wf kv, sorted
}

// Printed reports whether a text reads what a node printed: its stdout.
func (f *Flow) Printed(n *graph.Node) bool { return f.readings().printed[n] }

// Stored returns the keys of wf kv that texts read, sorted.
func (f *Flow) Stored() []string { return f.readings().stored }

func (f *Flow) readings() *readings {
	if f.read != nil {
		return f.read
	}
	f.read = &readings{printed: map[*graph.Node]bool{}}
	for _, n := range f.g.Nodes() {
		f.eachText(n, f.noteReadings)
	}
	slices.Sort(f.read.stored)
	f.read.stored = slices.Compact(f.read.stored)
	return f.read
}

// noteReadings notes what a text reads. A name may stand for a node of any sub-flow around the text, as previous.NAME does, so
// all of them count.
func (f *Flow) noteReadings(home *graph.Node, names *expression.Names) {
	f.read.stored = append(f.read.stored, names.Stored...)
	for _, name := range names.Printed {
		for at := home; ; at = at.Home() {
			if n := f.FindIn(at, name); n != nil {
				f.read.printed[n] = true
			}
			if at == nil {
				break
			}
		}
	}
	if names.Inner == nil {
		return
	}
	for _, name := range names.Nodes {
		if sub := f.FindIn(home, name); sub != nil && sub.SubFlow() {
			f.notePrintedIn(sub, names.Inner)
		}
	}
}

// notePrintedIn notes that a text reads what nodes of a sub-flow printed: those with these local names or ids, "" = all.
func (f *Flow) notePrintedIn(sub *graph.Node, names []string) {
	for local, n := range f.Members(sub) {
		if slices.Contains(names, "") || slices.Contains(names, local) || slices.Contains(names, n.ID) {
			f.read.printed[n] = true
		}
		if n.SubFlow() {
			f.notePrintedIn(n, names)
		}
	}
}

// Members returns the nodes of a sub-flow, nil = of the outer flow, by their local names.
func (f *Flow) Members(subFlow *graph.Node) map[string]*graph.Node {
	if flow := f.names().flows[subFlow]; flow != nil {
		return flow.byLocal
	}
	return nil
}

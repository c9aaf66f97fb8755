package flow

import (
	"wf/graph"
	"wf/scheduler/expression"
)

// References returns the nodes that the texts of some nodes, and of the edges that leave these, refer to,
// each once and in the order of the texts.
func (f *Flow) References(nodes []*graph.Node) []*graph.Node {
	a := references{f: f, seen: map[*graph.Node]bool{}}
	for _, n := range nodes {
		if rules := f.rules[n]; rules != nil {
			a.ofRules(n, rules)
		}
		for _, e := range n.Out {
			if c := f.conditions[e]; c != nil && c.Expr != nil {
				a.add(n.Home(), c.Expr.Nodes())
			}
		}
	}
	return a.list
}

type references struct {
	f    *Flow
	seen map[*graph.Node]bool
	list []*graph.Node
}

func (a *references) ofRules(n *graph.Node, rules *Rules) {
	texts := []*expression.Text{rules.Wait, rules.WaitUntil, rules.Approve}
	for _, v := range rules.Env {
		texts = append(texts, v.Value)
	}
	if rules.Resources != nil {
		texts = append(texts, rules.Resources[:]...)
	}
	if sub := rules.Sub; sub != nil {
		texts = append(texts, sub.Times)
		if sub.Items != nil {
			a.add(n.Home(), sub.Items.Nodes())
		}
		if sub.Test != nil {
			a.add(n, sub.Test.Nodes())
		}
		if sub.StopWhen != nil {
			a.add(n, sub.StopWhen.Nodes())
		}
	}
	for _, t := range texts {
		if t != nil {
			a.add(n.Home(), t.Nodes())
		}
	}
}

func (a *references) add(home *graph.Node, names []string) {
	for _, name := range names {
		if n := a.f.FindIn(home, name); n != nil && !a.seen[n] {
			a.seen[n] = true
			a.list = append(a.list, n)
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

package flow

import (
	"slices"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

// naming contains the names of nodes within their flows, with the handles at the time when it is made.
type naming struct {
	nodes  []*graph.Node
	handle map[*graph.Node]string
	local  map[*graph.Node]string // if it is not the handle
	flows  map[*graph.Node]*members
}

// members are the nodes of one flow: the outer one or that of a sub-flow.
type members struct {
	byLocal map[string]*graph.Node
	byID    map[string]*graph.Node
	names   []string // local names in file order

	byProgram map[string][]*graph.Node // made when a name is not found otherwise
}

func newNaming(g *graph.Graph) *naming {
	nodes, handles := g.Nodes(), graph.Handles(g)
	t := &naming{nodes: slices.Clone(nodes), handle: make(map[*graph.Node]string, len(nodes)),
		local: graph.LocalNames(g), flows: map[*graph.Node]*members{}}
	for _, n := range nodes {
		t.handle[n] = handles.Of(n)
		home, local := n.Home(), t.of(n)
		flow := t.flows[home]
		if flow == nil {
			flow = &members{byLocal: map[string]*graph.Node{}, byID: map[string]*graph.Node{}}
			t.flows[home] = flow
		}
		flow.byLocal[local], flow.byID[n.ID], flow.byID[n.OwnID()] = n, n, n
		flow.names = append(flow.names, local)
	}
	return t
}

// of returns the local name of a node.
func (t *naming) of(n *graph.Node) string {
	if name, ok := t.local[n]; ok {
		return name
	}
	return t.handle[n]
}

// in returns the node that a name means in a flow, without the flows around it. A group is found only if no
// other node has the name.
func (t *naming) in(home *graph.Node, name string) *graph.Node {
	flow := t.flows[home]
	if flow == nil {
		return nil
	}
	named, other := flow.byLocal[name], flow.byID[name]
	if named == nil || isGroup(named) && other != nil {
		named = other
	}
	if named == nil {
		return flow.running(name)
	}
	return named
}

// running returns the only node of a flow whose command runs a program, if its handle says more than that.
func (m *members) running(program string) (only *graph.Node) {
	if m.byProgram == nil {
		m.byProgram = map[string][]*graph.Node{}
		for _, n := range m.byID {
			if word := graph.CommandWord(n); word != "" && strings.TrimSpace(n.Name) == "" {
				m.byProgram[word] = append(m.byProgram[word], n)
			}
		}
	}
	if nodes := m.byProgram[program]; len(nodes) == 1 {
		return nodes[0]
	}
	return nil
}

// LocalName returns the name of a node within its flow, as in paths (align[3]/trim) and results: its name
// if no other node of the flow has it, otherwise the handle that it had when Read was called (for a plain
// flow: when a name was first looked up).
func (f *Flow) LocalName(n *graph.Node) string { return f.names().of(n) }

// Find returns the node that nodes.NAME means in a text of the node from, nil = in a text of the graph: a
// node of its own flow, otherwise of the flows around it, the nearest first. It is nil if there is none.
func (f *Flow) Find(from *graph.Node, name string) *graph.Node {
	if from == nil {
		return f.FindIn(nil, name)
	}
	return f.FindIn(from.Home(), name)
}

// FindIn is Find for a text in a sub-flow, nil = in the outer flow. The tests of while and until belong to
// their own sub-flow.
func (f *Flow) FindIn(subFlow *graph.Node, name string) *graph.Node {
	for home := subFlow; ; home = home.Home() {
		if n := f.names().in(home, name); n != nil && !isGroup(n) {
			return n
		}
		if home == nil || home.Part() != nil {
			return nil
		}
	}
}

// maxHints bounds for how many names the whole graph is searched.
const maxHints = 100

// hint suggests a name to write instead of one that FindIn does not find.
func (f *Flow) hint(subFlow *graph.Node, name string) string {
	if f.hints++; f.hints > maxHints {
		return ""
	}
	t := f.names()
	visible := []string{}
	for home := subFlow; ; home = home.Home() {
		if n := t.in(home, name); n != nil {
			return name + " is a group: it does not run itself; name a node in it"
		}
		if flow := t.flows[home]; flow != nil {
			visible = append(visible, flow.names...)
		}
		if home == nil || home.Part() != nil {
			break
		}
	}
	for _, n := range t.nodes {
		if home := n.Home(); home != nil && (t.of(n) == name || n.ID == name) {
			seen := t.of(home)
			if f.FindIn(subFlow, seen) == home {
				return name + " is in the sub-flow " + seen + ": write " + expression.Member("nodes", seen) + ".results[i]" + expression.Member("", name)
			}
			return name + " is in the sub-flow " + seen + ", which cannot be seen from here"
		}
	}
	if slices.ContainsFunc(t.nodes, func(n *graph.Node) bool { return strings.TrimSpace(n.Name) == name }) {
		return "several nodes have that name: make it unique"
	}
	if word := expression.Closest(name, visible); word != "" {
		return "did you mean " + expression.Member("nodes", word) + "?"
	}
	return ""
}

// Scope returns the names that the texts of the nodes of a sub-flow may use, nil = of the outer flow.
func (f *Flow) Scope(home *graph.Node) expression.Scope { return *f.scope(home) }

// paramsIn returns the parameters that texts in a sub-flow see: those of the innermost workfile around it.
func (f *Flow) paramsIn(home *graph.Node) []Param {
	for ; home != nil; home = home.Home() {
		if part := home.Part(); part != nil {
			text, _ := part.Attr("params")
			if strings.TrimSpace(text) == "" {
				return nil
			}
			params, _ := ParseParams(text) // its problems are reported by unit
			return params
		}
	}
	return f.Params
}

// scope returns the scope of texts in a sub-flow, nil = in the outer flow.
func (f *Flow) scope(home *graph.Node) *expression.Scope {
	if s := f.scopes[home]; s != nil {
		return s
	}
	s := &expression.Scope{
		Node:    func(name string) bool { return f.FindIn(home, name) != nil },
		Results: func(name string) bool { n := f.FindIn(home, name); return n != nil && n.SubFlow() },
		Hint:    func(name string) string { return f.hint(home, name) },
	}
	s.Hidden = f.Secrets.Names
	params := f.paramsIn(home)
	for i := range params {
		s.Params = append(s.Params, params[i].Name)
		if params[i].Type == Secret {
			s.Secrets = append(s.Secrets, params[i].Name)
		}
	}
	if home != nil && home.Part() == nil {
		kind := kindOf(home)
		s.Item, s.Row = kind == Foreach, kind == Foreach && hasTable(home)
		s.Index = kind == Foreach || kind == Times
		if kind == While || kind == Until {
			s.Iteration = true
			s.Previous = func(name string) bool { n := f.names().in(home, name); return n != nil && !isGroup(n) }
		}
		s.Parent = f.scope(home.Home())
	}
	f.scopes[home] = s
	return s
}

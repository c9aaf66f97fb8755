package difference

import (
	"maps"
	"slices"

	"wf/graph"
)

// Edit returns the edit of before that gives it the definition of after: nodes, edges, attributes and positions. Statuses and
// marks of what exists in both stay, and so do the ids of nodes that correspond by name. anew is the number of nodes that
// the edit adds: those that before does not have, and those that are containers in only one of the versions. These lose what a
// workfile contains besides attributes, such as a drawing.
func (d *Difference) Edit() (edit graph.Batch, anew int) {
	m := &editMaker{Difference: d}
	m.nodeDefaults, m.edgeDefaults = defaultsOf(d.before.Nodes()), defaultsOf(d.before.Edges())
	m.findRebuilt()
	m.removeEdges()
	m.removeNodes(false)
	m.addNodes(false)
	m.moveNodes()
	m.removeNodes(true)
	m.addNodes(true)
	m.changeNodes()
	m.changeEdges()
	m.changeGraph()
	return graph.Batch{Ops: m.ops}, m.anew
}

// editMaker collects the ops of an edit.
type editMaker struct {
	*Difference
	rebuilt map[*graph.Node]bool // nodes of before that are removed and added again as something else
	holds   map[*graph.Node]bool // nodes of before that contain a node that stays
	ops     []graph.Op
	anew    int

	nodeDefaults, edgeDefaults []string // names of attributes that elements of before inherit
}

// defaultsOf returns the names of the attributes that elements inherit, which are the defaults of their file.
func defaultsOf[E element](elements []E) []string {
	names := map[string]bool{}
	for _, e := range elements {
		collect(names, nil, e.Inherited())
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return graph.Captured(name) })
	return slices.Sorted(maps.Keys(names))
}

// hide adds empty values for defaults that an added element shall not inherit.
func hide(extra map[string]string, defaults, besides []string) map[string]string {
	for _, name := range defaults {
		if _, has := extra[name]; has || slices.Contains(besides, name) {
			continue
		}
		if extra == nil {
			extra = map[string]string{}
		}
		extra[name] = ""
	}
	return extra
}

// These attributes are not compared as attributes. The specifications of nodes and edges have a field for each of them, except
// for the id: no edit changes it, although some files repeat it in an attribute.
var (
	nodeFields = []string{"id", "label", "name", "group", "status", "x", "y"}
	edgeFields = []string{"id", edgeType, "status"}
)

func (m *editMaker) add(op graph.Op) { m.ops = append(m.ops, op) }

// findRebuilt finds the nodes of before that exist in both versions and cannot stay, because no op makes a container of a command,
// or the opposite. Nodes in one that becomes a container are added again with it.
func (m *editMaker) findRebuilt() {
	m.rebuilt, m.holds = map[*graph.Node]bool{}, map[*graph.Node]bool{}
	withInner := map[*graph.Node]bool{}
	for _, was := range m.before.Nodes() { // containers come before the nodes inside
		is := m.later[was]
		if is == nil {
			continue
		}
		differs := was.Container != is.Container
		withInner[was] = differs && is.Container || withInner[was.Parent]
		m.rebuilt[was] = differs || withInner[was]
	}
	for _, was := range m.before.Nodes() {
		for p := was.Parent; p != nil && m.stays(was) && !m.holds[p]; p = p.Parent {
			m.holds[p] = true
		}
	}
}

// stays reports whether a node of before is neither removed nor rebuilt.
func (m *editMaker) stays(was *graph.Node) bool { return m.later[was] != nil && !m.rebuilt[was] }

// removeEdges removes edges between nodes that stay. The others disappear with their nodes.
func (m *editMaker) removeEdges() {
	for _, p := range m.pairs {
		if p.After == nil && m.stays(p.Before.Source) && m.stays(p.Before.Target) {
			m.add(graph.RemoveEdge{Key: p.Before.Key})
		}
	}
}

// removeNodes removes the nodes that do not stay. Those that contain one that stays come last, when that one has left.
func (m *editMaker) removeNodes(last bool) {
	for _, was := range slices.Backward(m.before.Nodes()) { // nodes inside a container come after it
		if !m.stays(was) && m.holds[was] == last {
			m.add(graph.RemoveNode{ID: was.ID})
		}
	}
}

func (m *editMaker) changeNodes() {
	for _, is := range m.after.Nodes() {
		was := m.earlier[is]
		if was == nil || m.rebuilt[was] {
			continue
		}
		for _, name := range nodeNames(was, is) {
			if value, remove, differs := target(was, is, name); differs {
				m.add(graph.SetNode{ID: was.ID, Attr: name, Value: value, Remove: remove})
			}
		}
		for _, name := range []string{"x", "y"} {
			value, own := is.Attr(name)
			have, has := was.Attr(name)
			if own != has || own && value != have { // a position in a drawing is not an attribute, and stays
				m.add(graph.SetNode{ID: was.ID, Attr: name, Value: value, Remove: !own})
			}
		}
	}
}

// target returns the value that an attribute of was needs so that it has the value of is: it is set, or removed so that an
// inherited value applies.
func target(was, is element, name string) (value string, remove, differs bool) {
	have, has := was.Attr(name)
	want, own := is.Attr(name)
	if !own && inherits(was, name) == want {
		return "", true, has
	}
	return want, false, !has || have != want
}

// inherits returns the inherited value of an attribute, or "".
func inherits(e element, name string) string {
	for _, a := range e.Inherited() {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// idOf returns the id that a node of after has after the edit.
func (m *editMaker) idOf(is *graph.Node) string {
	if was := m.earlier[is]; was != nil {
		return was.ID
	}
	return is.ID
}

// parentID returns the id that the container of a node of after has after the edit, "" for none.
func (m *editMaker) parentID(is *graph.Node) string {
	if is.Parent == nil {
		return ""
	}
	return m.idOf(is.Parent)
}

// moveNodes moves the nodes that stay to their containers. The container of each is at its final place already.
func (m *editMaker) moveNodes() {
	for _, is := range m.after.Nodes() {
		was := m.earlier[is]
		if was == nil || m.rebuilt[was] {
			continue
		}
		same := was.Parent == nil && is.Parent == nil || was.Parent != nil && is.Parent != nil && m.earlier[is.Parent] == was.Parent && m.stays(was.Parent)
		if !same {
			m.add(graph.MoveNode{ID: was.ID, Parent: m.parentID(is)})
		}
	}
}

// beforeID returns the id of the first node that moves into a new container from the place of that, "" if there is none.
func (m *editMaker) beforeID(container *graph.Node) string {
	for _, is := range m.after.Nodes()[container.Pos()+1:] {
		if was := m.earlier[is]; is.Parent == container && was != nil && m.stays(was) {
			if container.Parent == nil && was.Parent == nil || container.Parent != nil && was.Parent != nil && m.earlier[container.Parent] == was.Parent {
				return was.ID
			}
			return ""
		}
	}
	return ""
}

// addNodes adds the nodes that do not exist yet. Last come those whose ids are free only then.
func (m *editMaker) addNodes(last bool) {
	for _, is := range m.after.Nodes() { // containers come before the nodes inside
		was := m.earlier[is]
		if was != nil && !m.rebuilt[was] || m.holds[was] != last {
			continue
		}
		op := graph.AddNode{Node: specOf(is)}
		op.Node.ID = m.idOf(is)
		op.Node.Extra = hide(op.Node.Extra, m.nodeDefaults, nodeFields)
		if was != nil {
			op.Node.Status, op.Node.HasStatus = was.Attr("status")
		}
		if op.Parent = m.parentID(is); is.Container {
			op.Before = m.beforeID(is)
		}
		m.add(op)
		m.anew++
	}
}

// specOf describes a node with its own and its inherited attributes, without a status.
func specOf(n *graph.Node) graph.NodeSpec {
	spec := graph.NodeSpec{Key: graph.NewKey, Parent: -1, Container: n.Container}
	set := func(to *string, has *bool, name string) {
		if value := effective(n, name); value != nil {
			*to, *has = *value, true
		}
	}
	set(&spec.Label, &spec.HasLabel, "label")
	set(&spec.Name, &spec.HasName, "name")
	set(&spec.Group, &spec.HasGroup, "group")
	set(&spec.X, &spec.HasX, "x")
	set(&spec.Y, &spec.HasY, "y")
	spec.Extra = extraOf(n, nodeNames(n)[3:])
	return spec
}

// extraOf returns the attributes with these names that an element has or inherits, or nil.
func extraOf(e element, names []string) map[string]string {
	var extra map[string]string
	for _, name := range names {
		if value := effective(e, name); value != nil {
			if extra == nil {
				extra = map[string]string{}
			}
			extra[name] = *value
		}
	}
	return extra
}

// changeEdges changes edges that stay, and adds the others.
func (m *editMaker) changeEdges() {
	for _, p := range m.pairs {
		was, is := p.Before, p.After
		switch {
		case is == nil:
		case was != nil && m.stays(was.Source) && m.stays(was.Target):
			for _, name := range edgeNames(was, is) {
				if value, remove, differs := target(was, is, name); differs {
					m.add(graph.SetEdge{Key: was.Key, Attr: name, Value: value, Remove: remove})
				}
			}
		default:
			op := graph.AddEdge{Key: graph.NewKey, Source: m.idOf(is.Source), Target: m.idOf(is.Target), ID: is.ID, HasID: is.ID != ""}
			op.Type, op.HasType = is.Attr(edgeType)
			op.HasType = op.HasType || op.Type != ""
			op.Extra = hide(extraOf(is, edgeNames(is)[1:]), m.edgeDefaults, edgeFields)
			if was != nil {
				op.ID, op.HasID = was.ID, was.ID != ""
				op.Status, op.HasStatus = was.Attr("status")
			}
			m.add(op)
		}
	}
}

// changeGraph changes the attributes of the graph.
func (m *editMaker) changeGraph() {
	before, after := m.before.Attrs(), m.after.Attrs()
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		have, has := before[name]
		want, wanted := after[name]
		if has != wanted || have != want {
			m.add(graph.SetGraph{Attr: name, Value: want, Remove: !wanted})
		}
	}
}

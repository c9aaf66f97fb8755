package merge

import (
	"fmt"
	"maps"

	"wf/graph"
)

const edgeType = "edge_type"

// pick merges one value. conflict means that both versions changed it in different ways; then the result is ours.
func pick(base, ours, theirs string) (value string, conflict bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, false
	case ours == base:
		return theirs, false
	}
	return ours, true
}

// mergeNode sets the spec and the container of a slot.
func (m *merger) mergeNode(s *slot) {
	ours, theirs := s.ours, s.theirs
	if ours == nil {
		ours = s.theirs
	}
	if theirs == nil {
		theirs = s.ours
	}
	if ours == nil { // both removed it, and it must stay for others
		ours, theirs = s.base, s.base
	}
	values := [3]map[string]string{nodeValues(s.base), nodeValues(ours), nodeValues(theirs)}
	if s.base == nil && (s.ours == nil || s.theirs == nil) {
		values[0] = values[1]
	}
	own := ownValues(ours)
	s.spec = graph.NodeSpec{ID: m.freeID(ours.ID), Key: graph.NewKey, Inherited: ours.Inherited()}
	if s.ours == nil {
		own, s.spec.Inherited = nodeValues(ours), nil // defaults of the other file become values
	}
	for _, name := range sortedNames(values[:]...) {
		base, hers, his := values[0][name], values[1][name], values[2][name]
		value, conflict := pick(base, hers, his)
		if conflict && !isPosition(name) {
			m.differs(s.name(m), name, base, hers, his, &s.notes)
		}
		if value != hers {
			own[name] = value
		}
	}
	m.fill(&s.spec, own, ours)
	s.parent = m.mergeParent(s)
	_, kindA := m.container(s.base, ours)
	_, kindB := m.container(s.base, theirs)
	s.spec.Container = ours.Container
	if !kindA && kindB {
		s.spec.Container = theirs.Container
	}
	if ours.NoCommand && !theirs.NoCommand && theirs.Label == "" {
		s.spec.HasLabel = true
	}
}

// container returns whether a node is a container, and whether that is a change.
func (m *merger) container(base, n *graph.Node) (is, changed bool) {
	return n.Container, base != nil && base.Container != n.Container
}

// mergeParent returns the container of a node in the result.
func (m *merger) mergeParent(s *slot) *slot {
	of := func(n *graph.Node) *slot {
		if n == nil || n.Parent == nil {
			return nil
		}
		return m.place[n.Parent]
	}
	ours, theirs, base := of(s.ours), of(s.theirs), of(s.base)
	switch {
	case s.ours == nil && s.theirs == nil:
		return base
	case s.ours == nil:
		return theirs
	case s.theirs == nil, ours == theirs:
		return ours
	case s.base != nil && ours == base:
		return theirs
	case s.base != nil && theirs == base:
		return ours
	}
	m.conflict(s.name(m), "container", "in another container in each version", &s.notes)
	return ours
}

// freeID returns the id, or a similar one if another node of the result has it.
func (m *merger) freeID(id string) string {
	free := id
	for number := 2; m.ids[free]; number++ {
		free = fmt.Sprintf("%s_%d", id, number)
	}
	m.ids[free] = true
	return free
}

// fill sets the fields of a spec from values. An empty value is kept where it hides an inherited one.
func (m *merger) fill(spec *graph.NodeSpec, own map[string]string, n *graph.Node) {
	fields := map[string]struct {
		to  *string
		has *bool
	}{
		"label": {&spec.Label, &spec.HasLabel}, "name": {&spec.Name, &spec.HasName}, "group": {&spec.Group, &spec.HasGroup},
		"status": {&spec.Status, &spec.HasStatus}, "x": {&spec.X, &spec.HasX}, "y": {&spec.Y, &spec.HasY},
	}
	for name, value := range own {
		f, field := fields[name]
		_, had := n.Attr(name)
		hides := had || inherits(spec.Inherited, name)
		switch {
		case field:
			*f.to, *f.has = value, value != "" || hides
		case value != "" || hides:
			if spec.Extra == nil {
				spec.Extra = map[string]string{}
			}
			spec.Extra[name] = value
		}
	}
}

func inherits(list []graph.Attr, name string) bool {
	for _, a := range list {
		if a.Name == name && a.Value != "" {
			return true
		}
	}
	return false
}

// ownValues returns the attributes that a node itself has.
func ownValues(n *graph.Node) map[string]string {
	values := maps.Clone(n.Extra)
	if values == nil {
		values = map[string]string{}
	}
	for _, name := range []string{"label", "name", "group", "status", "x", "y"} {
		if value, own := n.Attr(name); own {
			values[name] = value
		}
	}
	return values
}

// nodeValues returns the attributes that a node has or inherits, without what runs write. Positions count only if they are
// attributes.
func nodeValues(n *graph.Node) map[string]string {
	values := map[string]string{}
	if n == nil {
		return values
	}
	for _, a := range n.Inherited() {
		if a.Name != "x" && a.Name != "y" && !graph.Captured(a.Name) {
			values[a.Name] = a.Value
		}
	}
	maps.Copy(values, ownValues(n))
	delete(values, "status")
	delete(values, "id")
	return values
}

func isPosition(name string) bool { return name == "x" || name == "y" }

// differs notes a value that both versions changed in different ways.
func (m *merger) differs(element, attr, base, ours, theirs string, notes *[]string) {
	text := fmt.Sprintf("%s in theirs: %s", attr, theirs)
	if theirs == "" {
		text = attr + " is removed in theirs"
	}
	if ours == "" {
		text += "\n" + attr + " is removed in ours; it was: " + base
	}
	m.conflict(element, attr, text, notes)
}

// edgeValues returns the attributes of an edge, with its type.
func edgeValues(e *graph.Edge) map[string]string {
	values := map[string]string{}
	if e == nil {
		return values
	}
	for _, a := range e.Inherited() {
		values[a.Name] = a.Value
	}
	maps.Copy(values, e.Extra)
	delete(values, "status")
	delete(values, "id")
	values[edgeType] = e.Type.String()
	return values
}

// decideEdges decides which edges the result has.
func (m *merger) decideEdges() {
	changed := func(base, e *graph.Edge) bool { return !maps.Equal(edgeValues(base), edgeValues(e)) }
	for _, l := range m.links {
		switch {
		case l.base == nil, l.ours != nil && l.theirs != nil:
			l.kept = true
		case l.ours != nil && changed(l.base, l.ours), l.theirs != nil && changed(l.base, l.theirs):
			l.kept = true
			if l.source.kept && l.target.kept {
				text := "removed in one version, changed in the other one"
				m.conflict("edge "+m.edgeName(l), "", "edge "+m.edgeName(l)+": "+text, &l.target.notes)
			}
		}
	}
}

// mergeEdge returns the edge of the result.
func (m *merger) mergeEdge(l *link) graph.EdgeSpec {
	ours, theirs := l.ours, l.theirs
	if ours == nil {
		ours = theirs
	}
	if theirs == nil {
		theirs = ours
	}
	values := [3]map[string]string{edgeValues(l.base), edgeValues(ours), edgeValues(theirs)}
	if l.base == nil && (l.ours == nil || l.theirs == nil) {
		values[0] = values[1]
	}
	spec := graph.EdgeSpec{Key: graph.NewKey, Source: l.source.index, Target: l.target.index, Inherited: ours.Inherited()}
	spec.ID, spec.HasID = ours.Attr("id")
	spec.Extra = maps.Clone(ours.Extra)
	if l.ours == nil {
		spec.Extra, spec.Inherited = edgeValues(ours), nil
		delete(spec.Extra, edgeType)
	} else {
		spec.Status, spec.HasStatus = ours.Attr("status")
	}
	spec.Type, spec.HasType = ours.Attr(edgeType)
	for _, name := range sortedNames(values[:]...) {
		base, hers, his := values[0][name], values[1][name], values[2][name]
		value, conflict := pick(base, hers, his)
		if conflict {
			m.differs("edge "+m.edgeName(l), "edge "+m.edgeName(l)+": "+name, base, hers, his, &l.target.notes)
		}
		switch {
		case value == hers:
		case name == edgeType:
			spec.Type, spec.HasType = value, true
		default:
			if spec.Extra == nil {
				spec.Extra = map[string]string{}
			}
			if spec.Extra[name] = value; value == "" && !inherits(spec.Inherited, name) {
				delete(spec.Extra, name)
			}
		}
	}
	return spec
}

// mergeGraph returns the attributes of the workflow, and notes about conflicts.
func (m *merger) mergeGraph() (attrs map[string]string, notes []string) {
	base, ours, theirs := m.base.Attrs(), m.ours.Attrs(), m.theirs.Attrs()
	attrs = maps.Clone(ours)
	for _, name := range sortedNames(base, ours, theirs) {
		value, conflict := pick(base[name], ours[name], theirs[name])
		if conflict {
			m.differs("the workflow", name, base[name], ours[name], theirs[name], &notes)
		}
		if value == ours[name] {
			continue
		}
		if attrs[name] = value; value == "" {
			delete(attrs, name)
		}
	}
	return attrs, notes
}

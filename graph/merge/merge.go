// Package merge combines two versions of a workflow that have a common ancestor, per node, edge and attribute. It does no I/O
// and has no state.
package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"wf/graph"
	"wf/graph/difference"
)

// A Conflict is what both versions changed in different ways. The result has the value of ours, and a note with the other
// value in the attribute graph.AttrConflict of the element.
type Conflict struct {
	Element string // "node align", "edge a -> b" or "the workflow"
	Attr    string // attribute; "" = one side removed what the other side changed
	Text    string // for people: what each side says
}

// Of merges ours and theirs, which both come from base. edit turns ours into the result. Statuses stay as in ours. The result
// does not depend on which version is called ours, except for the order of what both added, and for conflicts.
func Of(base, ours, theirs *graph.Graph) (edit graph.Batch, conflicts []Conflict) {
	m := &merger{base: base, ours: ours, theirs: theirs, a: difference.Of(base, ours), b: difference.Of(base, theirs),
		place: map[*graph.Node]*slot{}, ids: map[string]bool{}}
	m.collectNodes()
	m.collectEdges()
	m.decideNodes()
	m.decideEdges()
	m.keepEnds()
	m.breakCycles()
	result := m.build()
	edit, _ = difference.Of(ours, result).Edit()
	return edit, m.conflicts
}

// merger collects the result.
type merger struct {
	base, ours, theirs *graph.Graph
	a, b               *difference.Difference // of ours and of theirs, each from base

	slots     []*slot
	place     map[*graph.Node]*slot // of the nodes of all versions
	links     []*link
	ids       map[string]bool // of the nodes of the result
	conflicts []Conflict
}

// A slot is a node in up to three versions. Those in which it does not exist are nil.
type slot struct {
	base, ours, theirs *graph.Node
	kept               bool
	spec               graph.NodeSpec
	parent             *slot
	index              int // in the result
	notes              []string
}

// name returns the word for a node in messages.
func (s *slot) name(m *merger) string {
	switch {
	case s.ours != nil:
		return "node " + graph.Handles(m.ours).Of(s.ours)
	case s.theirs != nil:
		return "node " + graph.Handles(m.theirs).Of(s.theirs)
	}
	return "node " + graph.Handles(m.base).Of(s.base)
}

// A link is an edge in up to three versions.
type link struct {
	base, ours, theirs *graph.Edge
	source, target     *slot // conflicts are notes of the target, because people look at nodes
	kept               bool
}

// collectNodes makes the slots: the nodes of ours in their order, then those that only theirs added, then the others.
func (m *merger) collectNodes() {
	for _, n := range m.ours.Nodes() {
		s := &slot{ours: n, base: m.a.Earlier(n)}
		m.place[n], m.slots = s, append(m.slots, s)
		if s.base != nil {
			m.place[s.base] = s
		}
	}
	byName, byID := m.added()
	for _, n := range m.theirs.Nodes() {
		was := m.b.Earlier(n)
		s := m.place[was]
		if was == nil {
			if s = byName[n.Name]; n.Name == "" {
				if s = byID[n.ID]; s != nil && s.ours.Label != n.Label {
					s = nil // a program that numbers nodes gave both the same id
				}
			}
			if s != nil && (s.theirs != nil || s.ours.Container != n.Container) {
				s = nil
			}
		}
		if s == nil {
			s = &slot{base: was}
			m.slots = append(m.slots, s)
			if was != nil {
				m.place[was] = s
			}
		}
		s.theirs, m.place[n] = n, s
	}
	for _, n := range m.base.Nodes() {
		if m.place[n] == nil { // both removed it
			m.place[n] = &slot{base: n}
		}
	}
}

// added returns the nodes that only ours added: by names, and those without a name by ids.
func (m *merger) added() (byName, byID map[string]*slot) {
	byName, byID = map[string]*slot{}, map[string]*slot{}
	for _, s := range m.slots {
		switch {
		case s.base != nil:
		case s.ours.Name != "":
			byName[s.ours.Name] = s
		default:
			byID[s.ours.ID] = s
		}
	}
	return byName, byID
}

// ends identify an edge that was added.
type ends struct{ source, target *slot }

// collectEdges makes the links, in the order of ours, then of theirs.
func (m *merger) collectEdges() {
	byBase, added := map[*graph.Edge]*link{}, map[ends][]*link{}
	for _, p := range m.a.Pairs() {
		l := &link{base: p.Before, ours: p.After}
		m.links = append(m.links, l)
		if p.Before != nil {
			byBase[p.Before] = l
		}
		e := cmp.Or(p.After, p.Before)
		l.source, l.target = m.place[e.Source], m.place[e.Target]
		if p.Before == nil {
			added[ends{l.source, l.target}] = append(added[ends{l.source, l.target}], l)
		}
	}
	for _, p := range m.b.Pairs() {
		l := byBase[p.Before]
		if p.Before == nil {
			at := ends{m.place[p.After.Source], m.place[p.After.Target]}
			if l = nil; len(added[at]) > 0 { // both added an edge between these nodes
				l, added[at] = added[at][0], added[at][1:]
			} else {
				l = &link{source: at.source, target: at.target}
				m.links = append(m.links, l)
			}
		}
		l.theirs = p.After
	}
}

// conflict notes a conflict.
func (m *merger) conflict(element, attr, text string, notes *[]string) {
	m.conflicts = append(m.conflicts, Conflict{element, attr, text})
	*notes = append(*notes, text)
}

// decideNodes decides which nodes the result has, and what they are.
func (m *merger) decideNodes() {
	changedA, changedB := changedNodes(m.a), changedNodes(m.b)
	for _, s := range m.slots {
		switch {
		case s.ours != nil && s.theirs != nil, s.base == nil:
			s.kept = true
		case s.ours != nil && changedA[s.base], s.theirs != nil && changedB[s.base]:
			s.kept = true
			m.removedAndChanged(s)
		}
		if s.kept {
			m.mergeNode(s)
		}
	}
}

// removedAndChanged notes that one version removed what the other one changed.
func (m *merger) removedAndChanged(s *slot) {
	text := "removed in theirs, changed in ours"
	if s.ours == nil {
		text = "removed in ours, changed in theirs"
	}
	m.conflict(s.name(m), "", text, &s.notes)
}

// changedNodes returns the nodes of base that a version changed.
func changedNodes(d *difference.Difference) map[*graph.Node]bool {
	changed := map[*graph.Node]bool{}
	for _, n := range d.Nodes {
		if n.Before != nil && n.After != nil {
			changed[n.Before] = true
		}
	}
	return changed
}

// keepEnds keeps nodes that the result needs: containers of kept nodes, and ends of edges that one version added or changed
// while the other one removed the node. Other edges of removed nodes disappear with them.
func (m *merger) keepEnds() {
	keep := func(s *slot, why string) {
		for ; s != nil && !s.kept; s = s.parent {
			s.kept = true
			m.conflict(s.name(m), "", why, &s.notes)
			m.mergeNode(s)
		}
	}
	for _, s := range m.slots {
		if s.kept && s.parent != nil {
			keep(s.parent, "removed in one version, and the other one has a new node in it")
		}
	}
	for _, l := range m.links {
		if !l.kept {
			continue
		}
		for _, s := range []*slot{l.source, l.target} {
			if s.kept {
				continue
			}
			if l.base != nil {
				l.kept = false
				continue
			}
			keep(s, "removed in one version, and the other one has a new edge "+m.edgeName(l))
		}
	}
}

// breakCycles puts containers back where ours has them if both versions together would put them into one another.
func (m *merger) breakCycles() {
	for _, s := range m.slots {
		if s.parent == nil || !m.inside(s, s.parent) {
			continue
		}
		m.conflict(s.name(m), "container", "each version puts it into a container that the other one puts into it", &s.notes)
		if s.parent = nil; s.ours != nil && s.ours.Parent != nil {
			s.parent = m.place[s.ours.Parent]
		}
	}
}

// inside reports whether a container lies inside a slot.
func (m *merger) inside(s, c *slot) bool {
	for steps := 0; c != nil && steps <= len(m.slots); c, steps = c.parent, steps+1 {
		if c == s {
			return true
		}
	}
	return false
}

func (m *merger) edgeName(l *link) string {
	return strings.TrimPrefix(l.source.name(m), "node ") + " -> " + strings.TrimPrefix(l.target.name(m), "node ")
}

// build returns the result as a graph.
func (m *merger) build() *graph.Graph {
	var nodes []graph.NodeSpec
	var edges []graph.EdgeSpec
	done := map[*slot]bool{}
	var add func(s *slot)
	add = func(s *slot) { // containers first
		if done[s] || !s.kept {
			return
		}
		done[s] = true
		s.spec.Parent = -1
		if s.parent != nil {
			add(s.parent)
			s.spec.Parent = s.parent.index
		}
		s.index = len(nodes)
		nodes = append(nodes, s.spec)
	}
	for _, s := range m.slots {
		add(s)
	}
	for _, l := range m.links {
		if l.kept {
			edges = append(edges, m.mergeEdge(l))
		}
	}
	for s := range done {
		setNotes(&nodes[s.index].Extra, s.notes)
	}
	attrs, notes := m.mergeGraph()
	setNotes(&attrs, notes)
	g, err := graph.Build(nodes, edges, attrs)
	if err != nil {
		panic("internal error: merged workflow: " + err.Error())
	}
	return g
}

// setNotes sets the attribute with the conflicts of an element.
func setNotes(attrs *map[string]string, notes []string) {
	if len(notes) == 0 {
		return
	}
	if *attrs = maps.Clone(*attrs); *attrs == nil {
		*attrs = map[string]string{}
	}
	text := strings.Join(notes, "\n")
	if earlier := (*attrs)[graph.AttrConflict]; earlier != "" {
		text = earlier + "\n" + text
	}
	(*attrs)[graph.AttrConflict] = text
}

// sortedNames returns the names that any of the maps has.
func sortedNames(maps ...map[string]string) []string {
	all := map[string]bool{}
	for _, m := range maps {
		for name := range m {
			all[name] = true
		}
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// String returns the conflict in one line.
func (c Conflict) String() string {
	text, _, _ := strings.Cut(c.Text, "\n")
	return c.Element + ": " + text
}

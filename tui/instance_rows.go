package tui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client/runview"
	"wf/tui/dialog"
	"wf/tui/drawing"
)

// innerOf returns the selected row below a node, or nil if the selection is something else.
func (p *picture) innerOf() *innerRow {
	if p.selected.Kind != drawing.ARow || int(p.selected.Index) >= len(p.inner) {
		return nil
	}
	return &p.inner[p.selected.Index]
}

// openInner opens or closes the selected sub-flow or instance, or turns the page. It returns false if the selection
// cannot be opened.
func (p *picture) openInner(f *runview.Workfile) bool {
	if i := p.node(); i >= 0 && p.selected.Kind == drawing.ANode && len(f.Members[i]) > 0 {
		p.fold(f.Nodes[i].Name)
		return true
	}
	in := p.innerOf()
	switch {
	case in == nil || in.kind == aTemplate || in.kind == aCount:
		return false
	case in.kind == aPage && !p.expanded[openKey(in.path)]:
		p.fold(in.path)
		p.layout = nil
	case in.kind == aPage:
		p.page(in.path).first, p.page(in.path).known = in.first, false
	case in.kind == anInstance:
		p.fold(in.path)
	case in.node != nil && in.node.Instances != nil:
		p.fold(in.path)
	default:
		return false
	}
	return true
}

// closeInner closes the innermost open instance or sub-flow that contains the selection, and selects it.
func (p *picture) closeInner(f *runview.Workfile) bool {
	path, owner := "", -1
	if in := p.innerOf(); in != nil {
		path, owner = in.path, p.graph.Rows[p.selected.Index].Node
	} else if owner = p.node(); owner < 0 {
		return false
	}
	top := f.Nodes[owner].Name
	for path != "" && !p.expanded[openKey(path)] {
		path = path[:max(0, strings.LastIndexAny(path, "[/"))]
	}
	switch {
	case path != "" && path != top && strings.HasPrefix(path, top):
		p.fold(path)
		p.anchor = openKey(path)
		p.keepSelected()
	case p.expanded[openKey(top)]:
		p.fold(top)
		p.choose(drawing.NodeItem(owner))
	default:
		return false
	}
	return true
}

// fold opens a closed sub-flow or instance, or closes an open one.
func (p *picture) fold(path string) {
	key := openKey(path)
	if p.expanded[key] = !p.expanded[key]; !p.expanded[key] {
		delete(p.expanded, key)
		maps.DeleteFunc(p.pages, func(other string, _ *instancePage) bool {
			return other == path || strings.HasPrefix(other, path+"[") || strings.HasPrefix(other, path+"/")
		})
	}
}

// openPaths returns the open sub-flows and instances in the order of the rows, with the selectors of their visible
// instances.
func (p *picture) openPaths(f *runview.Workfile) (list []innerRow) {
	for i := range f.Members {
		if n := &f.Nodes[i]; f.Outer(i) && p.expanded[openKey(n.Name)] && n.Instances != nil && n.Instances.Begun > 0 {
			list = append(list, p.pageOf(n.Name, n.Instances))
		}
	}
	for i := range p.inner {
		in := &p.inner[i]
		switch {
		case !p.expanded[openKey(in.path)]:
		case in.kind == anInstance:
			list = append(list, innerRow{kind: anInstance, path: in.path})
		case in.kind == aMember && in.node != nil && in.node.Instances != nil:
			list = append(list, p.pageOf(in.path, in.node.Instances))
		}
	}
	return list
}

// pageOf returns the visible page of a sub-flow, with the selectors of its instances.
func (p *picture) pageOf(path string, in *api.Instances) innerRow {
	row := innerRow{kind: aPage, path: path, first: p.page(path).first}
	row.first = max(0, min(row.first, in.Begun-1)) // a new activation may have fewer instances
	row.selectors = instanceOrder{in}.selectors(path, row.first, min(row.first+pageSize, in.Begun)-1)
	return row
}

// keepSelected restores the selected row after the rows have changed.
func (p *picture) keepSelected() {
	if p.selected.Kind != drawing.ARow && !strings.HasPrefix(p.anchor, openKey("")) {
		return // the selection is not a row, and no row is expected
	}
	if in := p.innerOf(); in != nil && p.graph.Rows[p.selected.Index].Key == p.anchor {
		return
	}
	for i := range p.graph.Rows {
		if p.graph.Rows[i].Key == p.anchor {
			p.selected = drawing.Item{Kind: drawing.ARow, Index: int32(i)}
			return
		}
	}
	if p.selected.Kind == drawing.ARow {
		p.selected = p.find(p.owner)
	}
}

// openTo opens all sub-flows and instances on a path, and selects its row as soon as it exists.
func (p *picture) openTo(path string) {
	p.owner = p.anchor
	for i := range path {
		if path[i] == '[' || path[i] == '/' {
			p.expanded[openKey(path[:i])] = true
		}
	}
	p.layout = nil
	p.anchor = openKey(path)
}

// inSubFlow reports whether the selection is in a sub-flow that has instances.
func inSubFlow(m *model) bool {
	if !hasFile(m) {
		return false
	}
	_, begun := m.doc.subFlowAt()
	return begun > 0
}

// instancePrompt asks for the number of an instance.
func (d *document) instancePrompt() tea.Msg {
	path, begun := d.subFlowAt()
	return openDialog{&dialog.Prompt{Label: path + " instance:", Hint: func(text string) (string, bool) {
		_, err := instanceOf(text, begun)
		return fmt.Sprintf("0 to %d", begun-1), err != nil && text != ""
	}, Enter: func(text string) tea.Msg {
		k, err := instanceOf(text, begun)
		if err != nil {
			return failed{err}
		}
		page := d.picture.page(path)
		owner := d.shown().SubFlowNamed(strings.SplitN(path, "[", 2)[0])
		place := k
		if n := &d.shown().Nodes[owner]; n.Name == path && n.Instances != nil {
			place = instanceOrder{n.Instances}.place(k)
		}
		page.first, page.known = place/pageSize*pageSize, false
		d.picture.goToInstance(d.shown().Nodes[owner].ID, path, k)
		return nil
	}}}
}

// instanceOf reads the number of an instance.
func instanceOf(text string, begun int) (int, error) {
	k, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || k < 0 || k >= begun {
		return 0, fmt.Errorf("%s: the instances are 0 to %d", text, begun-1)
	}
	return k, nil
}

// goToInstance opens a sub-flow, and selects one of its instances as soon as it has a row.
func (p *picture) goToInstance(owner, path string, k int) {
	p.expanded[openKey(path)] = true
	p.owner = owner
	p.anchor = openKey(fmt.Sprintf("%s[%d]", path, k))
	p.layout = nil
}

// A failure is the place of a failure: a node, a row below it, or an instance without a row.
type failure struct {
	node     int
	row      int // -1 = none
	instance int // number of the failed instance; -1 = the place is not an instance
}

// failures returns the places of all failures in the order of the file: nodes, and below sub-flows the failed
// instances. An open instance is represented by its failed nodes.
func (p *picture) failures(f *runview.Workfile) (places []failure) {
	rows := map[int][]int{} // row numbers by node
	for row := range p.inner {
		node := p.graph.Rows[row].Node
		rows[node] = append(rows[node], row)
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if !f.Outer(i) {
			continue
		}
		if s := runview.FoldedState(n); s == api.StateFailed || s == api.StateHandled {
			places = append(places, failure{i, -1, -1})
		}
		places = append(places, p.failuresIn(i, n, rows[i])...)
	}
	return places
}

// failuresIn returns the places below a node: for a sub-flow its instances by number, then other rows.
func (p *picture) failuresIn(node int, n *api.NodeStatus, rows []int) (places []failure) {
	below := map[int][]failure{} // failed rows by the instance that contains them
	shown := map[int]bool{}
	for _, row := range rows {
		in := &p.inner[row]
		k := -1
		if n.SubFlow != "" && strings.HasPrefix(in.path, n.Name+"[") {
			k = runview.NumberBelow(n.Name, in.path)
			shown[k] = true
		}
		if in.state == api.StateFailed && !(in.kind == anInstance && p.expanded[openKey(in.path)]) {
			below[k] = append(below[k], failure{node, row, -1})
		}
	}
	if n.Instances != nil {
		for _, k := range n.Instances.Failed {
			if places = append(places, below[k]...); !shown[k] {
				places = append(places, failure{node, -1, k})
			}
			delete(below, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(below)) {
		places = append(places, below[k]...)
	}
	return places
}

// place returns the place of the selection.
func (p *picture) place() failure {
	if p.innerOf() != nil {
		return failure{p.graph.Rows[p.selected.Index].Node, int(p.selected.Index), -1}
	}
	if i := p.node(); i >= 0 {
		return failure{i, -1, -1}
	}
	if some := p.nodes(); len(some) > 0 {
		return failure{some[0], -2, -1} // before all nodes of the stage
	}
	return failure{-1, -1, -1}
}

// before reports whether a place precedes another one. Both must be nodes or rows.
func (f failure) before(other failure) bool {
	return f.node < other.node || f.node == other.node && f.row < other.row
}

// repeatable returns the path of the selected instance, or of the selected node in an instance, so that a run can repeat
// it, or "".
func (p *picture) repeatable() string {
	if in := p.innerOf(); in != nil && (in.kind == anInstance || in.kind == aMember) {
		return cmp.Or(in.name, in.path) // named by its item
	}
	return ""
}

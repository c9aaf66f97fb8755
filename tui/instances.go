package tui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/tui/drawing"
	"wf/tui/words"
)

// Limits for the rows of a sub-flow: instances on a page, urgent instances before the page, and urgent instances
// below a folded sub-flow.
const (
	pageSize   = 20
	urgentRows = 5
	foldedRows = 3
)

// An innerRow describes a row below a node.
type innerRow struct {
	kind   innerKind
	path   string          // of a sub-flow, an instance or a node in an instance
	name   string          // display name of an instance
	member int             // the node of the workfile that the row belongs to, or -1
	node   *api.NodeStatus // a node in an instance; nil for other rows
	state  api.State
	first  int // place of the first instance of a page

	selectors []string // of the instances of a page to be requested
}

type innerKind uint8

const (
	aTemplate innerKind = iota // a node as defined in the workfile
	anInstance
	aMember // a node in an instance
	aPage   // turns the page
	aCount  // the number of instances by state
)

// An instancePage contains the loaded data about some instances of a sub-flow. Failed instances come first, then all
// others by number (see instanceOrder).
type instancePage struct {
	first int // place of the first instance
	nodes map[int][]api.NodeStatus
	known bool
	deep  bool // contains nodes of nested sub-flows
}

// openKey returns the key of a sub-flow, instance or node in the set of expanded items.
func openKey(path string) string { return "in " + path }

// A rowMaker makes the rows below nodes.
type rowMaker struct {
	f     *runview.Workfile
	p     *picture
	now   time.Time
	root  int // the node below which the rows stand
	depth int
}

// rowsOf creates the rows of a flow: the contents of open items, and the failures and questions that a fold must
// show.
func (p *picture) rowsOf(f *runview.Workfile, now time.Time) {
	p.graph.Rows, p.inner = p.graph.Rows[:0], p.inner[:0]
	if len(f.Members) == 0 {
		return
	}
	subFlows := make([]int, 0, len(f.Members))
	for i := range f.Members {
		if f.Outer(i) && (p.hidden == nil || i < len(p.hidden) && !p.hidden[i]) {
			subFlows = append(subFlows, i)
		}
	}
	slices.Sort(subFlows)
	for _, i := range subFlows {
		r := rowMaker{f: f, p: p, now: now, root: i}
		n := &f.Nodes[i]
		switch {
		case p.expanded[openKey(n.Name)]:
			r.templates(i)
			r.instances(i, n.Name, n.Instances)
		case p.view != drawing.Chart && n.Instances != nil:
			r.urgent(i, n.Name, n.Instances, foldedRows)
		}
	}
}

// add adds a row.
func (r *rowMaker) add(row drawing.Row, in innerRow) {
	row.Node, row.Depth = r.root, r.depth
	if in.state != "" {
		row.State = drawStates[in.state]
	}
	if row.Key == "" {
		row.Key = openKey(in.path)
	}
	r.p.graph.Rows, r.p.inner = append(r.p.graph.Rows, row), append(r.p.inner, in)
}

// templates adds the nodes of a sub-flow as defined in the workfile.
func (r *rowMaker) templates(subFlow int) {
	for _, i := range r.f.Members[subFlow] {
		n := &r.f.Nodes[i]
		text := runview.LocalName(n.Name) + "  " + strings.TrimSpace(n.Command)
		if n.SubFlow != "" {
			text = runview.LocalName(n.Name) + "  " + n.SubFlow
		}
		r.add(drawing.Row{Key: "template " + n.ID, Note: drawing.Model, Name: text, Marked: r.p.marked[n.ID]},
			innerRow{kind: aTemplate, path: n.ID, member: i})
		r.depth++
		r.templates(i)
		r.depth--
	}
}

// urgent adds at most this number of instances that failed or wait for a person, and a row with the number of the
// others.
func (r *rowMaker) urgent(subFlow int, path string, in *api.Instances, most int) (shown map[string]bool) {
	shown = map[string]bool{}
	if in == nil {
		return shown
	}
	left := map[api.State]int{api.StateFailed: in.Counts.Failed, api.StateWaiting: in.Counts.Waiting}
	for _, s := range in.Notable {
		if left[s.State] == 0 || most == 0 {
			continue
		}
		left[s.State]--
		most--
		shown[s.Path] = true
		r.instance(subFlow, s, r.f.InstancesLeft[r.root][runview.InstanceNumber(s.Path)])
	}
	for _, state := range []api.State{api.StateFailed, api.StateWaiting} {
		if n := left[state]; n > 0 && len(shown) > 0 && !r.p.expanded[openKey(path)] {
			r.add(drawing.Row{Key: "more " + string(state) + " " + path, Note: drawing.More, Name: fmt.Sprintf("%d more %s", n, state)},
				innerRow{kind: aPage, path: path, member: -1})
		}
	}
	return shown
}

// instances adds the instances of a sub-flow: first those that failed, wait or run, then the visible page.
func (r *rowMaker) instances(subFlow int, path string, in *api.Instances) {
	if in == nil || in.Begun == 0 {
		return
	}
	page := r.p.page(path)
	if own := r.f.InstancesLeft[r.root]; own != nil && path == r.f.Nodes[r.root].Name {
		page.nodes, page.known, page.deep = own, true, true
	}
	if in.Begun <= pageSize {
		page.first = 0
		r.sorted(subFlow, path, in, page)
		return
	}
	r.add(drawing.Row{Key: "counts " + path, Note: drawing.More, Name: strings.Join(words.CountParts(in.Counts, "not reached"), ", ")},
		innerRow{kind: aCount, path: path, member: -1})
	shown := r.urgent(subFlow, path, withoutFailed(in), urgentRows)
	for _, s := range in.Notable {
		if (s.State == api.StateRunning || s.State == api.StateRetrying) && len(shown) < 2*urgentRows {
			shown[s.Path] = true
			r.instance(subFlow, s, r.f.InstancesLeft[r.root][runview.InstanceNumber(s.Path)])
		}
	}
	page.first = max(0, min(page.first, (in.Begun-1)/pageSize*pageSize))
	last := min(page.first+pageSize, in.Begun)
	order := instanceOrder{in}
	turn := func(first int, n int, where string) {
		r.add(drawing.Row{Key: "page " + where + " " + path, Note: drawing.More, Name: fmt.Sprintf("%d %s", n, where)}, innerRow{kind: aPage, path: path, member: -1, first: first})
	}
	if page.first > 0 {
		turn(page.first-pageSize, page.first, "before")
	}
	for place := page.first; place < last; place++ {
		k := order.number(place)
		s := page.status(path, k)
		if at := slices.IndexFunc(in.Notable, func(n api.InstanceStatus) bool { return n.Path == s.Path }); at >= 0 {
			s = in.Notable[at]
		} else if place < len(in.Failed) {
			s.State = api.StateFailed // the summary is newer than the page
		}
		if !shown[s.Path] {
			r.instance(subFlow, s, page.nodes[k])
		}
	}
	if last < in.Begun {
		turn(last, in.Begun-last, "after")
	}
}

// withoutFailed returns a summary without the failed instances, which are on the first pages.
func withoutFailed(in *api.Instances) *api.Instances {
	rest := *in
	rest.Counts.Failed, rest.Notable = 0, nil
	for _, s := range in.Notable {
		if s.State != api.StateFailed {
			rest.Notable = append(rest.Notable, s)
		}
	}
	return &rest
}

// An instanceOrder is the order of instances on pages: those that failed, then all others by number.
type instanceOrder struct{ *api.Instances }

// number returns the number of the instance at a place.
func (o instanceOrder) number(place int) int {
	if place < len(o.Failed) {
		return o.Failed[place]
	}
	k := place - len(o.Failed)
	for _, failed := range o.Failed { // ascending: each failed instance at or before k shifts it by one
		if failed > k {
			break
		}
		k++
	}
	return k
}

// place returns the place of an instance.
func (o instanceOrder) place(number int) int {
	before, failed := slices.BinarySearch(o.Failed, number)
	if failed {
		return before
	}
	return number + len(o.Failed) - before
}

// selectors returns the selectors of the instances from place first to last.
func (o instanceOrder) selectors(path string, first, last int) []string {
	var numbers []int
	for place := first; place <= last; place++ {
		numbers = append(numbers, o.number(place))
	}
	slices.Sort(numbers)
	var list []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		list = append(list, fmt.Sprintf("%s[%d-%d]", path, numbers[i], numbers[j]))
		i = j + 1
	}
	return list
}

// sorted adds all instances of a sub-flow that has few.
func (r *rowMaker) sorted(subFlow int, path string, in *api.Instances, page *instancePage) {
	all := make([]api.InstanceStatus, in.Begun)
	for k := range all {
		all[k] = page.status(path, k)
	}
	for _, s := range in.Notable { // the summary is newer than the page
		if k := runview.InstanceNumber(s.Path); k >= 0 && k < len(all) {
			all[k] = s
		}
	}
	slices.SortStableFunc(all, func(a, b api.InstanceStatus) int {
		rank := func(s api.InstanceStatus) int {
			if api.Notable(s.State) {
				return api.Severity(s.State)
			}
			return math.MaxInt // the others stay in the order of their numbers
		}
		return cmp.Compare(rank(a), rank(b))
	})
	for _, s := range all {
		r.instance(subFlow, s, page.nodes[runview.InstanceNumber(s.Path)])
	}
}

// instance adds an instance, and its nodes if it is open.
func (r *rowMaker) instance(subFlow int, s api.InstanceStatus, nodes []api.NodeStatus) {
	text := strings.Join(words.CountParts(s.Counts, "not reached"), ", ")
	if s.Counts.Total() == 0 {
		text = ""
	}
	if s.Item != "" && s.Name == "" {
		text = strings.TrimSuffix(s.Item+": "+text, ": ")
	}
	r.add(drawing.Row{Name: runview.LocalName(cmp.Or(s.Name, s.Path)), Detail: text}, innerRow{kind: anInstance, path: s.Path, name: cmp.Or(s.Name, s.Path), member: -1, state: s.State})
	if !r.p.expanded[openKey(s.Path)] {
		return
	}
	if own := r.p.pages[s.Path]; own != nil {
		nodes = own.nodes[0]
	}
	r.depth++
	defer func() { r.depth-- }()
	for i := range nodes {
		n := &nodes[i]
		if strings.Count(n.ID, "/") != strings.Count(s.Path, "/")+1 && r.f.InstancesLeft == nil {
			continue // a node of a nested sub-flow, which has its own row to open it
		}
		at := r.f.Member(r.root, n.ID)
		row := drawing.Row{Name: strings.TrimPrefix(n.ID, s.Path+"/"), Detail: detail(n, r.now), Instances: instanceCount(n)}
		r.add(row, innerRow{kind: aMember, path: n.ID, member: at, node: n, state: runview.FoldedState(n)})
		if n.Instances != nil && r.p.expanded[openKey(n.ID)] {
			r.depth++
			r.instances(at, n.ID, n.Instances)
			r.depth--
		}
	}
}

// status returns the page's data about an instance.
func (p *instancePage) status(path string, k int) api.InstanceStatus {
	return runview.InstanceStatus(path, k, p.nodes[k], p.deep)
}

// page returns the visible page of a sub-flow.
func (p *picture) page(path string) *instancePage {
	if p.pages == nil {
		p.pages = map[string]*instancePage{}
	}
	if p.pages[path] == nil {
		p.pages[path] = &instancePage{}
	}
	return p.pages[path]
}

// instanceCount returns the counts of the instances of a node, or nil if it has none.
func instanceCount(n *api.NodeStatus) *drawing.Instances {
	in := n.Instances
	if in == nil || in.Begun == 0 && in.Total == 0 {
		return nil
	}
	t := &drawing.Instances{Total: in.Total}
	if t.Total == 0 && (n.State != api.StateRunning && n.State != api.StateQueued) {
		t.Total = in.Begun
	}
	for state, drawn := range drawStates {
		t.Counts[drawn] = in.Counts.Of(state)
	}
	return t
}

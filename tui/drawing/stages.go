package drawing

import (
	"slices"
	"sort"

	"github.com/charmbracelet/x/ansi"
)

// stageRow is a row of the view of stages: a stage, one of its nodes, the rest of its nodes, or several consecutive
// waiting stages.
type stageRow struct {
	item  Item
	stage int32 // the last stage that it shows
	count int   // number of its nodes or stages
}

// stagesView draws one row per stage, and below it rows for nodes that must be visible.
type stagesView struct {
	graph *Graph
	*folded
	lanes  *lanes
	when   []string         // by stage: the condition of the only edge to it
	wide   int              // width of the longest name
	times  int              // width of the largest ×count
	number map[string]int32 // stage by the id of a node
	back   [][]string       // by stage: the names of the targets of loops

	// Of the frame.
	look   Look
	counts []Counts
	rows   []stageRow
	order  []Item
	open   []bool // by stage: whether it is expanded
	lines  laneLook
}

func newStagesView(g *Graph, o Options) *stagesView {
	w, nodes, _ := contract(g, o.Hidden)
	s := &stagesView{graph: g, folded: newFolded(g, w, nodes), number: map[string]int32{}}
	place := make([]int32, len(s.stages))
	for i, stage := range s.stages {
		place[i] = int32(i)
		s.wide = max(s.wide, ansi.StringWidth(stage.name))
		if n := len(stage.nodes); n > 1 {
			s.times = max(s.times, 1+digits(n))
		}
		for _, v := range stage.nodes {
			s.number[g.Nodes[v].ID] = int32(i)
		}
	}
	s.back = make([][]string, len(s.stages))
	for i, targets := range s.web.loopTargets() {
		for _, t := range targets {
			s.back[i] = append(s.back[i], t.text(s.stages[t.to].name))
		}
	}
	s.lanes, s.when = newLanes(s.web, place), conditions(g, s.web)
	s.counts, s.open = make([]Counts, len(s.stages)), make([]bool, len(s.stages))
	return s
}

// digits returns the width of a number.
func digits(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}

// show computes the rows. Every node that failed or waits for a person has a row if all of them fit; otherwise each
// stage shows some of them, and a row with the number of the others.
func (s *stagesView) show(look Look) {
	s.look = look
	clear(s.counts)
	for v, i := range s.of {
		if i >= 0 {
			s.counts[i][s.graph.Nodes[v].State]++
		}
	}
	clear(s.open)
	for key, open := range look.Expanded {
		if i, found := s.number[key]; found && open {
			s.open[i] = true
		}
	}
	for i := range s.open { // consecutive waiting steps open together
		s.open[i] = s.open[i] || i > 0 && s.open[i-1] && len(s.stages[i-1].nodes) == 1 && len(s.stages[i].nodes) == 1 && s.follows(int32(i))
	}
	folds := false
	limit := s.limit()
	for range 2 { // a second time with the waiting steps folded, if the list is too long
		s.rows = s.rows[:0]
		for i := int32(0); int(i) < len(s.stages); i++ {
			if folds {
				if n := s.steps(i); n > 1 {
					s.rows = append(s.rows, stageRow{Item{ASteps, i}, i + n - 1, int(n)})
					i += n - 1
					continue
				}
			}
			s.addStage(i, limit)
		}
		if folds = true; look.Height <= 0 || len(s.rows) <= look.Height {
			break
		}
	}
	s.lanes.look(&s.lines, s.stageOf(look.Selected), func(row int32) State { return stageState(&s.counts[row]) })
	dimDeadLanes(s.graph, s.lanes, &s.lines)
	s.order = s.order[:0]
	for _, r := range s.rows {
		s.order = append(s.order, r.item)
	}
}

// limit returns the maximum number of failed and waiting nodes of a stage with a row of their own: all of them, if they
// fit into the pane.
func (s *stagesView) limit() int {
	const least = 2
	most := 0
	for i := range s.counts {
		most = max(most, s.urgent(int32(i)))
	}
	tooMany := func(more int) bool { // with a limit of least + more
		rows := len(s.stages)
		for i := range s.counts {
			rows += min(s.urgent(int32(i)), least+more+1)
		}
		return rows > s.look.Height
	}
	return max(least, least+sort.Search(most-least+1, tooMany)-1)
}

// urgent returns the number of nodes of a stage that a fold must not hide.
func (s *stagesView) urgent(i int32) int {
	if len(s.stages[i].nodes) == 1 {
		return 0 // the row of the stage shows it
	}
	return s.counts[i][Failed] + s.counts[i][Waiting]
}

// addStage adds the rows of a stage.
func (s *stagesView) addStage(i int32, limit int) {
	nodes := s.stages[i].nodes
	if len(nodes) == 1 {
		s.addNode(i, nodes[0])
		return
	}
	s.rows = append(s.rows, stageRow{Item{AStage, i}, i, len(nodes)})
	if s.open[i] {
		s.expand(i)
		return
	}
	urgent := s.urgent(i)
	if urgent <= limit+1 {
		limit = urgent // a row that counts one node could show that node instead
	}
	shown, selected := 0, s.graph.owner(s.look.Selected)
	for _, v := range nodes {
		needed := s.graph.Nodes[v].State.needsPerson() && shown < limit
		if needed {
			shown++
		}
		if needed || NodeItem(int(v)) == selected {
			s.addNode(i, v)
		}
		if s.graph.Nodes[v].State.needsPerson() && !needed && NodeItem(int(v)) == selected {
			urgent--
		}
	}
	if rest := urgent - shown; rest > 0 {
		s.rows = append(s.rows, stageRow{Item{AMore, i}, i, rest})
	}
}

// addNode adds the row of a node and the rows below it.
func (s *stagesView) addNode(i, v int32) {
	s.rows = append(s.rows, stageRow{NodeItem(int(v)), i, 1})
	from, to := s.graph.rowsOf(v)
	for k := from; k < to; k++ {
		s.rows = append(s.rows, stageRow{Item{ARow, int32(k)}, i, 1})
	}
}

// expand adds a row for each node of a stage: first failed and waiting nodes, then running ones, then the others.
func (s *stagesView) expand(i int32) {
	rank := func(v int32) int {
		switch state := s.graph.Nodes[v].State; {
		case state.needsPerson():
			return 0
		case state == Running || state == Retrying:
			return 1
		}
		return 2
	}
	for want := range 3 {
		for _, v := range s.stages[i].nodes {
			if rank(v) == want {
				s.addNode(i, v)
			}
		}
	}
}

// steps returns the number of consecutive stages, starting at i, that can share one row: each has one node in the
// same state and waits for the previous stage.
func (s *stagesView) steps(i int32) int32 {
	n := int32(0)
	for ; int(i+n) < len(s.stages) && s.waits(i+n); n++ {
		if n > 0 && !(s.follows(i+n) && s.single(i+n).State == s.single(i).State) {
			break
		}
	}
	return n
}

// single returns the only node of a stage.
func (s *stagesView) single(i int32) *Node { return &s.graph.Nodes[s.stages[i].nodes[0]] }

// waits reports whether a stage is a single node that has not started and is neither selected, marked nor open.
func (s *stagesView) waits(i int32) bool {
	nodes := s.stages[i].nodes
	if len(nodes) != 1 || s.open[i] {
		return false
	}
	n := s.single(i)
	if from, to := s.graph.rowsOf(nodes[0]); from < to {
		return false
	}
	return (n.State == Idle || n.State == Blocked) && !n.Marked && s.look.Selected != NodeItem(int(nodes[0]))
}

// follows reports whether the stage before stage i is its only predecessor, and stage i is the only successor of that
// stage.
func (s *stagesView) follows(i int32) bool {
	return len(s.web.in[i]) == 1 && s.web.arcs[s.web.in[i][0]].from == i-1 && len(s.web.out[i-1]) == 1 && !s.web.loops[i]
}

func (s *stagesView) size() (int, int) { return s.look.Width, len(s.rows) }
func (s *stagesView) items() []Item    { return s.order }

// stageOf returns the stage of an item, or -1.
func (s *stagesView) stageOf(item Item) int32 {
	switch item = s.graph.owner(item); item.Kind {
	case ANode:
		if int(item.Index) < len(s.of) {
			return s.of[item.Index]
		}
	case AStage, AMore, ASteps:
		if int(item.Index) < len(s.stages) {
			return item.Index
		}
	}
	return -1
}

// row returns the number of the row of an item, or -1.
func (s *stagesView) row(item Item) int {
	if i := slices.Index(s.order, item); i >= 0 {
		return i
	}
	if owner := s.graph.owner(item); owner != item {
		return s.row(owner)
	}
	stage := s.stageOf(item)
	if stage < 0 {
		return -1
	}
	return slices.IndexFunc(s.rows, func(r stageRow) bool { return r.stage >= stage })
}

func (s *stagesView) seen(item Item) Item {
	if r := s.row(item); r >= 0 {
		return s.order[r]
	}
	return Nothing
}

func (s *stagesView) where(item Item) Rect {
	if r := s.row(item); r >= 0 {
		return Rect{0, r, s.look.Width, 1}
	}
	return Rect{}
}

func (s *stagesView) at(p Point) Item {
	if p.Y < 0 || p.Y >= len(s.order) {
		return Nothing
	}
	return s.order[p.Y]
}

func (s *stagesView) nodes(item Item) []int {
	stage := s.stageOf(item)
	if stage < 0 {
		return nil
	}
	switch item.Kind {
	case ANode:
		return []int{int(item.Index)}
	case ASteps:
		var nodes []int
		for i := item.Index; i <= s.rows[s.row(item)].stage; i++ {
			nodes = append(nodes, int(s.stages[i].nodes[0]))
		}
		return nodes
	case AMore:
		return s.rest(stage)
	}
	nodes := make([]int, len(s.stages[stage].nodes))
	for i, v := range s.stages[stage].nodes {
		nodes[i] = int(v)
	}
	return nodes
}

// rest lists the nodes that the row AMore of a stage counts.
func (s *stagesView) rest(stage int32) []int {
	var nodes []int
	for _, v := range s.stages[stage].nodes {
		if s.graph.Nodes[v].State.needsPerson() && !slices.Contains(s.order, NodeItem(int(v))) {
			nodes = append(nodes, int(v))
		}
	}
	return nodes
}

func (s *stagesView) key(item Item) string {
	stage := s.stageOf(item)
	switch {
	case stage < 0:
		return ""
	case item.Kind == ANode:
		return s.graph.Nodes[item.Index].ID
	}
	return s.graph.Nodes[s.stages[stage].nodes[0]].ID
}

func (s *stagesView) name(item Item) string {
	stage := s.stageOf(item)
	switch {
	case stage < 0:
		return ""
	case item.Kind == ANode:
		return nodeName(s.graph, item.Index)
	}
	return s.stages[stage].name
}

// move goes to the row above or below, or along edges to the left and right.
func (s *stagesView) move(from Item, d Direction) Item {
	row := s.row(from)
	switch d {
	case Up:
		row = max(row-1, 0)
	case Down:
		row = min(row+1, len(s.order)-1)
	default:
		if near := s.near(s.graph.owner(from), d == Right); len(near) > 0 {
			return near[0]
		}
	}
	return s.order[row]
}

// near lists the rows of the stages next to the stage of item. All nodes of a stage have the same neighbouring
// stages, so single nodes are not distinguished.
func (s *stagesView) near(item Item, forward bool) []Item {
	stage := s.stageOf(item)
	if stage < 0 {
		return nil
	}
	var items []Item
	for _, other := range s.web.near(stage, forward, func(v int32) int32 { return v }) {
		to := s.seen(Item{AStage, other})
		if !slices.Contains(items, to) {
			items = append(items, to)
		}
	}
	return items
}

package drawing

import (
	"strconv"

	"wf/tui/words"
)

// stageColumns are the columns of the rows of stages.
type stageColumns struct {
	name, nameWidth  int
	times            int
	text, countWidth int
	bar, barWidth    int // barWidth 0 = no room
}

// end returns the column after all others, where commands start if there is room.
func (c *stageColumns) end() int { return c.bar + c.barWidth + 2 }

// barWidths are the possible widths of a bar, the widest first.
var barWidths = [...]int{20, 8}

// columns divides the width of the pane. If space is short, long names are cut first, then bars, then all names,
// never counts.
func (s *stagesView) columns(width int) (c stageColumns) {
	c.name = 2*s.lanes.width + 1
	largest := 1
	for _, stage := range s.stages {
		largest = max(largest, len(stage.nodes))
	}
	c.countWidth = 2*digits(largest) + 1 + len("  x00 *00 !00")
	right := 2 + c.countWidth // without the bar
	if s.times > 0 {
		right += 2 + s.times
	}
	room := width - c.name - right
	if narrow := room - barWidths[1] - 3; narrow >= min(goodName, s.wide) {
		room = narrow // long names leave room for a bar
	}
	c.nameWidth = min(s.wide, max(room, leastName))
	c.times = c.name + c.nameWidth + 2
	c.text = c.times
	if s.times > 0 {
		c.text += s.times + 2
	}
	c.bar = c.text + c.countWidth + 2
	for _, w := range barWidths {
		if c.bar+w < width {
			c.barWidth = w
			break
		}
	}
	return c
}

func (s *stagesView) draw(grid *Grid, from Point) {
	c := s.columns(grid.Width)
	for y := range grid.Height {
		if r := from.Y + y; r >= 0 && r < len(s.rows) {
			s.drawRow(grid, y, r, &c)
		}
	}
}

func (s *stagesView) drawRow(grid *Grid, y, r int, c *stageColumns) {
	row := &s.rows[r]
	p := newPen(grid, y, row.item, &s.look)
	switch {
	case row.item.Kind == ARow:
		s.lanes.below(grid, y, row.stage, &s.lines, p.ascii)
		x := c.name + 2
		if len(s.stages[row.stage].nodes) > 1 {
			x += 2
		}
		p.inner(x, &s.graph.Rows[row.item.Index], grid.Width-x)
		return
	case row.item.Kind == AMore || row.item.Kind == ANode && len(s.stages[row.stage].nodes) > 1:
		s.lanes.below(grid, y, row.stage, &s.lines, p.ascii)
		s.drawInner(&p, row, c)
		return
	case row.item.Kind == ASteps:
		s.lanes.draw(grid, y, row.item.Index, row.stage, &s.lines, p.ascii)
		state, word := s.single(row.stage).State, "waiting"
		if state == Blocked {
			word = state.String()
		}
		p.state(2*int(s.lanes.rows[row.stage].at), state)
		p.put(c.name, p.ellipsis()+" "+strconv.Itoa(row.count)+" "+word+" steps", InkDim)
		return
	}
	s.lanes.draw(grid, y, row.stage, row.stage, &s.lines, p.ascii)
	if row.item.Kind == ANode {
		n := &s.graph.Nodes[row.item.Index]
		if n.Marked {
			p.mods |= Marked
		}
		p.state(2*int(s.lanes.rows[row.stage].at), n.State)
		p.clipped(c.name, s.stages[row.stage].name, c.nameWidth, nameInk(n.State))
		x := c.text
		if n.Instances != nil {
			x += p.instances(x, n.Instances) + 2
		}
		x += p.detail(x, n) + 2
		x += p.condition(x, s.when[row.stage])
		x += p.loops(x, s.back[row.stage])
		p.command(max(x, c.end()), n)
		return
	}
	if n := s.hiddenMarks(row); n > 0 {
		p.mods |= Marked
		s.drawStage(&p, row, c, strconv.Itoa(n)+" marked")
	} else {
		s.drawStage(&p, row, c, "")
	}
	p.command(c.end(), &s.graph.Nodes[s.stages[row.stage].nodes[0]])
}

// hiddenMarks returns the number of marked nodes of a stage that have no row.
func (s *stagesView) hiddenMarks(row *stageRow) int {
	if s.open[row.stage] {
		return 0
	}
	n := 0
	for _, v := range s.stages[row.stage].nodes {
		if s.graph.Nodes[v].Marked {
			n++
		}
	}
	for _, r := range s.rows {
		if r.stage == row.stage && r.item.Kind == ANode && s.graph.Nodes[r.item.Index].Marked {
			n--
		}
	}
	return n
}

// drawInner draws a row below that of its stage.
func (s *stagesView) drawInner(p *pen, row *stageRow, c *stageColumns) {
	x := c.name + 2
	if row.item.Kind == AMore {
		p.put(x, p.ellipsis()+" "+strconv.Itoa(row.count)+" more "+s.urgentWord(row.stage), InkOf(Failed))
		return
	}
	n := &s.graph.Nodes[row.item.Index]
	if n.Marked {
		p.mods |= Marked
	}
	p.state(x, n.State)
	x += 2
	x += p.put(x, nodeName(s.graph, row.item.Index), nameInk(n.State)) + 2
	if n.Instances != nil {
		x += p.instances(x, n.Instances) + 2
	}
	p.detail(x, n)
}

// urgentWord returns the word for the hidden failed and waiting nodes of a stage.
func (s *stagesView) urgentWord(i int32) string {
	switch c := &s.counts[i]; {
	case c[Waiting] == 0:
		return Failed.String()
	case c[Failed] == 0:
		return Waiting.String()
	}
	return "failed or waiting"
}

// drawStage draws the row of a stage with several nodes: state, name, number of nodes, counts, a note, and a bar if
// it fits.
func (s *stagesView) drawStage(p *pen, row *stageRow, c *stageColumns, note string) {
	counts := &s.counts[row.stage]
	p.state(2*int(s.lanes.rows[row.stage].at), stageState(counts))
	p.clipped(c.name, s.stages[row.stage].name, c.nameWidth, InkText)
	p.put(c.times, words.SignCount.Text(p.ascii)+strconv.Itoa(row.count), InkDim)
	done, total := strconv.Itoa(counts.Done()), strconv.Itoa(row.count)
	x := c.text + max(s.times-1-len(total), 0) + len(total) - len(done)
	x += p.put(x, done+"/"+total, InkText)
	for _, state := range [...]State{Failed, Waiting, Running, Retrying, Blocked, Cancelled} {
		if n := counts[state]; n > 0 {
			x += 1 + p.put(x+1, state.Glyph(p.ascii)+strconv.Itoa(n), InkOf(state))
		}
	}
	if note != "" {
		x += 1 + p.put(x+1, note, InkText)
	}
	if c.barWidth > 0 && x < c.bar {
		p.bar(c.bar, c.barWidth, counts)
	}
}

// stageState returns the state that represents many nodes: the most urgent one, and ok only if all are ok.
func stageState(c *Counts) State {
	worst, any := Idle, false
	for s := range State(states) {
		if c[s] > 0 {
			if !any {
				worst, any = s, true
			}
			worst = Worst(worst, s)
		}
	}
	return worst
}

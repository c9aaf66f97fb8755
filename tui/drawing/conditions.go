package drawing

import "github.com/charmbracelet/x/ansi"

// maxWhen is the maximum width of a condition on a line.
const maxWhen = 14

// conditions returns, by vertex, the condition of the only edge to it. If several edges lead to a vertex, each of
// them has its own sign.
func conditions(g *Graph, w *web) []string {
	texts := make([]string, w.size)
	for v := range w.in {
		var only *Edge
		ways := 0
		for _, i := range w.in[v] {
			if a := &w.arcs[i]; !a.back {
				ways++
				if a.edge >= 0 {
					only = &g.Edges[a.edge]
				}
			}
		}
		if ways != 1 || only == nil || only.When == "" {
			continue
		}
		texts[v] = ansi.Truncate(head(only.When, maxWhen), maxWhen, "")
	}
	return texts
}

// condition draws the condition of the edge to a row.
func (p *pen) condition(x int, text string) int {
	if text == "" {
		return 0
	}
	return p.put(x, "when "+text, InkDim) + 2
}

// dimDeadLanes dims the lanes of edges that will not fire.
func dimDeadLanes(g *Graph, l *lanes, k *laneLook) {
	for i := range l.all {
		if e := l.all[i].edge; e >= 0 && g.Edges[e].Dead {
			k.inks[i] = InkDim
		}
	}
}

// dimDead draws bundles in a dim colour if none of their edges can fire any more.
func (p *picture) dimDead() {
	for i := range p.layers.shares {
		dead := true
		for _, n := range p.layers.shares[i].arcs {
			e := p.web.arcs[n].edge
			dead = dead && e >= 0 && p.graph.Edges[e].Dead
		}
		if dead {
			p.inks[i] = InkDim
		}
	}
}

// writeConditions draws the conditions of a layer on the lines before its chips.
func (p *picture) writeConditions(layer int) {
	for _, v := range p.rows[layer] {
		text := p.when[v]
		if text == "" {
			continue
		}
		y := p.middle(p.layers.row[v]) - p.brush.from.Y
		if y < 0 || y >= p.brush.grid.Height {
			continue
		}
		w := pen{grid: p.brush.grid, y: y, mods: Line, ascii: p.look.ASCII}
		x := p.starts[layer] - 2 - ansi.StringWidth(text) - p.brush.from.X
		if c := w.grid.At(x, y); c != nil {
			w.mods = c.Style.Mods &^ Token
		}
		w.put(x, text, InkText)
	}
}

// heads returns the width of the conditions before the chips of each layer.
func (p *picture) heads() []int {
	columns := make([]int, len(p.layers.Order))
	for i, layer := range p.layers.Order {
		for _, q := range layer {
			if v := p.layers.Points[q].Vertex; v >= 0 {
				if text := p.when[v]; text != "" {
					columns[i] = max(columns[i], ansi.StringWidth(text)+2)
				}
			}
		}
	}
	return columns
}
